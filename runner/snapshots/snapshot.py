"""An immutable set of documents cut into passages, with an id that is the hash of all of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from retrievers.base import Passages
from runner.chunkers.base import Chunk, Chunker
from runner.declared import Declared
from runner.documents.document import Document, Documents, Normalization
from runner.documents.passed import Passed
from runner.errors import InputError
from runner.files.strict_json import sha256_of, sha256_of_lines

FORMAT = 1
UNITS = ("document", "passage")


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of a document: a readable id, the document's id, [start, end) in characters of its text, a title."""

    id: str
    document: str
    start: int
    end: int
    title: str


@dataclass(frozen=True)
class Snapshot:
    """documents and passages sorted by id. settings: how they were made (format, normalization, chunker).

    passed: what the reader passed over when this was first built; no part of the content, so none of the id.
    """

    id: str
    documents: Sequence[Document]
    passages: Sequence[Passage]
    settings: Mapping[str, Any]
    passed: tuple[Passed, ...] = field(default=(), compare=False)

    @classmethod
    def build(
        cls,
        documents: Iterable[Document],
        chunker: Chunker,
        chunker_settings: Mapping[str, Any] | None = None,
        normalization: Normalization | None = None,
        cut: "Callable[[Sequence[Document], Chunker], list[Passage]] | None" = None,
    ) -> "Snapshot":
        """Cut the documents and name the result.

        chunker_settings: needed only by a chunker that is not a dataclass, whose own fields are its settings.
        cut: who does what `cut_documents` does, if not this process.
        Raises InputError for a document id given twice, for a passage id given twice or a range outside its text.
        """
        passed = documents.passed if isinstance(documents, Documents) else ()
        kept = tuple(sorted(documents, key=lambda document: document.id))
        _refuse_repeated("document", [document.id for document in kept])
        passages = (cut or cut_documents)(kept, chunker)
        passages.sort(key=lambda passage: passage.id)
        _refuse_repeated("passage", [passage.id for passage in passages])
        settings = {
            "format": FORMAT,
            "normalization": (normalization or Normalization()).settings(),
            "chunker": _chunker_settings(chunker, chunker_settings or {}),
        }
        unnamed = cls("", kept, tuple(passages), settings)
        unnamed.check_ranges()
        return cls(unnamed.content_id(), kept, unnamed.passages, settings, passed)

    def content_id(self) -> str:
        """The id that this content must have: 16 hex digits over settings, document hashes and passages.

        The versions of the chunker's libraries are recorded in the settings but not part of the id: the passages
        are, so a release that cuts the same way leaves every pinned suite and cached ranking usable.
        """
        content = {
            "settings": content_settings(self.settings),
            "documents": self.documents_sha256,
            "passages": self.passages_sha256,
        }
        return sha256_of(content)[:16]

    @cached_property
    def documents_sha256(self) -> str:
        """64 hex digits over the lines `id<TAB>sha256`, sorted by id: the sha256 of the stored `documents.tsv`."""
        return sha256_of_lines(f"{document.id}\t{document.sha256}" for document in self.documents)

    @cached_property
    def ids_only(self) -> bool:
        """Whether nothing is known of the documents but their ids, as of those that a TREC run names."""
        return not any(document.text or document.title for document in self.documents)

    @cached_property
    def passages_sha256(self) -> str:
        """64 hex digits over the id, document, range and title of every passage."""
        return sha256_of([[p.id, p.document, p.start, p.end, p.title] for p in self.passages])

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields that any document has, sorted."""
        return tuple(sorted({name for document in self.documents for name in document.fields}))

    @cached_property
    def document_ids(self) -> tuple[str, ...]:
        """The ids of the documents, sorted."""
        return tuple(document.id for document in self.documents)

    @cached_property
    def passage_ids(self) -> tuple[str, ...]:
        """The ids of the passages, sorted."""
        return tuple(passage.id for passage in self.passages)

    @cached_property
    def _text_of(self) -> dict[str, str]:
        return {document.id: document.text for document in self.documents}

    def text(self, passage: Passage) -> str:
        """The passage's own text: exactly its range of the document's normalised text."""
        return self._text_of[passage.document][passage.start : passage.end]

    def units(self, unit: str) -> tuple[str, ...]:
        """All ids that judgments in this unit may name, sorted. Raises InputError for a unit that is not there."""
        if unit == "document":
            return self.document_ids
        if unit == "passage":
            return self.passage_ids
        raise InputError(f"snapshot {self.id} has no unit {unit!r}; it has {' and '.join(UNITS)}")

    def passages_for_retrieval(self) -> Passages:
        """The columns that retrievers read; each text is the title, a line feed and the body, stripped."""
        return self._columns

    @cached_property
    def _columns(self) -> Passages:
        texts = self._text_of
        return Passages(
            self.passage_ids,
            tuple(passage.document for passage in self.passages),
            tuple(f"{p.title}\n{texts[p.document][p.start : p.end]}".strip() for p in self.passages),
        )

    def check_ranges(self) -> None:
        """Raise InputError unless every passage lies within the text of a document that is here."""
        length_of = {document.id: len(document.text) for document in self.documents}
        for passage in self.passages:
            length = length_of.get(passage.document)
            if length is None:
                raise InputError(f"passage {passage.id!r} names document {passage.document!r}, which is not there")
            if not 0 <= passage.start <= passage.end <= length:
                raise InputError(
                    f"passage {passage.id!r} has the range {passage.start}-{passage.end}, "
                    f"outside the {length} characters of its document"
                )


def content_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are part of a snapshot's id: all but the versions of the chunker's libraries."""
    chunker = {key: value for key, value in settings["chunker"].items() if key != "libraries"}
    return {**settings, "chunker": chunker}


def cut_documents(documents: Sequence[Document], chunker: Chunker) -> list[Passage]:
    """Cut documents, in their order. Raises InputError where the chunker gives something else than chunks."""
    return [
        Passage(_passage_id(document, chunk), document.id, chunk.start, chunk.end, chunk.title)
        for document in documents
        for chunk in _chunks(document, chunker)
    ]


def _passage_id(document: Document, chunk: Chunk) -> str:
    return f"{document.id}#{chunk.slug}" if chunk.slug else document.id


def _chunks(document: Document, chunker: Chunker) -> list[Chunk]:
    found: Any = chunker.split(document)
    name = f"the chunker {type(chunker).__module__}.{type(chunker).__qualname__}"
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise InputError(f"{name} returned a {type(found).__name__} for {document.id!r}; expected a list of Chunk")
    chunks = list(found)
    if not chunks:
        raise InputError(f"{name} returned no chunk for {document.id!r}; expected one at least, if only an empty one")
    for chunk in chunks:
        if not isinstance(chunk, Chunk):
            raise InputError(f"{name} returned {chunk!r:.60} for {document.id!r}; expected a Chunk")
        kinds = [type(value) for value in (chunk.start, chunk.end, chunk.title, chunk.slug)]
        if kinds != [int, int, str, str]:
            raise InputError(
                f"{name} returned a Chunk of {', '.join(kind.__name__ for kind in kinds)} for {document.id!r}; "
                "expected int, int, str, str"
            )
        if not 0 <= chunk.start <= chunk.end <= len(document.text):
            raise InputError(
                f"{name}: passage {_passage_id(document, chunk)!r} has the range {chunk.start}-{chunk.end}, "
                f"outside the {len(document.text)} characters of its document"
            )
    try:
        _refuse_repeated("passage", sorted(_passage_id(document, chunk) for chunk in chunks))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return chunks


def _chunker_settings(chunker: Chunker, given: Mapping[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = asdict(chunker) if is_dataclass(chunker) and not isinstance(chunker, type) else {}
    kind = type(chunker)
    declared = Declared(chunker, "chunker")
    return {
        # Both the defaults that nobody wrote and the values that somebody did are settings.
        **{key: value for key, value in given.items() if not key.startswith("_")},
        **own,
        "name": f"{kind.__module__}.{kind.__qualname__}",
        "version": declared.version,
        "libraries": {name: version(name) for name in declared.libraries},
    }


def _refuse_repeated(kind: str, ordered: Sequence[str]) -> None:
    for before, after in pairwise(ordered):
        if before == after:
            raise InputError(f"{kind} id {after!r} is given twice; ids must be unique in a snapshot")
