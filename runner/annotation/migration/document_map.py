"""The documents of two snapshots, and which goes on as which, under the same id or a new one."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runner.alignment.documents import DocumentChanges, compare_documents
from runner.alignment.shingles import Coder, words
from runner.documents.document import Document
from runner.documents.html_elements import names
from runner.snapshots import Snapshot


@dataclass(frozen=True)
class DocumentMap:
    """changes: what became of the documents. old, new: them, by id."""

    changes: DocumentChanges
    old: dict[str, Document]
    new: dict[str, Document]

    @classmethod
    def between(cls, old: Snapshot, new: Snapshot) -> "DocumentMap":
        """Compare two snapshots."""
        return cls(
            compare_documents(old, new),
            {document.id: document for document in old.documents},
            {document.id: document for document in new.documents},
        )

    def successor(self, id_: str) -> Document | None:
        """The document that goes on under the id, or under a new one; None if it is gone."""
        return self.new.get(self.changes.renamed.get(id_, id_))

    def doubt(self, id_: str) -> str:
        """Why a document under a new id may be another one, in two words; empty if it is surely the same.

        Its words, or the version or the state of things that its id names, are not what they were.
        """
        old, successor = self.old[id_], self.successor(id_)
        if successor is None or successor.id == id_:
            return ""
        if _STATE.findall(successor.id.lower()) != _STATE.findall(id_.lower()):
            return "of another version"
        if successor.text == old.text:
            return ""
        from rapidfuzz.distance import Indel

        coder = Coder()
        before, after = (coder.encode(words(each.text)) for each in (old, successor))
        return "renamed and changed" if Indel.distance(before, after) > len(after) - len(before) else ""

    def twin(self, id_: str) -> Document | None:
        """The successor, if nothing of the text, its layout, the title or what the fields say of them is different."""
        successor = self.successor(id_)
        return (
            successor
            if successor and not self.doubt(id_) and _compared(successor) == _compared(self.old[id_])
            else None
        )


# Fields that say who wrote a page, where it stands and how it looks, not what it is about.
_BESIDE = names(
    "aliases author authors contributors css editors head hide icon image js keywords layout links maintainers menu "
    "nav next permalink prev redirect_from redirects related reviewers scripts see_also sidebar slug tags template "
    "toc url"
)
_STATE = re.compile(
    r"(?<![^\W_])(?:v\d+(?:\.\d+)*|\d+(?:\.\d+)+|deprecated|obsolete|outdated|legacy|old|archived?|alpha|beta|drafts?"
    r"|experimental|preview|unsupported)(?![^\W_])",
    re.IGNORECASE,
)


def scope_of(document: Document) -> dict[str, str]:
    """What the fields of a page say its text is about, such as `plan: Free` or `deprecated: true`.

    Numbers and dates say when it was written, and change with every edition; but not the number of a version, nor one
    that the text shows, as `{{ limit }}`.
    """
    found: dict[str, str] = {}
    for key, value in document.fields.items():
        if key.lower() not in _BESIDE:
            shown = "version" in key.lower() or _shows(document.text, key)
            found |= {place: str(each) for place, each in _values(key, value) if shown or _speaks(each)}
    return found


def _values(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            if str(key).lower() not in _BESIDE:
                yield from _values(f"{place}.{key}", each)
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _values(f"{place}.{number}", each)
    else:
        yield place, value


def _speaks(value: Any) -> bool:
    return isinstance(value, str | bool) and any(each.isalpha() for each in str(value))


def _shows(text: str, key: str) -> bool:
    return "{{" in text and bool(re.search(rf"\{{\{{[^{{}}]*(?<!\w){re.escape(key)}(?!\w)[^{{}}]*\}}\}}", text))


def _compared(document: Document) -> tuple[Any, ...]:
    """All that has to be equal. The ids of headings are addresses, and say nothing."""
    layout = document.layout
    headings = layout and [(each.level, each.title, each.start, each.end) for each in layout.headings]
    shape = layout and (headings, layout.whole, layout.tables, layout.items)
    return document.title, document.text, shape, scope_of(document)
