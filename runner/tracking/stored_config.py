"""The configuration stored with a run, read as what it is: data that somebody else may have written."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner.configuration.settings import Settings
from runner.engine.trust import Trust, nodes
from runner.errors import ConfigError, InputError
from runner.files.bounded_yaml import BoundedLoader
from runner.tracking.manifest import is_plain_name

# These name another place in the configuration, or a folder of this program: nothing else is asked of this machine.
_HARMLESS = re.compile(r"\$\{[\w.\[\]]+\}|\$\{runner\.(home|data|stem|sqlite):[^${}:]*\}")
_BUILT = ("retriever", "chunker")


def read_settings(path: Path, whose: str) -> Settings:
    """The resolved settings of a run. Raises InputError naming run and file for what cannot be read."""
    values = _read(path, whose)
    try:
        return Settings.of_plain(values)
    except ConfigError as error:
        raise InputError(f"{whose}: {path.name}: {error}") from None


def read_source(path: Path, resolved: Mapping[str, Any], whose: str) -> DictConfig:
    """The configuration with its interpolations; resolving it reads neither environment nor files of this machine.

    A value that asks for anything but another place in the configuration is taken as it was resolved when the run was
    made. Raises InputError naming run and file for what cannot be read.
    """
    values = _read(path, whose, may_be_empty=True)
    try:
        config = OmegaConf.create(_without_questions(values, resolved))
    except OmegaConfBaseException as error:
        raise InputError(f"{whose}: {path.name}: {str(error).splitlines()[0]}") from None
    assert isinstance(config, DictConfig)
    return config


def refuse_untrusted(values: Mapping[str, Any], trust: Trust, folder: Path, whose: str) -> None:
    """Raise InputError unless everything in a configuration may be built, from files of the run alone.

    Components of this program have a copy of every file that they read stored with the run; a parameter that names
    another file would have this machine's files read, copied and uploaded.
    """
    trust.refuse_other(values, whose)
    for root in _BUILT:
        for path, node in nodes(values.get(root), root):
            for key, value in node.items():
                if key != "name" and isinstance(value, str) and not trust.of_user(str(node["_target_"])):
                    _refuse_outside(value, f"{path}.{key}", folder, whose)


def _refuse_outside(value: str, path: str, folder: Path, whose: str) -> None:
    try:
        named = Path(value).expanduser()
        outside = named.is_file() and not named.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return
    if outside:
        raise InputError(
            f"{whose}: {path} names {value}, a file of this machine that was not stored with the run, so it is not "
            "read; restore the run's own files"
        )


def stored_file(folder: Path, name: object, whose: str) -> Path:
    """The file of a run's folder that a stored index names. Raises InputError for one outside, or not there."""
    if not is_plain_name(name) or not (folder / str(name)).is_file():
        raise InputError(f"{whose}: its index of files names {name!r}, which is no file stored with it")
    return folder / str(name)


def _read(path: Path, whose: str, may_be_empty: bool = False) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
        # A program that calls the runner may have composed nothing: there is no source then.
        values = yaml.load(text, Loader=BoundedLoader)
        values = {} if values is None and may_be_empty else values
        if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
            raise ValueError("it holds no settings")
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{whose}: {path.name} cannot be read ({_short(error)}); restore it") from None
    return values


def _short(error: Exception) -> str:
    return str(getattr(error, "problem", None) or getattr(error, "strerror", None) or str(error).splitlines()[0])


def _without_questions(value: Any, resolved: Any) -> Any:
    if isinstance(value, Mapping):
        known = resolved if isinstance(resolved, Mapping) else {}
        return {key: _without_questions(inner, known.get(key)) for key, inner in value.items()}
    if isinstance(value, list):
        same = resolved if isinstance(resolved, list) and len(resolved) == len(value) else [None] * len(value)
        return [_without_questions(*pair) for pair in zip(value, same, strict=True)]
    if isinstance(value, str) and "${" in _HARMLESS.sub("", value):
        # It is a literal now, whatever it holds.
        return _literal(resolved)
    return value


def _literal(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _literal(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_literal(inner) for inner in value]
    return value.replace("${", "\\${") if isinstance(value, str) else value
