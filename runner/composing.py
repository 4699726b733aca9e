"""Compose the jobs of a sweep: once for each choice of files, then setting values on copies.

Composing takes Hydra tens of milliseconds a job, nearly all of it reading files. Jobs that differ only in values
(`k=1,3,5`) read the same files, so a sweep of a thousand values is composed in the time of a few jobs.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from runner.errors import ConfigError


@dataclass(frozen=True)
class _Base:
    """What a job's choices of files come to, before its values are set, and the launcher they name."""

    job: DictConfig
    launcher: Mapping[str, Any]


class JobComposer:
    """Composes jobs of one sweep. config: the sweep's own configuration."""

    def __init__(self, config: DictConfig, loader: ConfigLoader) -> None:
        self._config = config
        self._loader = loader
        self._parser = OverridesParser.create()
        self._announced = set(OmegaConf.select(config, "hydra.sweeper.params") or {})
        self._bases: dict[tuple[str, ...], _Base] = {}
        self._groups: dict[str, bool] = {}

    def compose(self, overrides: Sequence[str]) -> DictConfig:
        """The configuration of one job, without the part that is Hydra's own.

        Raises what Hydra raises for overrides that do not fit, and ConfigError for an experiment that brings a sweep
        of its own.
        """
        parsed = self._parser.parse_overrides(list(overrides))
        values = [override for override in parsed if not self._is_choice(override)]
        choices = tuple(str(override.input_line) for override in parsed if self._is_choice(override))
        if choices not in self._bases:
            self._bases[choices] = self._load(choices)
        job = copy.deepcopy(self._bases[choices].job)
        OmegaConf.set_struct(job, True)  # as Hydra has it: a misspelt key is an error
        # Hydra's own way of applying them, to the letter.
        ConfigLoaderImpl._apply_overrides_to_config(values, job)
        return job

    def launcher(self, overrides: Sequence[str]) -> Mapping[str, Any]:
        """The launcher's settings as the choices of a job that has been composed make them."""
        parsed = self._parser.parse_overrides(list(overrides))
        return self._bases[tuple(str(each.input_line) for each in parsed if self._is_choice(each))].launcher

    def _load(self, choices: tuple[str, ...]) -> "_Base":
        composed = self._loader.load_sweep_config(self._config, list(choices))
        unswept = sorted(set(OmegaConf.select(composed, "hydra.sweeper.params") or {}) - self._announced)
        if unswept:
            # Hydra reads sweep parameters before it knows which experiment a job is of: part of the product would
            # be left out without a word.
            raise ConfigError(
                f"sets hydra.sweeper.params ({', '.join(unswept)}), which a sweep over experiments does not expand; "
                "run each experiment by itself, or put the sweep on the command line"
            )
        launcher = OmegaConf.to_container(OmegaConf.select(composed, "hydra.launcher"), resolve=True)
        assert isinstance(launcher, dict)
        return _Base(without_hydra(composed), {str(key): value for key, value in launcher.items()})

    def _is_choice(self, override: Override) -> bool:
        """Whether an override decides which files are read, or is Hydra's own; all others are applied in their order.

        Hydra's rule: the name of a group, unless its value is a mapping.
        """
        key = override.key_or_group
        if key == "hydra" or key.startswith(("hydra.", "hydra/")) or override.package is not None:
            return True
        if key not in self._groups:
            self._groups[key] = bool(self._loader.get_group_options(key))
        return self._groups[key] and not isinstance(override.value(), dict)


def without_hydra(config: DictConfig) -> DictConfig:
    """A configuration without Hydra's own part."""
    return OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])
