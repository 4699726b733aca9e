"""The passages of two snapshots of which nothing has been said yet, and what has been said of the others."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from runner.alignment.passage_change import Kind, PassageChange
from runner.snapshots import Passage, Snapshot

# A body of fewer characters is looked for under its heading first, and elsewhere only then: it may stand anywhere.
SHORT = 40


class UnresolvedPassages:
    """before, after: the passages still open, by id, in order of id. counterpart: old document -> the same one now."""

    def __init__(self, old: Snapshot, new: Snapshot, counterpart: Mapping[str, str]) -> None:
        self.counterpart = counterpart
        self.before = {passage.id: passage for passage in old.passages}
        self.after = {passage.id: passage for passage in new.passages}
        self.old_body = {passage.id: evenly_spaced(old.text(passage)) for passage in old.passages}
        self.new_body = {passage.id: evenly_spaced(new.text(passage)) for passage in new.passages}
        self.changes: list[PassageChange] = []
        self._old_titles = {passage.title for passage in old.passages}
        self._new_titles = {passage.title for passage in new.passages}
        self._old_place = {each.id: (each.document, each.start, each.id) for each in old.passages}
        self._new_place = {each.id: (each.document, each.start, each.id) for each in new.passages}

    def settle(self, kind: Kind, old: Sequence[str], new: Sequence[str], similarity: float) -> None:
        """Settle what became of some passages."""
        for id_ in old:
            del self.before[id_]
        for id_ in new:
            del self.after[id_]
        self.changes.append(PassageChange(kind, self.read_before(old), self.read_now(new), similarity))

    def read_before(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Old passages in reading order."""
        return tuple(sorted(ids, key=self._old_place.__getitem__))

    def read_now(self, ids: Iterable[str]) -> tuple[str, ...]:
        """New passages in reading order."""
        return tuple(sorted(ids, key=self._new_place.__getitem__))

    def settle_same(self, old: str, new: str) -> None:
        """Settle that a passage is what it was, under this id."""
        self.settle("unchanged" if old == new else "moved", (old,), (new,), 1.0)

    def propose_same_words(self, old: str, new: str) -> None:
        """Propose that a passage went on as another one with the same words."""
        self.settle("edited", (old,), (new,), 1.0)

    def expected_id(self, passage: Passage) -> str | None:
        """The id that a passage would have now, if its document still has a passage so named."""
        document = self.counterpart.get(passage.document)
        return None if document is None else document + passage.id.removeprefix(passage.document)

    def renamed(self, old: Passage, new: Passage) -> bool:
        """Whether words went on under a heading of another name: the old one is gone everywhere, the new one is new.

        Where either heads something on the other side, too, words may have been exchanged between two headings, and
        what they say with them. So may those of a page of which more than their own heading changed.
        """
        page = self.counterpart.get(old.document)
        if page == new.document and _above(old.title) != _above(new.title):
            return False
        long_enough = len(self.old_body[old.id].strip()) >= SHORT
        return long_enough and old.title not in self._new_titles and new.title not in self._old_titles

    @cached_property
    def old_count(self) -> Counter[str]:
        """How many old passages, open or not, have a body."""
        return Counter(self.old_body.values())

    @cached_property
    def new_count(self) -> Counter[str]:
        """How many new passages, open or not, have a body."""
        return Counter(self.new_body.values())


def evenly_spaced(text: str) -> str:
    """A text with single spaces; in fenced code, where it means something, indentation stays."""
    if not text.strip():
        return text
    if "```" not in text and "~~~" not in text:
        return " ".join(text.split())
    words: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = line.strip()[:3]
        fenced = mark in ("```", "~~~") and mark == (fence or mark)
        words += [line.rstrip().replace("\u00a0", " ")] if fence and line.strip() else line.split()
        if fenced:
            fence = "" if fence else mark
    return " ".join(words)


def _above(title: str) -> str:
    """The title of the page and the headings above a passage's own."""
    return title.rpartition(" > ")[0]
