"""What a judged id stands for in a snapshot, as a person reads it before judging."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from runner.documents.document import Document
from runner.errors import InputError
from runner.formats.nearest_ids import nearest_ids
from runner.snapshots import Passage, Snapshot
from runner.suites import Span
from runner.suites.existence import SpanPlaces
from runner.suites.span import SpanFault

# How much of the document is shown on either side of a span.
_AROUND = 300


@dataclass(frozen=True)
class Shown:
    """title and text of what is judged. before, after: what surrounds a span in its document."""

    title: str
    text: str
    before: str = ""
    after: str = ""

    @property
    def whole(self) -> str:
        """The text with what surrounds it."""
        return f"{self.before}{self.text}{self.after}"


@dataclass(frozen=True)
class PassageTexts:
    """The texts of one snapshot by judged id. unit: document, passage or span."""

    snapshot: Snapshot
    unit: str

    def find(self, id_: str, span: Span | None = None) -> Shown | None:
        """What the id stands for, or None if the snapshot does not hold it."""
        if self.unit == "span":
            return self._span(span) if span else None
        if self.unit == "document":
            document = self._documents.get(id_)
            return Shown(document.title, document.text) if document else None
        passage = self._passages.get(id_)
        return Shown(passage.title, self.snapshot.text(passage)) if passage else None

    def nearest(self, id_: str) -> tuple[str, ...]:
        """Ids of the snapshot that a wrong one may have been meant to be."""
        unit = "document" if self.unit == "span" else self.unit
        return tuple(nearest_ids([id_], self.snapshot.units(unit)).get(id_, ()))

    def refuse_missing(self, id_: str, span: Span | None = None) -> None:
        """Raise InputError, with the nearest ids, if the snapshot does not hold it."""
        if self.unit == "span":
            if span is None:
                raise InputError(f"{id_!r} is no span; name it by document and quote, or document, start and end")
            if fault := self._places.fault(span):
                raise InputError(fault)
        elif self.find(id_) is None:
            near = ", ".join(map(repr, self.nearest(id_)))
            hint = f"; nearest: {near}" if near else ""
            raise InputError(f"snapshot {self.snapshot.id} holds no {self.unit} {id_!r}{hint}")

    def _span(self, span: Span) -> Shown | None:
        try:
            start, end = self._places.find(span)
        except SpanFault:
            return None
        document = self._documents[span.document]
        before, after = document.text[max(0, start - _AROUND) : start], document.text[end : end + _AROUND]
        return Shown(document.title, document.text[start:end], before, after)

    @cached_property
    def _documents(self) -> Mapping[str, Document]:
        return {document.id: document for document in self.snapshot.documents}

    @cached_property
    def _passages(self) -> Mapping[str, Passage]:
        return {passage.id: passage for passage in self.snapshot.passages}

    @cached_property
    def _places(self) -> SpanPlaces:
        return SpanPlaces(self.snapshot)
