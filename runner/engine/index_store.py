"""Indexes kept on disk beside the cache: arrays as .npy files, mapped on opening, and a JSON of the rest.

The JSON holds the sha256 of every array's file, and its own.
"""

import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from retrievers.base import Index
from runner.files.atomic import place_folder

_DESCRIPTION = "index.json"


class IndexStore:
    """One folder an index, named by the hash of what it was built from; written whole or not at all."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def load(self, key: str) -> Index | None:
        """The index of that key with its arrays mapped read-only, or None if absent or damaged."""
        folder = self.directory / key
        if not folder.is_dir():
            return None
        try:
            description = self.checked(key)
            arrays = {
                name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
                for name in description["arrays"]
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"note: the index in {folder} is built again ({error})", file=sys.stderr)
            return None
        with suppress(OSError):  # where nobody may write nobody prunes
            os.utime(folder)
        return Index(arrays, description["meta"])

    def checked(self, key: str) -> dict[str, Any]:
        """What says how the arrays of an index are read, once every file was found to be what was stored.

        Raises OSError, ValueError, KeyError or TypeError for one that is not.
        """
        folder = self.directory / key
        description = _read_description(folder / _DESCRIPTION, key)
        for name, digest in description["arrays"].items():
            path = folder / f"{name}.npy"
            if _sha256(path) != digest:
                raise ValueError(f"{path.name} is not what was stored")
        return description

    def save(self, key: str, index: Index) -> None:
        """Write an index under its key; one that is there already is replaced."""

        def write(draft: Path) -> None:
            digests = {}
            for name, array in index.arrays.items():
                path = draft / f"{name}.npy"
                np.save(path, array, allow_pickle=False)
                digests[name] = _sha256(path)
            description = {"key": key, "meta": index.meta, "arrays": digests}
            sealed = json.dumps({"sha256": _seal(description), "index": description}, ensure_ascii=False)
            (draft / _DESCRIPTION).write_text(sealed, "utf-8")

        folder = self.directory / key
        place_folder(folder, write, stands=(folder / _DESCRIPTION).exists, replace=True)


def _read_description(path: Path, key: str) -> dict[str, Any]:
    """What says how the arrays are read. Raises ValueError, KeyError or TypeError unless it is what was stored."""
    sealed = json.loads(path.read_text("utf-8"))
    if not isinstance(sealed, dict) or "sha256" not in sealed:
        raise ValueError(f"{path.name} is of an earlier format")
    description: dict[str, Any] = sealed["index"]
    if _seal(description) != sealed["sha256"] or description["key"] != key:
        raise ValueError(f"{path.name} is not what was stored")
    return description


def _seal(description: Any) -> str:
    text = json.dumps(description, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
