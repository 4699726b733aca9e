"""Which snapshot comes of which bytes: documents that were read and cut before are not read and cut again.

What is kept follows from the snapshots and can be deleted; it is keyed by the bytes of the sources, the configuration
of reader and chunker, and the code that reads and cuts.
"""

import hashlib
import platform
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from retrievers.base import Index
from runner.engine.components import Component, digest
from runner.engine.index_store import IndexStore
from runner.snapshots import Snapshot, SnapshotStore
from runner.snapshots.lazy import columns_of, open_lazily

# What turns bytes into passages, besides the reader and the chunker themselves.
_CODE = ("documents", "chunkers", "files", "snapshots")
# Libraries that readers and chunkers use are part of their identity; these two are used by neither.
_PYTHON = (platform.python_version(), unicodedata.unidata_version)


class CutStore:
    """Opens the snapshot of sources that are what they were, with only its ids read."""

    def __init__(self, directory: Path, snapshots: SnapshotStore) -> None:
        self._indexes = IndexStore(directory)
        self._snapshots = snapshots

    def find(self, key: str) -> Snapshot | None:
        """The snapshot of that key, or None if it, or what is kept of it, is not there any more."""
        index = self._indexes.load(key)
        if index is None or not isinstance(index.meta.get("id"), str):
            return None
        return open_lazily(index.arrays, index.meta, self._snapshots.root / index.meta["id"])

    def keep(self, key: str, snapshot: Snapshot) -> None:
        """Remember which snapshot came of that key; it must be stored."""
        columns = columns_of(snapshot, self._snapshots.root / snapshot.id)
        if columns is not None:
            self._indexes.save(key, Index(*columns))


def cut_key(reader: Component, chunker: Component, sources: Sequence[Path]) -> str | None:
    """The key of what comes of these bytes; None if the configuration does not tell what decides it."""
    if reader.identity is None or chunker.identity is None:
        return None
    contents = [[str(path), _sha256(path)] for path in sources]
    return digest([reader.identity, chunker.identity, contents, _code(), *_PYTHON])


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def _code() -> str:
    root = Path(__file__).resolve().parents[1]
    files = sorted(path for part in _CODE for path in (root / part).glob("*.py"))
    return digest([[path.name, _sha256(path)] for path in files])
