"""A component that was built, and the identity that keys its results."""

import hashlib
import importlib.metadata
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from retrievers.digest import file_digest
from runner.declared import Declared
from runner.errors import RunnerError


@dataclass(frozen=True, eq=False)
class Component:
    """A built node with the configuration it was built from.

    path: where in the configuration it stands. given_name: its `name` there, if it has one. params: its own
    plain values, those that stand beside nodes by dotted path. children: nodes inside it by dotted path. object: what
    `_target_` made.
    """

    path: str
    given_name: str
    target: str
    params: Mapping[str, Any]
    children: Mapping[str, "Component"]
    factory: Any
    object: Any

    @property
    def name(self) -> str:
        """What people call it: the given name, else that of its class."""
        return self.given_name or self.target.rpartition(".")[2].lower()

    @property
    def declared(self) -> Declared:
        """What the object says of itself."""
        return Declared(self.object, self.path)

    @cached_property
    def identity(self) -> dict[str, Any] | None:
        """Everything that decides this component's results, as JSON values; None if that cannot be told.

        A class without a `version` of its own (an inherited one says nothing of what was overridden), and a
        function as target, are identified by the bytes of the files that define them. A parameter that names a
        file counts by the file's content, wherever it lies.
        """
        if not self.declared.cacheable:
            return None
        inside = {path: component.identity for path, component in self.children.items()}
        if any(identity is None for identity in inside.values()):
            return None
        files = {parameter: file_digest(path) for parameter, path in self.declared.files().items()}
        excluded = {*self.declared.excluded, *files}
        identity: dict[str, Any] = {
            "target": self.target,
            "version": self._version,
            "libraries": self.libraries,
            "contents": self.contents,
            "files": files,
            "params": {key: value for key, value in self.params.items() if key not in excluded},
            "parts": inside,
        }
        try:
            json.dumps(identity, sort_keys=True)
        except TypeError:
            return None
        return identity

    @cached_property
    def key(self) -> str | None:
        """Hash of the identity, or None for a component whose results are not kept."""
        return None if self.identity is None else digest(self.identity)

    @cached_property
    def sharing_key(self) -> str:
        """Equal for components of equal configuration and files, also for those whose results are not kept."""
        inside = {path: component.sharing_key for path, component in self.children.items()}
        own = [self.target, self._version, self.libraries, repr(sorted(self.params.items())), self.contents]
        return digest([*own, inside])

    @cached_property
    def _version(self) -> Any:
        kind = type(self.object)
        if self.factory is kind and self.declared.own_version is not None:
            return self.declared.own_version
        sources = [
            self.factory,
            *(each for each in kind.__mro__ if each.__module__ not in ("builtins", "typing", "abc")),
        ]
        return [_source_hash(each) for each in dict.fromkeys(sources)]

    @cached_property
    def libraries(self) -> dict[str, str]:
        """Versions of the distributions that decide this component's results."""
        return {name: _version(name) for name in self.declared.libraries}

    @cached_property
    def contents(self) -> dict[str, str]:
        """Hashes of the files (models, lexicons, recorded rankings) that decide this component's results."""
        return self.declared.contents()

    def walk(self) -> Iterator["Component"]:
        """This component and every one inside it, outermost first."""
        yield self
        for component in self.children.values():
            yield from component.walk()

    def of_object(self, wanted: object) -> "Component":
        """The component inside this one that holds that very object. Raises RunnerError if none does."""
        for component in self.walk():
            if component.object is wanted:
                return component
        raise RunnerError(f"{self.path}: {self.target} uses an object that its configuration does not name")


def space_of(component: Component) -> str:
    """The cache space of a component's own measurements; one that is not kept gets a space of this process only."""
    return component.key or f"unkept-{id(component.object)}"


def digest(value: Any) -> str:
    """First 16 hex digits of the sha256 of a value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def _source_hash(made_by: Any) -> str:
    try:
        source = inspect.getsourcefile(made_by)
    except TypeError:
        source = None
    if source is None:
        return "unknown"
    return hashlib.sha256(Path(source).read_bytes()).hexdigest()[:16]
