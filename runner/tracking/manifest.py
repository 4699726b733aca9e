"""The checksums of a run's files: made when they are written, kept with the run, and held against what is read back."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from runner.errors import InputError
from runner.files.strict_json import json_text

MANIFEST = "files.json"
# The tag of a run that says what its manifest must hash to.
FILES_TAG = "files_sha256"
# The parameters and metrics of a run as they were logged.
LOGGED = "logged.json"


def write_manifest(folder: Path) -> str:
    """List every file of a folder with its SHA-256 in a file of its own, and return that file's."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = {path.relative_to(folder).as_posix(): file_sum(path) for path in files}
    (folder / MANIFEST).write_text(json_text(sums), "utf-8")
    return file_sum(folder / MANIFEST)


def check_files(folder: Path, expected: str, names: Sequence[str], whose: str) -> None:
    """Raise InputError unless the named files and folders, as far as they are listed, are as they were written.

    expected: the manifest's own SHA-256.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError(f"{whose}: {MANIFEST}, the checksums of its files, is missing; restore it")
    if file_sum(path) != expected:
        raise InputError(f"{whose}: {MANIFEST}, the checksums of its files, is not what was stored; restore it")
    listed = json.loads(path.read_text("utf-8"))
    wanted = {name: digest for name, digest in listed.items() if name.partition("/")[0] in names}
    for name, digest in wanted.items():
        if not (folder / name).is_file():
            raise InputError(f"{whose}: {name} is missing among its files; restore it")
        if file_sum(folder / name) != digest:
            raise InputError(
                f"{whose}: {name} is damaged or was changed after the run (its SHA-256 is not the one stored with the "
                "run); restore it, or make the run again"
            )


def write_logged(folder: Path, params: Mapping[str, str], metrics: Mapping[str, float]) -> None:
    """Keep what a run logs among its files too, so that the two can be held against each other."""
    values = {"params": dict(params), "metrics": {name: float(value) for name, value in metrics.items()}}
    (folder / LOGGED).write_text(f"{json.dumps(values, ensure_ascii=False, indent=1)}\n", "utf-8")


def check_logged(path: Path, params: Mapping[str, str], metrics: Mapping[str, float], whose: str) -> None:
    """Raise InputError where the store holds another parameter or metric than the run logged; others may be added."""
    logged = json.loads(path.read_text("utf-8"))
    for kind, now in (("params", params), ("metrics", metrics)):
        for name, value in logged[kind].items():
            if now.get(name) != value:
                found = repr(now[name]) if name in now else "nothing"
                raise InputError(
                    f"{whose}: its {kind[:-1]} {name} is {found} in the store, but {value!r} was logged; the database "
                    "of runs is damaged or was changed, restore it"
                )


def refuse_links(folder: Path, names: Sequence[str], whose: str) -> None:
    """Raise InputError for a link among files of a run: it would be read as if what it points to were the run's."""
    for top in (folder / name for name in names):
        for path in (top, *top.rglob("*")):
            if path.is_symlink():
                raise InputError(f"{whose}: {path.relative_to(folder)} is a link, and a run stores none; remove it")


def is_plain_name(name: object) -> bool:
    """Whether a stored file name names a file in its own folder and nothing else."""
    return isinstance(name, str) and re.fullmatch(r"[^/\\\0]+", name) is not None and name not in (".", "..")


def file_sum(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
