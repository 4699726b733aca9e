"""What a configuration that somebody else wrote may have built: its targets are checked before any is imported.

A run's stored configuration is data: whoever can write to a tracking server can write one. Only components that this
program's own configuration files name, components that packages installed on this machine register, and modules that
the person at this machine names, are ever imported for it.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from runner import plugins
from runner.configuration.settings import conf_directory
from runner.engine.building import TARGET, locate
from runner.errors import ConfigError, InputError
from runner.scoring.metric_names import class_path, is_path, split_metrics

SETTING = "trust"
_OWN_PACKAGES = ("retrievers", "runner")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class Trust:
    """targets: what may be built by its exact name. modules: those below which everything defined there may be."""

    targets: frozenset[str]
    modules: tuple[str, ...] = ()

    @classmethod
    def of(cls, modules: Iterable[str] = (), own: Iterable[Any] = ()) -> "Trust":
        """Trust what conf/ names, and the modules that its setting `trust`, or the caller, adds.

        own: configurations that the person composed just now; what they name is theirs. Raises ConfigError for a
        module that is no module's name, or is a part of Python itself.
        """
        targets, configured = _of_conf(conf_directory())
        named = {target for config in own for _, node in nodes(config) for target in [str(node[TARGET])]}
        return cls(targets | plugins.targets() | named, tuple(dict.fromkeys(map(_checked, (*configured, *modules)))))

    @classmethod
    def parse(cls, value: str) -> "Trust":
        """Trust what `trust=a,b` or `trust=[a,b]` names. Raises ConfigError as `of` does."""
        return cls.of(each.strip().strip("\"'") for each in value.strip().strip("[]").split(",") if each.strip())

    def of_user(self, target: str) -> bool:
        """Whether a trusted target is the person's own, not one that came with the program or an installed package."""
        came = target.partition(".")[0] in _OWN_PACKAGES or target in plugins.targets()
        return self._below(target) or not came

    def refuse_other(self, config: Mapping[str, Any], whose: str) -> None:
        """Check every node of a whole configuration. Raises InputError naming the first that is not trusted.

        Nothing is imported before all names are known to be trusted. Then what was only imported into a trusted
        module is refused, too: `from os import system` would make a command of any text.
        """
        found = list(nodes(config))
        for path, node in found:
            target = node[TARGET]
            if not isinstance(target, str) or not (target in self.targets or self._below(target)):
                raise InputError(f"{whose}: {path} names {target!r}, {_refusal(target)}")
            for key in node:
                if str(key).startswith("_") and key != TARGET:
                    raise InputError(f"{whose}: {path}.{key} is not supported, so nothing of it is built")
        for path, node in found:
            target = str(node[TARGET])
            if target not in self.targets:
                home = str(getattr(locate(target, path), "__module__", ""))
                if not self._below(f"{home}."):
                    raise InputError(
                        f"{whose}: {path} names {target!r}, which is only imported there, from {home}; "
                        "name a class where it is defined"
                    )

    def _below(self, target: str) -> bool:
        return any(target.startswith(f"{module}.") for module in self.modules)


def nodes(value: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every mapping with a `_target_` inside a value, at any depth, and its own metrics, with where each stands."""
    if isinstance(value, Mapping):
        if TARGET in value:
            yield path, value
        if not path:
            yield from _own_metrics(value.get("metrics"))
        if path.startswith("gate.rules"):
            yield from _own_metrics([value.get("metric")], f"{path}.metric")
        for key, inner in value.items():
            yield from nodes(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for number, inner in enumerate(value):
            yield from nodes(inner, f"{path}.{number}".lstrip("."))


def _own_metrics(names: Any, path: str = "metrics") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What a list of metrics names by the path of a class, as nodes that would build it."""
    for number, name in enumerate(split_metrics(names) if isinstance(names, str) else names or ()):
        if isinstance(name, str) and is_path(name):
            yield f"{path}.{number}", {TARGET: class_path(name)}


def _refusal(target: object) -> str:
    top = str(target).partition(".")[0]
    words = "which is no component of this program, so nothing of it is imported or built"
    if top in _OWN_PACKAGES or top in sys.stdlib_module_names or not _MODULE.fullmatch(str(target)):
        return words
    return f"{words}; if that is code of yours and is meant to run, add {SETTING}={top}"


def _checked(module: str) -> str:
    if not _MODULE.fullmatch(module):
        raise ConfigError(f"{SETTING}: expected the name of a module such as my_package, found {module!r}")
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise ConfigError(f"{SETTING}: {module} is a part of Python, in which no component is defined; leave it out")
    return module


@cache
def _of_conf(folder: Path) -> tuple[frozenset[str], tuple[str, ...]]:
    """The targets that the configuration files of this machine name, and their setting `trust`."""
    targets: set[str] = set()
    modules: tuple[str, ...] = ()
    for path in sorted(folder.rglob("*.yaml")):
        try:
            values = yaml.safe_load(path.read_text("utf-8"))
        except (yaml.YAMLError, ValueError, OSError):
            continue  # said where it is used
        targets |= {str(node[TARGET]) for _, node in nodes(values)}
        if path == folder / "config.yaml" and isinstance(values, Mapping):
            modules = tuple(map(str, values.get(SETTING) or ()))
    return frozenset(targets), modules
