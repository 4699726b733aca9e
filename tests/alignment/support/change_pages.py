"""Pages written out in a test, cut by their headings unless it says otherwise."""

from collections.abc import Iterable, Mapping

from runner.alignment.passage_change import PassageChange
from runner.chunkers import Heading
from runner.chunkers.base import Chunker
from runner.documents import Document
from runner.snapshots import Snapshot

Sections = Mapping[str, str]


def snapshot(pages: Mapping[str, str | Sections], chunker: Chunker | None = None) -> Snapshot:
    """Pages by id: a text, or sections by heading under the title `Page`."""
    documents = []
    for id_, page in pages.items():
        text = page if isinstance(page, str) else "\n\n".join(f"## {title}\n\n{body}" for title, body in page.items())
        documents.append(Document(id_, "Page", text))
    return Snapshot.build(documents, chunker or Heading())


def told(changes: Iterable[PassageChange]) -> set[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """What became of what, without the similarity."""
    return {(each.kind, each.old, each.new) for each in changes}
