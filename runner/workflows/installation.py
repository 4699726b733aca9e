"""What is installed here, what of it works without the network, and what is stored where."""

import platform
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from runner import plugins
from runner.composition.requests import compose_request
from runner.configuration.project import project_folder
from runner.configuration.settings import conf_choices, conf_directory
from runner.engine.building import build
from runner.engine.components import Component
from runner.errors import ConfigError
from runner.rendering.byte_size import byte_size
from runner.tracking.location import StoreLocation
from runner.tracking.mlflow_store import is_local, sqlite_path
from runner.tracking.provenance import DISTRIBUTION, program_version

_NAME = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"extra\s*==\s*['\"](\w+)['\"]")
# What a person installs to use the program, not to work on it.
_EXTRAS = ("neural", "documents")
# The part, and a retriever that has a place for it.
_MODELS = {"embedder": "semantic", "reranker": "reranked"}

Facts = dict[str, list[tuple[str, str]]]


def installation(place: StoreLocation) -> Facts:
    """Names and what there is to say of each, by heading. Nothing is loaded, downloaded or written."""
    return {
        "program": list(_program()),
        "extras": list(_extras()),
        "models without the network": list(_models()),
        "configuration": list(_configuration()),
        "stored": list(_stored(place)),
    }


def _program() -> Iterator[tuple[str, str]]:
    yield DISTRIBUTION, program_version()
    yield "python", f"{platform.python_version()} ({platform.platform()})"
    for name in _requirements().get("", ()):
        yield name, _installed(name) or "not installed"


def _extras() -> Iterator[tuple[str, str]]:
    required = _requirements()
    for extra in _EXTRAS:
        found = {name: _installed(name) for name in required.get(extra, ())}
        missing = [name for name, number in found.items() if number is None]
        known = ", ".join(f"{name} {number}" for name, number in found.items() if number)
        remedy = f'lacks {", ".join(missing)}: pip install "{DISTRIBUTION}[{extra}]"'
        yield extra, "; ".join(filter(None, [known, remedy if missing or not found else ""]))


def _requirements() -> dict[str, list[str]]:
    """The packages that the program asks for, by extra; "" for those that it cannot do without."""
    found: dict[str, list[str]] = defaultdict(list)
    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        lines = []
    for line in lines:
        extra, name = _EXTRA.search(line), _NAME.match(line)
        if name:
            found[extra[1] if extra else ""].append(name[0])
    return found


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _models() -> Iterator[tuple[str, str]]:
    for kind, retriever in _MODELS.items():
        own = {name for each, group in plugins.GROUPS.items() if group == kind for name in plugins.installed(each)}
        for name in sorted({*conf_choices(kind), *own}):
            try:
                node = compose_request([f"retriever={retriever}", f"{kind}={name}"]).settings.retriever
                lacking = [each.declared.lacking() for each in _of_kind(build(node, "retriever"), kind)]
                yield f"{kind}={name}", next(filter(None, lacking), "works")
            except ConfigError as error:
                yield f"{kind}={name}", str(error).splitlines()[0]


def _of_kind(component: Component, kind: str) -> Iterator[Component]:
    """The components of a retriever that were chosen as this kind, and what is inside of them."""
    for path, child in component.children.items():
        if path.rpartition(".")[2] == kind:
            yield from _whole(child)
        else:
            yield from _of_kind(child, kind)


def _whole(component: Component) -> Iterator[Component]:
    yield component
    for child in component.children.values():
        yield from _whole(child)


def _configuration() -> Iterator[tuple[str, str]]:
    own = project_folder()
    if own:
        yield "of the project", f"{own / 'conf'} (comes first)"
    yield "of the program", str(conf_directory())


def _stored(place: StoreLocation) -> Iterator[tuple[str, str]]:
    store = Path(place.store)
    yield "store", f"{store}{'' if store.is_dir() else ' (made by the first sweep)'}"
    yield "runs", f"{_runs(place.uri)}{place.uri}"
    for name in ("snapshots", "artifacts", "cache"):
        folder = store / name
        if folder.is_dir():
            yield name, f"{byte_size(sum(each.stat().st_size for each in folder.rglob('*') if each.is_file()))}"


def _runs(uri: str) -> str:
    if not is_local(uri) or not (path := sqlite_path(uri)).is_file():
        return ""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as store:
            (count,) = store.execute("SELECT count(*) FROM runs WHERE lifecycle_stage = 'active'").fetchone()
    except sqlite3.Error:
        return "cannot be read: "
    return f"{count:,} in "
