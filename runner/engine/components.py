"""The one place where configuration becomes objects, and where an object gets the identity that keys its results."""

import hashlib
import importlib
import importlib.metadata
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from retrievers.digest import file_digest
from runner.declared import Declared
from runner.errors import ConfigError, RunnerError

TARGET = "_target_"
_NULL = type(None)
_PLAIN = (str, int, float, bool, _NULL)


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


def build(config: Any, path: str = "") -> Component:
    """Build a node and all nodes inside it. Raises ConfigError naming the key, what was found and the remedy."""
    if not isinstance(config, Mapping) or TARGET not in config:
        raise ConfigError(f"{path}: expected a node with {TARGET}, found {config!r}")
    for unsupported in ("_args_", "_partial_", "_recursive_", "_convert_"):
        if unsupported in config:
            raise ConfigError(f"{path}.{unsupported} is not supported; name every parameter")
    target = str(config[TARGET])
    children: dict[str, Component] = {}
    arguments: dict[str, Any] = {}
    params: dict[str, Any] = {}
    for key, value in config.items():
        if key in (TARGET, "name"):
            continue
        arguments[key] = _build_value(value, path, str(key), children)
        params |= _plain_values(value, str(key))
    factory = locate(target, path)
    if config.get("name") is not None and _takes_name(factory):
        arguments["name"] = params["name"] = config["name"]
    made = _call(factory, arguments, path, target)
    return Component(path, str(config.get("name") or ""), target, params, children, factory, made)


def _takes_name(factory: Any) -> bool:
    """Whether a name is more than what people call a component: a suite's is what its runs are found by."""
    try:
        return "name" in inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return False


def _build_value(value: Any, path: str, key: str, children: dict[str, Component]) -> Any:
    if isinstance(value, Mapping):
        if TARGET in value:
            component = build(value, f"{path}.{key}".strip("."))
            children[key] = component
            return component.object
        return {name: _build_value(inner, path, f"{key}.{name}", children) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_build_value(inner, path, f"{key}.{number}", children) for number, inner in enumerate(value)]
    return value


def _plain_values(value: Any, key: str) -> dict[str, Any]:
    """What is not a node: the whole value if it holds none, else what stands beside them, each by its path."""
    if isinstance(value, Mapping) and TARGET in value:
        return {}
    if not _holds_node(value):
        return {key: value}
    inner = value.items() if isinstance(value, Mapping) else enumerate(value)
    return {path: plain for name, each in inner for path, plain in _plain_values(each, f"{key}.{name}").items()}


def _holds_node(value: Any) -> bool:
    if isinstance(value, Mapping):
        return TARGET in value or any(map(_holds_node, value.values()))
    return isinstance(value, list | tuple) and any(map(_holds_node, value))


def locate(target: str, path: str) -> Any:
    """Import what a target names. Raises ConfigError where that fails, or where it cannot be called."""
    module_name, _, name = target.rpartition(".")
    try:
        found = getattr(importlib.import_module(module_name), name)
    except (Exception, SystemExit) as error:  # the module is the user's own and may fail in any way
        raise ConfigError(
            f"{path}.{TARGET}: cannot import {target!r} ({error}); "
            "it must be an importable module and class, and its folder on PYTHONPATH"
        ) from error
    if not callable(found):
        raise ConfigError(f"{path}: {target} is a {type(found).__name__}, expected a class or a function")
    return found


def _call(factory: Any, arguments: Mapping[str, Any], path: str, target: str) -> Any:
    try:
        inspect.signature(factory).bind(**arguments)
    except TypeError as error:
        accepted = ", ".join(inspect.signature(factory).parameters) or "none"
        raise ConfigError(f"{path}: {target}: {error}; it accepts: {accepted}") from None
    _refuse_mistyped(factory, arguments, path)
    try:
        return factory(**arguments)
    except RunnerError:
        raise
    except (Exception, SystemExit) as error:  # the class may be the user's own and fail in any way
        raise ConfigError(f"{path}: {target}: {str(error) or type(error).__name__}") from error


def _refuse_mistyped(factory: Any, arguments: Mapping[str, Any], path: str) -> None:
    """Hold plain values against annotations made of plain types: a class may not look until it is too late."""
    try:
        parameters = inspect.signature(factory, eval_str=True).parameters
    except (NameError, TypeError, ValueError, SyntaxError):
        return
    for key, value in arguments.items():
        wanted = parameters[key].annotation if key in parameters else None
        kinds = set(get_args(wanted) or (wanted,))
        if value is not None and isinstance(value, _PLAIN) and _is_node_type(wanted):
            raise ConfigError(
                f"{path}.{key}: expected a node with {TARGET}, found {value!r}; a choice of conf/ is made with "
                f"GROUP@{path}.{key}={value}, where GROUP is its folder, such as {key}@{path}.{key}={value}"
            )
        if not isinstance(value, _PLAIN) or not kinds <= set(_PLAIN):
            continue
        # bool is an int to Python, and an int is as good as a float; neither works the other way round.
        fits = type(value) in kinds or (type(value) is int and float in kinds)
        if not fits:
            names = " or ".join(sorted("null" if kind is _NULL else kind.__name__ for kind in kinds))
            raise ConfigError(f"{path}.{key}: expected {names}, found {value!r}")


def _is_node_type(wanted: Any) -> bool:
    """Whether an annotation asks for an object that only a node can give: a protocol or a dataclass."""
    return inspect.isclass(wanted) and (getattr(wanted, "_is_protocol", False) or is_dataclass(wanted))


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
