"""Compose the jobs of a sweep: once for each choice of files, then setting values on copies.

Composing takes Hydra tens of milliseconds a job, nearly all of it reading files. Jobs that differ only in values
(`k=1,3,5`) read the same files, so a sweep of a thousand values is composed in the time of a few jobs.
"""

import copy
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf, open_dict

from runner.composition.hydra_internals import apply_overrides
from runner.composition.parts_by_name import KINDS, at_places, place_parts, places_of
from runner.composition.text_settings import as_text
from runner.errors import ConfigError

# The launcher that runs a sweep as one plan, as conf/config.yaml names it.
PLANNED = "planned"


@dataclass(frozen=True)
class _Base:
    """What a job's choices of files come to, before its values are set.

    launcher: its settings. places: by kind of part, where it stands.
    """

    job: DictConfig
    launcher: Mapping[str, Any]
    places: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Composed:
    """unused: the overrides that set or choose what this job's other choices have no place for."""

    config: DictConfig
    unused: tuple[str, ...]


class JobComposer:
    """Composes jobs of one sweep. config: the sweep's own configuration."""

    def __init__(self, config: DictConfig, loader: ConfigLoader) -> None:
        self._config = config
        self._loader = loader
        self._parser = OverridesParser.create()
        self._announced = set(OmegaConf.select(config, "hydra.sweeper.params") or {})
        self._bases: dict[tuple[str, ...], _Base] = {}
        self._groups: dict[str, bool] = {}
        self._varied: frozenset[str] = frozenset()

    def expect(self, jobs: Sequence[Sequence[str]]) -> None:
        """Take in the jobs of a sweep: of a group that they choose differently, a setting may be one's alone."""
        chosen: dict[str, set[str]] = defaultdict(set)
        for overrides in jobs:
            for override in self._parse(overrides):
                if self._is_choice(override) and override.package is None:
                    chosen[override.key_or_group].add(str(override.value()))
        self._varied = frozenset(group for group, names in chosen.items() if len(names) > 1)

    def compose(self, overrides: Sequence[str]) -> DictConfig:
        """The configuration of one job; see `composed`."""
        return self.composed(overrides).config

    def composed(self, overrides: Sequence[str]) -> "Composed":
        """The configuration of one job, without the part that is Hydra's own, and what of it the job has no use for.

        Raises what Hydra raises for overrides that do not fit, and ConfigError for an experiment that brings a sweep
        of its own.
        """
        parsed = self._parse(overrides)
        values = [override for override in parsed if not self._is_choice(override)]
        choices = [override for override in parsed if self._is_choice(override)]
        base = self._base(choices)
        job = copy.deepcopy(base.job)
        OmegaConf.set_struct(job, True)  # as Hydra has it: a misspelt key is an error
        unused = [
            str(each.input_line)
            for each in choices
            if each.package is None and base.places.get(each.key_or_group) == ()
        ]
        by_name, by_place = [], []
        for override in values:
            placed = at_places(override, base.places)
            if placed is None and self._lacks(job, override):
                unused.append(str(override.input_line))
            elif placed is None:
                by_place.append(override)
            else:
                fitting = [each for each in placed if not self._lacks(job, each)]
                by_name += fitting
                unused += [] if fitting else [str(override.input_line)]
        # Hydra's own way of applying them, to the letter; what is said of one place stands.
        apply_overrides(by_name + by_place, job)
        return Composed(job, tuple(unused))

    def _parse(self, overrides: Sequence[str]) -> list[Override]:
        return self._parser.parse_overrides([as_text(override) for override in overrides])

    def _lacks(self, job: DictConfig, override: Override) -> bool:
        """Whether a setting is another choice's, in a group of which the sweep's jobs choose several."""
        group, *rest = override.key_or_group.split(".")
        kinds = {group, *(kind for kind in KINDS if kind in rest)}
        if not rest or not kinds & self._varied or override.is_delete() or override.is_add():
            return False
        node: Any = job
        for key in (group, *rest):
            if not isinstance(node, DictConfig):
                return False
            if key not in node:
                return not override.is_force_add()
            node = node._get_node(key)
        return False

    def launcher(self, overrides: Sequence[str]) -> Mapping[str, Any]:
        """The launcher's settings as the choices of a job that has been composed make them."""
        parsed = self._parse(overrides)
        return self._base([override for override in parsed if self._is_choice(override)]).launcher

    def _base(self, choices: Sequence[Override]) -> "_Base":
        lines = tuple(str(override.input_line) for override in choices)
        if lines not in self._bases:
            self._bases[lines] = self._load(choices)
        return self._bases[lines]

    def _load(self, chosen: Sequence[Override]) -> "_Base":
        composed = self._loader.load_sweep_config(self._config, [str(each.input_line) for each in chosen])
        unswept = sorted(set(OmegaConf.select(composed, "hydra.sweeper.params") or {}) - self._announced)
        if unswept:
            # Hydra reads sweep parameters before it knows which experiment a job is of: part of the product would
            # be left out without a word.
            files = " ".join(str(each.input_line) for each in chosen if each.key_or_group == "experiment")
            raise ConfigError(
                f"{files or 'a file'} sets hydra.sweeper.params ({', '.join(unswept)}), which a sweep over experiments "
                "does not expand; run each experiment by itself, or put the sweep on the command line"
            )
        self._refuse_other_launcher(chosen)
        launcher = OmegaConf.to_container(OmegaConf.select(composed, "hydra.launcher"), resolve=True)
        assert isinstance(launcher, dict)
        choices = {str(key): value for key, value in OmegaConf.select(composed, "hydra.runtime.choices").items()}
        job, places = without_hydra(composed), places_of(choices, chosen)
        place_parts(job, choices, places)
        if isinstance(gate := job.get("gate"), DictConfig) and "name" not in gate:
            with open_dict(gate):
                gate.name = str(choices["gate"]).rpartition("/")[2].removesuffix(".yaml")
        return _Base(job, {str(key): value for key, value in launcher.items()}, places)

    def _refuse_other_launcher(self, chosen: Sequence[Override]) -> None:
        """Raise ConfigError where a chosen file asks for another launcher: Hydra lets config.yaml's win, silently."""
        for override in chosen:
            value = override.value()
            files = [f"{override.key_or_group}/{name}" for name in (value if isinstance(value, list) else [value])]
            others = {asked: file for file in files for asked in self._launchers_in(file) if asked != PLANNED}
            for asked, file in others.items():
                raise ConfigError(
                    f"its file {file} asks for hydra/launcher={asked}, but a sweep needs hydra/launcher={PLANNED}: "
                    "with another launcher its jobs would neither be planned together nor share what they compute; "
                    "take that out of the file's defaults"
                )

    def _launchers_in(self, file: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """The launchers that a configuration file, or one that it includes, asks for in its defaults."""
        repository = getattr(self._loader, "repository", None)
        found = repository.load_config(file) if repository else None
        for default in (found.defaults_list or ()) if found else ():
            group, value = getattr(default, "group", None), getattr(default, "value", None)
            # A file of the same group is named by itself, any other one from the top.
            included = getattr(default, "path", None) if group is None else f"/{group.lstrip('/')}/{value}"
            if group and group.lstrip("/") == "hydra/launcher":
                yield str(value)
            elif isinstance(included, str) and included != "_self_" and file not in seen:
                below = included.lstrip("/") if included.startswith("/") else f"{file.rpartition('/')[0]}/{included}"
                yield from self._launchers_in(below, seen | {file})

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


def needs_composer(config: DictConfig) -> bool:
    """Whether a configuration that Hydra composed holds what only `JobComposer` completes."""
    gate = config.get("gate")
    return any(config.get(kind) is not None for kind in KINDS) or (isinstance(gate, DictConfig) and "name" not in gate)
