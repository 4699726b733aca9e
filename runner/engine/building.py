"""The one place where configuration becomes objects."""

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, TypeGuard, get_args

from runner.engine.components import Component
from runner.engine.failure import kind_of
from runner.errors import ConfigError, RunnerError
from runner.extension_points import Chunker, DocumentReader, Retriever, SuiteReader

TARGET = "_target_"
# By its place in the configuration, what a component has to be.
_ROOTS = {"retriever": Retriever, "corpus": DocumentReader, "chunker": Chunker, "suite": SuiteReader}
_NULL = type(None)
_PLAIN = (str, int, float, bool, _NULL)


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
    if path in _ROOTS:
        _refuse_unfit(made, _ROOTS[path], path, target)
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
        if _is_protocol(wanted) and value is not None:
            _refuse_unfit(value, wanted, f"{path}.{key}", kind_of(value))
        if not isinstance(value, _PLAIN) or not kinds <= set(_PLAIN):
            continue
        # bool is an int to Python, and an int is as good as a float; neither works the other way round.
        fits = type(value) in kinds or (type(value) is int and float in kinds)
        if not fits:
            names = " or ".join(sorted("null" if kind is _NULL else kind.__name__ for kind in kinds))
            raise ConfigError(f"{path}.{key}: expected {names}, found {value!r}")


def _is_node_type(wanted: Any) -> bool:
    """Whether an annotation asks for an object that only a node can give: a protocol or a dataclass."""
    return inspect.isclass(wanted) and (_is_protocol(wanted) or is_dataclass(wanted))


def _is_protocol(wanted: Any) -> TypeGuard[type]:
    return bool(inspect.isclass(wanted) and getattr(wanted, "_is_protocol", False))


def _refuse_unfit(made: Any, protocol: type, path: str, target: str) -> None:
    """Raise ConfigError where an object has not the methods that its place asks for."""
    asked = [name for name, value in vars(protocol).items() if inspect.isfunction(value) and not name.startswith("_")]
    lacking = [name for name in asked if not callable(getattr(made, name, None))]
    if lacking:
        raise ConfigError(
            f"{path}: {target} has no {' and no '.join(lacking)}(), as {protocol.__name__} asks; "
            "see runner.extension_points for what each component is asked for"
        )
