"""A model file swapped for one that differs in a byte: the retriever must not pass for the same any more."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrievers.base import RetrievalError
from runner.engine.building import TARGET, build
from runner.engine.components import Component, digest
from runner.errors import RunnerError
from runner.selftest.check import FAILED, NOT_APPLICABLE, NOTICED, SWAP, Check
from runner.selftest.sandbox import Measurement, Sandbox
from runner.tracking.run_record import params_of

Node = Mapping[str, Any]
Keys = tuple[Any, ...]
_FINGERPRINT = "fingerprint"


@dataclass(frozen=True)
class _Reader:
    """A node that reads files. keys: where it stands in the retriever's configuration. paths: by the parameter that
    names, or could name, each; one in a folder by `parameter/name in the folder`.
    """

    keys: Keys
    component: Component
    paths: Mapping[str, Path]

    def named(self, parameter: str) -> Path:
        """What the parameter of that key names: the file, or the folder that it is in."""
        inside = parameter.count("/")
        return self.paths[parameter].parents[inside - 1] if inside else self.paths[parameter]


def swap_files(sandbox: Sandbox, before: Measurement, folder: Path) -> list[Check]:
    """Copy each file that any part of the retriever reads, change one byte of the copy, and look at the hashes."""
    retriever = before.job.settings.retriever
    readers = {digest(dict(node)): (keys, node) for keys, node in _nodes(retriever)}
    checks = []
    for number, (keys, node) in enumerate(readers.values()):
        component = build(node, ".".join(map(str, ("retriever", *keys))))
        reader = _Reader(keys, component, _paths(component, node))
        if component.contents and not reader.paths:
            reason = "it hashes files and none of them is found; its method files_read() has to say where they lie"
            checks.append(Check(SWAP, ".".join(map(str, keys)) or component.name, FAILED, reason))
        checks += [
            _swap(sandbox, before, reader, each, folder / f"{number}-{place}")
            for place, each in enumerate(reader.paths)
        ]
    nothing = f"{before.job.stage.component.name} reads no file"
    return checks or [Check(SWAP, "", NOT_APPLICABLE, nothing)]


def _swap(sandbox: Sandbox, before: Measurement, reader: _Reader, parameter: str, folder: Path) -> Check:
    path = reader.paths[parameter]
    name, what = ".".join(map(str, (*reader.keys, parameter))), (path.name,)
    # Compared here with the file itself: of a hash that is wrong all along, no change tells.
    hashes = sorted(reader.component.contents.values())
    if reader.named(parameter) == path and path.is_file() and hashes and _sha256(path) not in hashes:
        reason = f"the SHA-256 of {what[0]} is {_sha256(path)[:8]}, not {' or '.join(each[:8] for each in hashes)}"
        return Check(SWAP, name, FAILED, reason, what=what)
    copies: dict[str, Path] = {}
    for key in reader.paths:
        named = key.partition("/")[0]
        if named not in copies:
            copies[named] = _copy(reader.named(key), folder / named)
    retriever = _with(before.job.settings.retriever, reader.keys, {key: str(copy) for key, copy in copies.items()})
    same = _identity(sandbox, before, retriever)
    named, _, inside = parameter.partition("/")
    _flip(copies[named] / inside)
    try:
        other = _identity(sandbox, before, retriever)
    except (RunnerError, RetrievalError) as error:
        return Check(SWAP, name, NOTICED, f"the changed file is refused: {error}", what=what)
    changed = [f"{key} {same[key][:8]} -> {other[key][:8]}" for key in same if same[key] != other.get(key)]
    # Every run would carry the same parameters, or the cache would answer for the other file.
    noticed = same[_FINGERPRINT] != other[_FINGERPRINT] and len(changed) > 1
    reason = f"one byte of {what[0]}: {', '.join(changed) or 'neither a hash nor a parameter changed'}"
    return Check(SWAP, name, NOTICED if noticed else FAILED, reason, what=what)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _identity(sandbox: Sandbox, before: Measurement, retriever: Node) -> dict[str, str]:
    """What a run with this retriever would be known by: its fingerprint and its parameters."""
    [job] = sandbox.plan(before.job.stage.snapshot, before.judged.suite, retriever).jobs
    return {**{key: str(value) for key, value in params_of(job).items()}, _FINGERPRINT: job.fingerprint}


def _nodes(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Node]]:
    """Every node of a configuration with where it stands, outermost first."""
    if isinstance(value, Mapping) and TARGET in value:
        yield keys, value
    if isinstance(value, Mapping | list | tuple):
        inner = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, each in inner:
            yield from _nodes(each, (*keys, key))


def _with(value: Any, keys: Keys, changes: Mapping[str, str]) -> Any:
    """A copy of a configuration in which one node has other parameters."""
    if not keys:
        return {**value, **changes}
    inner = _with(value[keys[0]], keys[1:], changes)
    if isinstance(value, Mapping):
        return {**value, keys[0]: inner}
    return [inner if number == keys[0] else each for number, each in enumerate(value)]


def _paths(component: Component, node: Node) -> dict[str, Path]:
    """The files that a node reads, as its part says and as its parameters name them."""
    named = {
        str(key): Path(value).expanduser() for key, value in node.items() if key != TARGET and isinstance(value, str)
    }
    files = {key: path for key, path in named.items() if path.is_file()} | component.declared.files_read()
    # A folder is only taken for a model where the part says that files decide its results, and not which.
    return files or {key: path for key, path in named.items() if component.contents and path.is_dir()}


def _copy(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    target = folder / path.name
    if path.is_file():
        shutil.copyfile(path, target)
    else:
        shutil.copytree(path, target, copy_function=os.symlink)
    return target


def _flip(copy: Path) -> None:
    """Change a byte in the middle of a copied file, or of the largest file in a copied folder."""
    if copy.is_dir():
        copy = max((each for each in copy.rglob("*") if each.is_file()), key=lambda each: (each.stat().st_size, each))
    data = bytearray(copy.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 1] = bytes([data[middle] ^ 1]) if data else b"x"
    before = copy.stat()
    copy.unlink()  # in a folder, a link to the original
    copy.write_bytes(data)
    # Clocks of file systems are coarse: the two writings may have had the same tick.
    os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000_000))
