"""A stored snapshot of which only what is asked for is read: the ids at once, a document when somebody looks at it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Passages
from runner.documents.document import Document
from runner.documents.passed import Passed
from runner.snapshots.files import DOCUMENTS, FILES, document_of, file_digest
from runner.snapshots.snapshot import Passage, Snapshot

Arrays = Mapping[str, NDArray[Any]]


def columns_of(snapshot: Snapshot, folder: Path) -> tuple[Arrays, dict[str, Any]] | None:
    """What `open_lazily` needs besides the stored documents: arrays, and a description as JSON values.

    folder: where the snapshot is stored. None for one whose titles have line ends.
    """
    documents, passages = snapshot.documents, snapshot.passages
    texts = {
        "document_ids": [each.id for each in documents],
        "passage_ids": [each.id for each in passages],
        "titles": [each.title for each in passages],
    }
    if any("\n" in text for column in texts.values() for text in column):
        return None
    data = (folder / DOCUMENTS).read_bytes()
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
    row_of = {id_: row for row, id_ in enumerate(texts["document_ids"])}
    arrays: dict[str, NDArray[Any]] = {
        **{name: np.frombuffer("\n".join(column).encode(), np.uint8) for name, column in texts.items()},
        "lines": np.concatenate(([0], ends)).astype(np.int64),
        "sha256": np.frombuffer(bytes.fromhex("".join(each.sha256 for each in documents)), np.uint8).reshape(-1, 32),
        "document_of": np.array([row_of[each.document] for each in passages], np.int32),
        "starts": np.array([each.start for each in passages], np.int64),
        "ends": np.array([each.end for each in passages], np.int64),
    }
    if len(arrays["lines"]) != len(documents) + 1:
        return None
    description: dict[str, Any] = {
        "id": snapshot.id,
        "settings": snapshot.settings,
        "documents_sha256": snapshot.documents_sha256,
        "fields": list(snapshot.fields),
        "files": {name: file_digest(folder / name) for name in sorted(FILES)},
        "passages": len(passages),
        "passed_over": [asdict(each) for each in snapshot.passed],
    }
    return arrays, description


def open_lazily(arrays: Arrays, description: Mapping[str, Any], folder: Path) -> Snapshot | None:
    """The snapshot of which `columns_of` made these, its documents read from its folder.

    None unless every file of that folder is what was stored.
    """
    try:
        if any(file_digest(folder / name) != digest for name, digest in description["files"].items()):
            return None
    except OSError:
        return None
    ids = _strings(arrays["document_ids"], len(arrays["lines"]) - 1)
    documents = LazyDocuments(folder / DOCUMENTS, ids, arrays["lines"], arrays["sha256"])
    count = int(description["passages"])
    passages = LazyPassages(
        _strings(arrays["passage_ids"], count),
        tuple([ids[row] for row in arrays["document_of"].tolist()]),
        _strings(arrays["titles"], count),
        arrays["document_of"],
        arrays["starts"],
        arrays["ends"],
    )
    settings = dict(description["settings"])
    passed = tuple(Passed(**each) for each in description["passed_over"])
    snapshot = Snapshot(str(description["id"]), documents, passages, settings, passed)
    # What these would be computed from would be all documents.
    vars(snapshot).update(
        documents_sha256=str(description["documents_sha256"]),
        fields=tuple(description["fields"]),
        document_ids=ids,
        passage_ids=passages.ids,
        _columns=Passages(passages.ids, passages.document_ids, LazyTexts(documents, passages)),
    )
    return snapshot


def _strings(data: NDArray[Any], count: int) -> tuple[str, ...]:
    return tuple(data.tobytes().decode().split("\n")) if count else ()


@dataclass(frozen=True, eq=False)
class LazyDocuments(Sequence[Document]):
    """Documents read from `documents.jsonl` one by one, and all of them once all are wanted."""

    path: Path
    ids: tuple[str, ...]
    lines: NDArray[Any]
    sha256: NDArray[Any]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Document: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Document, ...]: ...
    def __getitem__(self, at: int | slice) -> Document | tuple[Document, ...]:
        if isinstance(at, slice) or "_all" in vars(self):
            return self._all[at]
        row = range(len(self))[at]
        line = bytes(self._data[int(self.lines[row]) : int(self.lines[row + 1])])
        return self._document(row, json.loads(line))

    def __iter__(self) -> Iterator[Document]:
        return iter(self._all)

    @cached_property
    def _data(self) -> NDArray[Any]:
        return np.memmap(self.path, np.uint8, "r")

    @cached_property
    def _all(self) -> tuple[Document, ...]:
        # One call for the whole file is several times faster than one a line.
        rows = json.loads(b"[" + b",".join(self.path.read_bytes().removesuffix(b"\n").split(b"\n")) + b"]")
        return tuple([self._document(row, values) for row, values in enumerate(rows)])

    def _document(self, row: int, values: Mapping[str, Any]) -> Document:
        document = document_of(values)
        # The file is what was stored, so each document has the hash that was taken then.
        vars(document)["sha256"] = self.sha256[row].tobytes().hex()
        return document


@dataclass(frozen=True, eq=False)
class LazyPassages(Sequence[Passage]):
    """Passages made from columns when they are looked at."""

    ids: tuple[str, ...]
    document_ids: tuple[str, ...]
    titles: tuple[str, ...]
    document_of: NDArray[Any]
    starts: NDArray[Any]
    ends: NDArray[Any]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Passage: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Passage, ...]: ...
    def __getitem__(self, at: int | slice) -> Passage | tuple[Passage, ...]:
        if isinstance(at, slice):
            return self._all[at]
        return Passage(self.ids[at], self.document_ids[at], int(self.starts[at]), int(self.ends[at]), self.titles[at])

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._all)

    @cached_property
    def _all(self) -> tuple[Passage, ...]:
        columns = self.ids, self.document_ids, self.starts.tolist(), self.ends.tolist(), self.titles
        return tuple(map(Passage, *columns))


@dataclass(frozen=True, eq=False)
class LazyTexts(Sequence[str]):
    """The text of each passage as retrievers read it. To another process all of them travel."""

    documents: LazyDocuments
    passages: LazyPassages

    def __len__(self) -> int:
        return len(self.passages)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice) or "_all" in vars(self):
            return self._all[at]
        row = range(len(self))[at]
        return self._text(row, self.documents[int(self.passages.document_of[row])])

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __reduce__(self) -> tuple[type[tuple[Any, ...]], tuple[tuple[str, ...]]]:
        return tuple, (self._all,)

    @cached_property
    def _all(self) -> tuple[str, ...]:
        documents = self.documents[:]
        rows = enumerate(self.passages.document_of.tolist())
        return tuple([self._text(row, documents[document]) for row, document in rows])

    def _text(self, row: int, document: Document) -> str:
        passages = self.passages
        return f"{passages.titles[row]}\n{document.text[passages.starts[row] : passages.ends[row]]}".strip()
