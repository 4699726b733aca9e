"""Hydra reads configuration files with a loader of its own; here a broken one is named in one line.

Files that people bring with --config-dir are read by nothing else of this program.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from omegaconf.errors import OmegaConfBaseException

from runner.composition.hydra_internals import file_source
from runner.composition.installed_choices import know_installed
from runner.errors import InputError, Problem
from runner.files.bounded_yaml import BoundedLoader


@contextmanager
def checked_config_files() -> Iterator[None]:
    """Meanwhile, check every configuration file as Hydra reads it, and let it know what installed packages bring."""
    know_installed()
    source_class = file_source()
    load = source_class.load_config
    source_class.load_config = lambda source, config_path: _load_checked(load, source, config_path)
    try:
        yield
    finally:
        source_class.load_config = load


def _load_checked(load: Any, source: Any, config_path: str) -> Any:
    path = f"{source.path}/{source._normalize_file_name(config_path)}"
    try:
        _refuse_bomb(path)
        return load(source, config_path)
    except yaml.YAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "unreadable character"
        raise InputError.of(path, [Problem(mark.line + 1 if mark else None, f"not YAML ({reason})")]) from None
    except UnicodeDecodeError:
        fault = "is not UTF-8; convert the file (iconv -f OLD -t UTF-8)"
        raise InputError.of(path, [Problem(None, fault)]) from None
    except RecursionError:
        raise InputError.of(path, [Problem(None, "nested too deeply")]) from None
    except (OmegaConfBaseException, OSError, ValueError) as error:
        raise InputError.of(path, [Problem(None, " ".join(str(error).split()))]) from None


def _refuse_bomb(path: str) -> None:
    """Compose a file that has anchors and aliases once more, with a bound: Hydra's loader expands them without one."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return  # Hydra says so
    if "&" in text and "*" in text:
        loader = BoundedLoader(text)
        try:
            loader.get_single_node()
        finally:
            loader.dispose()
