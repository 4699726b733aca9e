"""Read a corpus in BEIR's layout: one JSON object a line with `_id`, `title`, `text` and anything else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrievers.script import same_id
from runner.documents.document import Document, Normalization
from runner.errors import InputError, Problem
from runner.files.reading import id_fault, json_lines, kind_of, numbered_lines, read_bytes

_OWN_KEYS = ("_id", "title", "text", "metadata")


@dataclass(frozen=True)
class Beir:
    """path: `corpus.jsonl`, or the folder that holds it. `metadata` and unknown keys become fields."""

    path: str | Path
    normalization: Normalization = field(default_factory=Normalization)

    def sources(self) -> list[Path]:
        """The one file that is read."""
        path = Path(self.path)
        return [path / "corpus.jsonl" if path.is_dir() else path]

    def read(self) -> list[Document]:
        """Return the documents sorted by id; a document with an empty text is kept.

        Raises InputError listing every bad line: not UTF-8, not JSON, wrong types, no id, an id given twice.
        """
        from runner.rendering.progress import progress_bar

        (path,) = self.sources()
        data = read_bytes(path, "a BEIR corpus.jsonl, or the folder that holds one (corpus.path)")
        problems: list[Problem] = []
        documents: list[Document] = []
        line_of: dict[str, int] = {}
        lines = numbered_lines(data, problems)
        rows = json_lines(lines, problems, strict=False)
        for line, row in progress_bar(rows, desc=f"reading {path.name}", unit=" documents", leave=False):
            faults = _faults(row)
            if not faults:
                id_ = same_id(row["_id"])
                if id_ in line_of:
                    faults.append(f"_id {id_!r} is given twice, first in line {line_of[id_]}; ids must be unique")
                line_of.setdefault(id_, line)
            if faults:
                problems.extend(Problem(line, fault) for fault in faults)
                continue
            documents.append(self._document(row))
        if problems:
            raise InputError.of(path, problems)
        if not documents:
            raise InputError(f"{path}: holds no document; expected one JSON object a line with _id, title and text")
        return sorted(documents, key=lambda document: document.id)

    def _document(self, row: Mapping[str, Any]) -> Document:
        others = {key: value for key, value in row.items() if key not in _OWN_KEYS}
        fields = self.normalization.value({**(row.get("metadata") or {}), **others})
        return Document(
            same_id(row["_id"]),
            self.normalization.title(row.get("title") or ""),
            self.normalization.text(row["text"] or ""),
            fields,
        )


def _faults(row: Mapping[str, Any]) -> list[str]:
    faults = []
    if "_id" not in row:
        faults.append(f"_id is missing; found the keys {', '.join(row) or '(none)'}")
    elif fault := id_fault(row["_id"]):
        faults.append(f"_id {fault}")
    if "text" not in row:
        faults.append("text is missing; write an empty string if the document has none")
    for key, kind in (("title", str), ("text", str), ("metadata", dict)):
        value = row.get(key)
        if value is not None and not isinstance(value, kind):
            wanted = "a string" if kind is str else "an object"
            faults.append(f"{key}: found {kind_of(value)}, expected {wanted}")
    metadata = row.get("metadata")
    if isinstance(metadata, dict):
        twice = sorted(key for key in metadata if key in row and key not in _OWN_KEYS)
        faults.extend(f"field {key!r} is both beside and inside metadata; keep one" for key in twice)
    return faults
