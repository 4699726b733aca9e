"""A snapshot as citations see it: passages and pages by id, and their texts for quotations."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from runner.citation_checks.quotation import squeeze
from runner.documents.document import Document, Normalization
from runner.files.nearest import nearest_ids
from runner.snapshots import Passage, Snapshot


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """What an id names in a snapshot: a passage and its page, or (passage None) a whole page."""

    document: Document
    passage: Passage | None


class CitedSnapshot:
    """Looks up what is cited; every text is prepared once, and only if it is asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.id = snapshot.id
        self._snapshot = snapshot
        self._documents = {document.id: document for document in snapshot.documents}
        self._passages = {passage.id: passage for passage in snapshot.passages}
        self._characters = Normalization(**snapshot.settings["normalization"]).characters
        self._texts: dict[str, str] = {}

    def find(self, id_: str) -> CitedPlace | None:
        """The passage of this id; where there is none, the page."""
        passage = self._passages.get(id_)
        if passage is not None:
            return CitedPlace(self._documents[passage.document], passage)
        document = self._documents.get(id_)
        return None if document is None else CitedPlace(document, None)

    def holds(self, id_: str) -> bool:
        """Whether the id names a passage or a page."""
        return id_ in self._passages or id_ in self._documents

    def text(self, place: CitedPlace) -> str:
        """The squeezed title and text."""
        id_ = place.document.id if place.passage is None else place.passage.id
        if id_ not in self._texts:
            if place.passage is None:
                title, body = place.document.title, place.document.text
            else:
                title, body = place.passage.title, self._snapshot.text(place.passage)
            self._texts[id_] = squeeze(f"{title}\n{body}")
        return self._texts[id_]

    def quotation(self, quotation: str) -> str:
        """A quotation made uniform as the documents were, and squeezed."""
        return squeeze(self._characters(quotation))

    def of_page(self, document: str) -> tuple[Passage, ...]:
        """The passages of a page in reading order."""
        return self._of_page.get(document, ())

    @cached_property
    def _of_page(self) -> dict[str, tuple[Passage, ...]]:
        pages: dict[str, list[Passage]] = {}
        for passage in sorted(self._snapshot.passages, key=lambda each: (each.document, each.start)):
            pages.setdefault(passage.document, []).append(passage)
        return {document: tuple(passages) for document, passages in pages.items()}

    def covers(self, place: CitedPlace, retrieved: Collection[str]) -> bool:
        """Whether a cited passage's page, or a passage of a cited page, is among the retrieved."""
        found = [each for id_ in retrieved if (each := self.find(id_)) is not None]
        wanted = place.document.id
        return any(each.document.id == wanted and (each.passage is None or place.passage is None) for each in found)

    def nearest(self, wrong: Sequence[str]) -> dict[str, list[str]]:
        """The ids closest to each wrong one."""
        return nearest_ids(wrong, self._ids)

    @cached_property
    def _ids(self) -> list[str]:
        return sorted({*self._passages, *self._documents})
