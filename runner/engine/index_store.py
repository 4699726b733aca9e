"""Indexes kept on disk beside the cache: arrays as .npy files, mapped on opening, and a JSON of the rest."""

import json
import os
import shutil
import tempfile
import zlib
from pathlib import Path

import numpy as np

from retrievers.base import Index

_DESCRIPTION = "index.json"


class IndexStore:
    """One folder an index, named by the hash of what it was built from; written whole or not at all."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def load(self, key: str) -> Index | None:
        """The index of that key with its arrays mapped read-only, or None if absent or damaged."""
        folder = self.directory / key
        try:
            description = json.loads((folder / _DESCRIPTION).read_text("utf-8"))
            arrays = {}
            for name, checksum in description["arrays"].items():
                path = folder / f"{name}.npy"
                if _checksum(path) != checksum:
                    raise ValueError(f"{path} is damaged")
                arrays[name] = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, KeyError):
            return None
        return Index(arrays, description["meta"])

    def save(self, key: str, index: Index) -> None:
        """Write an index under its key; one that is there already is replaced."""
        self.directory.mkdir(parents=True, exist_ok=True)
        working = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=self.directory))
        try:
            checksums = {}
            for name, array in index.arrays.items():
                path = working / f"{name}.npy"
                np.save(path, array, allow_pickle=False)
                checksums[name] = _checksum(path)
            description = json.dumps({"meta": index.meta, "arrays": checksums}, ensure_ascii=False)
            (working / _DESCRIPTION).write_text(description, "utf-8")
            shutil.rmtree(self.directory / key, ignore_errors=True)
            os.replace(working, self.directory / key)
        except OSError:
            # Another sweep put the same index there at the same moment; either copy will do.
            if not (self.directory / key / _DESCRIPTION).exists():
                raise
        finally:
            shutil.rmtree(working, ignore_errors=True)


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum
