"""What this program needs of Hydra beyond what Hydra promises: all of it is here, and a test says what each must do.

Stay on Hydra 1.3: its next version may move any of this.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from hydra._internal import utils
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.sources_registry import SourcesRegistry
from hydra._internal.utils import get_args_parser
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser import overrides_parser
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.overrides_visitor import HydraOverrideVisitor
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.core.singleton import Singleton
from hydra.core.utils import JobRuntime
from hydra.plugins.completion_plugin import DefaultCompletionPlugin
from hydra.version import VersionBase, setbase
from omegaconf import DictConfig

__all__ = ["get_args_parser"]


def run_application(arguments: Sequence[str], task: Callable[[DictConfig], Any], folder: str, name: str) -> None:
    """Have Hydra read a command line and hand the task its configuration, or its launcher the task.

    As `hydra.main` does, but for sys.argv, which is left alone, and errors, which are raised instead of printed.
    folder: that of the configuration files, absolute; name: the file to start from.
    """
    setbase("1.3")
    parser = get_args_parser()
    parsed: argparse.Namespace = parser.parse_args(list(arguments))
    # It prints several lines, or a traceback, of what cannot be composed.
    before, utils.run_and_report = utils.run_and_report, _let_through
    try:
        utils._run_hydra(args=parsed, args_parser=parser, task_function=task, config_path=folder, config_name=name)
    finally:
        utils.run_and_report = before


def _let_through(func: Any) -> Any:
    return func()


def apply_overrides(overrides: list[Override], config: DictConfig) -> None:
    """Set values as Hydra sets those of a command line. Raises what it raises for one that does not fit."""
    ConfigLoaderImpl._apply_overrides_to_config(overrides, config)


def parse_visiting(parser: OverridesParser, visitor: type[HydraOverrideVisitor], text: str, rule: str) -> Any:
    """Parse text by a rule of the grammar of overrides with a visitor of one's own, which Hydra has no place for."""
    names = {**vars(overrides_parser), "HydraOverrideVisitor": visitor}
    return FunctionType(OverridesParser.parse_rule.__code__, names)(parser, text, rule)


def file_source() -> Any:
    """The class whose `load_config(self, config_path)` reads a file of configuration below `self.path`."""
    # Hydra imports its plugins a second time: only the registry knows the classes that it uses.
    Plugins.instance()
    return SourcesRegistry.instance().resolve("file")


def completions_of(loader: ConfigLoader, name: str, overrides: Sequence[str], word: str) -> list[str]:
    """The words that begin with `word`: groups, choices and keys of the configuration; none where it is broken.

    overrides: those before it.
    """
    try:
        return DefaultCompletionPlugin(loader)._query(name, " ".join([*overrides, word]))
    except Exception:  # whatever is wrong with a line that is not yet typed is nothing to tell
        return []


@contextmanager
def apart() -> Iterator[None]:
    """Meanwhile Hydra is as it is when nobody uses it in this process; afterwards as it was."""
    kept = {kind: Singleton._instances.pop(kind, None) for kind in (GlobalHydra, VersionBase, JobRuntime)}
    try:
        yield
    finally:
        for kind, instance in kept.items():
            Singleton._instances.pop(kind, None)
            if instance is not None:
                Singleton._instances[kind] = instance
