"""Snapshots on disk: one folder an id, written once, checked on every reading."""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.documents.document import Document
from runner.errors import InputError, RunnerError
from runner.formats.canonical import canonical_json
from runner.snapshots.snapshot import FORMAT, Passage, Snapshot

_HEAD = "snapshot.json"
_DOCUMENTS = "documents.jsonl"
_PASSAGES = "passages.jsonl"
_HASHES = "documents.tsv"


@dataclass(frozen=True)
class SnapshotStore:
    """root: the folder of all snapshots, one folder each.

    snapshot.json holds settings, counts and file hashes; documents.jsonl the texts; passages.jsonl the ranges;
    documents.tsv `id<TAB>sha256` lines, so that two snapshots can be compared with diff.
    """

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(self.root))

    def exists(self, id_: str) -> bool:
        """Whether a snapshot of this full id is stored."""
        return (self.root / id_ / _HEAD).is_file()

    def ids(self) -> tuple[str, ...]:
        """All stored ids, sorted."""
        found = self.root.iterdir() if self.root.is_dir() else ()
        return tuple(sorted(each.name for each in found if not each.name.startswith(".") and self.exists(each.name)))

    def find(self, prefix: str) -> str:
        """The one stored id that begins with prefix; InputError if there is none, or more than one."""
        found = [id_ for id_ in self.ids() if id_.startswith(prefix)]
        if prefix and len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise InputError(f"snapshot {prefix!r} could be {', '.join(found[:5])}; write more of the id")
        stored = ", ".join(self.ids()[:5]) or "none"
        raise InputError(f"snapshot {prefix!r} is not in {self.root}; stored: {stored}; build it again from its corpus")

    def save(self, snapshot: Snapshot) -> Path:
        """Store a snapshot, all or nothing, and return its folder; one that is there already is left alone."""
        folder = self.root / snapshot.id
        if not self.exists(snapshot.id):
            self._appear(folder, lambda draft: _write(snapshot, draft))
        return folder

    def load(self, id_: str) -> Snapshot:
        """Read a snapshot by its full id; InputError if it is not there or is not what was stored."""
        if not self.exists(id_):
            self.find(id_)
        snapshot = self.load_from(self.root / id_)
        if snapshot.id != id_:
            raise InputError(f"{self.root / id_}: holds snapshot {snapshot.id}; rename the folder to that id")
        return snapshot

    def export(self, id_: str, directory: str | Path) -> Path:
        """Copy a stored snapshot into `directory`, which must not exist yet or be empty, and return it."""
        target = Path(directory)
        if target.exists() and any(target.iterdir()):
            raise InputError(f"{target}: is not empty; a snapshot is exported into a folder of its own")
        source = self.root / self.find(id_)
        shutil.copytree(source, target, dirs_exist_ok=True)
        return target

    @staticmethod
    def load_from(directory: str | Path) -> Snapshot:
        """Read the snapshot in a folder and verify files, documents, ranges and id; InputError if anything differs."""
        folder = Path(directory)
        try:
            return _read(folder)
        except (RunnerError, OSError, ValueError, KeyError, TypeError) as error:
            reason = str(error) if isinstance(error, RunnerError) else f"{type(error).__name__}: {error}"
            raise InputError(
                f"{folder}: the stored snapshot cannot be used ({reason}); "
                "delete this folder and build the snapshot again, or restore it from an export"
            ) from error

    def _appear(self, folder: Path, write: Callable[[Path], None]) -> None:
        draft = self.root / f".{folder.name}.{uuid.uuid4().hex}"
        draft.mkdir(parents=True)
        try:
            write(draft)
            try:
                os.rename(draft, folder)
            except OSError as error:
                # Another writer may have been first with the same content: then theirs stays.
                if not self.exists(folder.name):
                    raise InputError(f"{folder}: cannot be made ({error.strerror}); move what is there away") from None
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _write(snapshot: Snapshot, folder: Path) -> None:
    files = {
        _DOCUMENTS: [
            canonical_json(
                {"id": each.id, "title": each.title, "sha256": each.sha256, "fields": each.fields, "text": each.text}
            )
            for each in snapshot.documents
        ],
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
        "files": hashes,
    }
    (folder / _HEAD).write_text(json.dumps(head, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _read(folder: Path) -> Snapshot:
    head = json.loads((folder / _HEAD).read_bytes())
    if head["settings"].get("format") != FORMAT:
        raise RunnerError(f"its format is {head['settings'].get('format')!r}, this program reads format {FORMAT}")
    rows = {name: _checked(folder / name, digest) for name, digest in head["files"].items()}
    documents = []
    for row in _rows(rows[_DOCUMENTS]):
        document = Document(row["id"], row["title"], row["text"], row["fields"])
        if document.sha256 != row["sha256"]:
            raise RunnerError(f"document {document.id!r} does not have the sha256 it was stored with")
        documents.append(document)
    passages = [Passage(**row) for row in _rows(rows[_PASSAGES])]
    snapshot = Snapshot(head["id"], tuple(documents), tuple(passages), head["settings"])
    if snapshot.content_id() != snapshot.id:
        raise RunnerError(f"its content has the id {snapshot.content_id()}, not {snapshot.id}")
    snapshot.check_ranges()
    return snapshot


def _checked(path: Path, digest: str) -> bytes:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise RunnerError(f"{path.name} has changed since it was stored")
    return data


def _rows(data: bytes) -> list[Any]:
    # One call for the whole file is several times faster than one a line.
    rows: list[Any] = json.loads(b"[" + b",".join(data.removesuffix(b"\n").split(b"\n")) + b"]")
    return rows
