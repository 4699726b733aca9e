"""What a judged id stands for in a snapshot, as a person reads it before judging."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_letters, digits

from runner.annotation.history.entry import RecordEntry
from runner.documents.document import Document
from runner.errors import InputError
from runner.files.nearest import nearest_ids
from runner.snapshots import Passage, Snapshot, SnapshotStore
from runner.suites import Span, Suite
from runner.suites.existence import SpanPlaces
from runner.suites.span import SpanFault

# How much of the document is shown on either side of a span.
AROUND = 300
_LETTERS = ascii_letters + digits


@dataclass(frozen=True)
class DisplayedText:
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

    def find(self, id_: str, span: Span | None = None, around: int = AROUND) -> DisplayedText | None:
        """What the id stands for, or None if the snapshot does not hold it. around: characters on either side."""
        if self.unit == "span":
            return self._span(span, around) if span else None
        if self.unit == "document":
            document = self._documents.get(id_)
            return DisplayedText(document.title, document.text) if document else None
        return self.passage(id_)

    def passage(self, id_: str) -> DisplayedText | None:
        """A passage, whatever the suite judges, or None if the snapshot does not hold it."""
        passage = self._passages.get(id_)
        return DisplayedText(passage.title, self.snapshot.text(passage)) if passage else None

    def whole(self, id_: str, *, pinned: bool) -> Span:
        """A passage as a span: a range of characters where documents are pinned, else its words.

        Raises InputError where neither names it.
        """
        passage = self._passages[id_]
        if pinned:
            return Span(passage.document, None, passage.start, passage.end)
        words = self.snapshot.text(passage).strip()
        for span in (Span(passage.document, words), Span(passage.document, words, passage.start)):
            if self._places.fault(span) is None:
                return span
        raise InputError(f"{id_!r} cannot be quoted whole; quote words of it, or pin the suite to its documents")

    def named_already(self, span: Span, others: Iterable[Span]) -> Span:
        """That of some spans that stands where this one does, since a place has one name; else this one."""
        place = (span.document, self._places.find(span))
        same = (each for each in others if each.document == span.document and self._places.fault(each) is None)
        return next((each for each in same if (each.document, self._places.find(each)) == place), span)

    def refuse_strange_document(self, id_: str) -> None:
        """Raise InputError, with the nearest ids, if the snapshot does not hold the document."""
        if id_ not in self._documents:
            near = ", ".join(map(repr, nearest_ids([id_], self.snapshot.units("document")).get(id_, ())))
            hint = f"; nearest: {near}" if near else ""
            raise InputError(f"snapshot {self.snapshot.id} holds no document {id_!r}{hint}")

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

    def _span(self, span: Span, around: int) -> DisplayedText | None:
        try:
            start, end = self._places.find(span)
        except SpanFault:
            return None
        document = self._documents[span.document]
        before, after = document.text[max(0, start - around) : start], document.text[end : end + around]
        # No half words: next to a whole one they would look like a change.
        if start > around:
            before = before.lstrip(_LETTERS).lstrip()
        if end + around < len(document.text):
            after = after.rstrip(_LETTERS).rstrip()
        return DisplayedText(document.title, document.text[start:end], before, after)

    @cached_property
    def _documents(self) -> Mapping[str, Document]:
        return {document.id: document for document in self.snapshot.documents}

    @cached_property
    def _passages(self) -> Mapping[str, Passage]:
        return {passage.id: passage for passage in self.snapshot.passages}

    @cached_property
    def _places(self) -> SpanPlaces:
        return SpanPlaces(self.snapshot)


def judged_snapshot(store: SnapshotStore, suite: Suite, asked: str | None) -> Snapshot:
    """The snapshot that was asked for, else the one that the suite is pinned to.

    Raises InputError: not stored; the suite is pinned to none and none was asked for; the suite does not fit it.
    """
    snapshot = store.load(store.find(asked or _pinned(store, suite)))
    suite.check(snapshot)
    return snapshot


def old_texts(store: SnapshotStore, entries: Sequence[RecordEntry], unit: str) -> PassageTexts | None:
    """The texts of the snapshot that a suite was migrated from last, if it is stored."""
    came = [str(entry.details.get("from", "")) for entry in entries if entry.what == "migrated"]
    return PassageTexts(store.load(came[-1]), unit) if came and store.exists(came[-1]) else None


def _pinned(store: SnapshotStore, suite: Suite) -> str:
    stored = ", ".join(store.ids()[:5]) or "none"
    if suite.snapshot is not None:
        return suite.snapshot
    if suite.documents is None:
        raise InputError(
            f"{suite.path or suite.name}: the suite is pinned to no snapshot, so say which one to judge "
            f"(snapshot=ID); stored in {store.root}: {stored}"
        )
    found = next(_with_documents(store, suite.documents), None)
    if found is None:
        raise InputError(
            f"{suite.path or suite.name}: is pinned to the documents {suite.documents}, which no snapshot in "
            f"{store.root} holds (stored: {stored}); build it, or name another place (store=FOLDER)"
        )
    return found


def _with_documents(store: SnapshotStore, documents: str) -> Iterator[str]:
    for id_ in store.ids():
        head = json.loads((store.root / id_ / "snapshot.json").read_bytes())
        if str(head.get("documents_sha256", "")).startswith(documents):
            yield id_
