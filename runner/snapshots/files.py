"""The files of one stored snapshot, and what must agree between them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runner.documents.document import Document
from runner.documents.outline import Outline
from runner.documents.passed import Passed
from runner.errors import RunnerError
from runner.files.strict_json import canonical_json, json_text, parse_json
from runner.snapshots.snapshot import FORMAT, Passage, Snapshot, content_settings

HEAD = "snapshot.json"
DOCUMENTS = "documents.jsonl"
_PASSAGES = "passages.jsonl"
_HASHES = "documents.tsv"
FILES = frozenset((HEAD, DOCUMENTS, _PASSAGES, _HASHES))


def write_files(snapshot: Snapshot, folder: Path) -> None:
    """Write a snapshot into a folder that is there; the head, which makes it whole, comes last."""
    files = {
        DOCUMENTS: [canonical_json(_row(each)) for each in snapshot.documents],
        _PASSAGES: [
            canonical_json(
                {"id": each.id, "document": each.document, "start": each.start, "end": each.end, "title": each.title}
            )
            for each in snapshot.passages
        ],
        _HASHES: [f"{each.id}\t{each.sha256}" for each in snapshot.documents],
    }
    hashes = {}
    for name, lines in files.items():
        data = "".join(f"{line}\n" for line in lines).encode()
        (folder / name).write_bytes(data)
        hashes[name] = hashlib.sha256(data).hexdigest()
    head = {
        "id": snapshot.id,
        "settings": snapshot.settings,
        "documents": len(snapshot.documents),
        "passages": len(snapshot.passages),
        "documents_sha256": snapshot.documents_sha256,
        "fields": snapshot.fields,
        "passed_over": [asdict(each) for each in snapshot.passed],
        "files": hashes,
    }
    (folder / HEAD).write_text(json_text(head), encoding="utf-8")


def read_files(folder: Path) -> Snapshot:
    """Read what a folder holds. Raises RunnerError, and whatever reading can raise, unless all of it agrees."""
    head = parse_json((folder / HEAD).read_bytes(), strict=False)
    if head["settings"].get("format") != FORMAT:
        raise RunnerError(f"its format is {head['settings'].get('format')!r}, this program reads format {FORMAT}")
    rows = {name: _checked(folder / name, digest) for name, digest in head["files"].items()}
    documents = []
    for row in _rows(rows[DOCUMENTS]):
        document = document_of(row)
        if document.sha256 != row["sha256"]:
            raise RunnerError(f"document {document.id!r} does not have the sha256 it was stored with")
        documents.append(document)
    passages = [Passage(**row) for row in _rows(rows[_PASSAGES])]
    passed = tuple(Passed(**each) for each in head.get("passed_over", ()))
    snapshot = Snapshot(head["id"], tuple(documents), tuple(passages), head["settings"], passed)
    if snapshot.content_id() != snapshot.id:
        raise RunnerError(f"its content has the id {snapshot.content_id()}, not {snapshot.id}")
    snapshot.check_ranges()
    return snapshot


def holds(folder: Path, snapshot: Snapshot) -> bool:
    """Whether the files of a folder are those of this snapshot, to the byte; nothing of them is parsed but the head."""
    try:
        head = json.loads((folder / HEAD).read_bytes())
        said = [
            head["id"],
            head["documents_sha256"],
            head["files"][_HASHES],
            {HEAD, *head["files"]},
            len(head["fields"]),
        ]
        right = [
            snapshot.id,
            snapshot.documents_sha256,
            snapshot.documents_sha256,
            FILES,
            len(snapshot.fields),
        ]
        return (
            said == right
            and content_settings(head["settings"]) == content_settings(json.loads(json.dumps(snapshot.settings)))
            and all(file_digest(folder / name) == digest for name, digest in head["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def document_of(row: Mapping[str, Any]) -> Document:
    """The document of a line of the stored documents."""
    layout = Outline.of_values(row["layout"]) if "layout" in row else None
    return Document(row["id"], row["title"], row["text"], row["fields"], layout)


def _row(document: Document) -> dict[str, Any]:
    row = {"id": document.id, "title": document.title, "sha256": document.sha256, "fields": document.fields}
    layout = {} if document.layout is None else {"layout": document.layout.values()}
    return {**row, "text": document.text, **layout}


def _checked(path: Path, digest: str) -> bytes:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise RunnerError(f"{path.name} has changed since it was stored")
    return data


def _rows(data: bytes) -> list[Any]:
    # One call for the whole file is several times faster than one a line.
    rows: list[Any] = json.loads(b"[" + b",".join(data.removesuffix(b"\n").split(b"\n")) + b"]")
    return rows
