"""The documents of two snapshots, and which goes on as which, under the same id or a new one."""

from dataclasses import dataclass

from runner.changes.documents import DocumentChanges, compare_documents
from runner.documents.document import Document
from runner.snapshots import Snapshot


@dataclass(frozen=True)
class Heirs:
    """changes: what became of the documents. old, new: them, by id."""

    changes: DocumentChanges
    old: dict[str, Document]
    new: dict[str, Document]

    @classmethod
    def between(cls, old: Snapshot, new: Snapshot) -> "Heirs":
        """Compare two snapshots."""
        return cls(
            compare_documents(old, new),
            {document.id: document for document in old.documents},
            {document.id: document for document in new.documents},
        )

    def heir(self, id_: str) -> Document | None:
        """The document that goes on under the id, or under a new one; None if it is gone."""
        return self.new.get(self.changes.renamed.get(id_, id_))

    def twin(self, id_: str) -> Document | None:
        """The heir, if not a character of the text, the title or what the fields say of them is different."""
        heir, old = self.heir(id_), self.old[id_]
        same = heir is not None and (heir.title, heir.text, scope_of(heir)) == (old.title, old.text, scope_of(old))
        return heir if same else None


# Fields that say who wrote a page, where it stands and how it looks, not what it is about.
_BESIDE = {"author", "authors", "icon", "image", "keywords", "layout", "permalink", "slug", "tags", "template", "url"}


def scope_of(document: Document) -> dict[str, str]:
    """What the fields of a page say its text is about, such as `plan: Free` or `deprecated: true`.

    Numbers and dates say when it was written, and change with every edition.
    """
    return {
        key: str(value)
        for key, value in document.fields.items()
        if key not in _BESIDE and isinstance(value, str | bool) and any(each.isalpha() for each in str(value))
    }
