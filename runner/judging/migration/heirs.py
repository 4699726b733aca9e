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
        """The heir, if not a character of the text or the title is different."""
        heir, old = self.heir(id_), self.old[id_]
        return heir if heir is not None and (heir.title, heir.text) == (old.title, old.text) else None
