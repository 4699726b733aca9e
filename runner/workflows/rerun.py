"""Repeat a stored run and say whether the result is the same, or what differs and which inputs changed."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner.composition.overrides import read_setting
from runner.configuration.settings import Settings, plain
from runner.engine.inputs import GivenInputs
from runner.engine.plan import Request
from runner.engine.scored import Scored
from runner.engine.trust import Trust
from runner.errors import ConfigError
from runner.rendering.redaction import without_secrets
from runner.reports.per_query import per_query_table
from runner.tracking.location import StoreLocation
from runner.tracking.provenance import git_state
from runner.tracking.run_record import metrics_of, params_of
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import printed
from runner.workflows.run_jobs import Listener, RunOptions, SweepOutcome, run_jobs

_MOST_LISTED = 10
# What makes it the same run, or is decided by the rerun itself.
_KEPT = ("corpus", "chunker", "suite", "dataset", "tracking", "resume", "allow_holdout", "gate")
# Measured anew by every run.
_TIMED = ("latency_", "index_", "peak_memory")


@dataclass(frozen=True)
class Repetition:
    """A run of the past, what came of repeating it, and how the two differ.

    rankings and metrics: one line each that is not exactly as it was. causes: what was asked to be changed, and the
    inputs that are no longer what they were.
    """

    stored: StoredRun
    outcome: SweepOutcome
    rankings: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether it was repeated, and every ranking and metric is exactly as it was."""
        return bool(self.outcome.scored) and not (self.rankings or self.metrics)


def repeat_run(
    run_id: str, place: StoreLocation, overrides: Sequence[str], folder: Path, listener: Listener | None = None
) -> Repetition:
    """Repeat a run, log it as a new one tagged with its source, and hold the two against each other.

    overrides: the cache mode, and what is to be changed. folder: where the files of the run are put, which the result
    goes on reading.
    """
    cache, changes = _cache_mode(overrides)
    tracker = place.tracker()
    stored = StoredRun.fetch(tracker, run_id, folder / "stored")
    settings, source = _settings(stored, changes, place.trust)
    settings = for_this_machine(settings, place.uri, place.store, cache)
    inputs = GivenInputs(stored.snapshot(tracker, place.store), stored.suite())
    # Before anything is computed or logged: without it there would be nothing to compare with.
    stored.per_query()
    options = RunOptions(tags={"rerun_of": stored.id}, past=not changes)
    outcome = run_jobs([Request(tuple(changes), settings, source)], options, inputs, listener)
    if not outcome.scored:
        return Repetition(stored, outcome)
    scored = outcome.scored[0]
    causes = [f"asked for: {change}" for change in changes] + input_differences(stored, scored)
    rankings, metrics = ranking_differences(stored, scored), metric_differences(stored, scored)
    return Repetition(stored, outcome, tuple(rankings), tuple(metrics), tuple(causes))


def for_this_machine(settings: Settings, uri: str, store: str, cache: str) -> Settings:
    """A past run's settings, to be run here and now and logged where the run is."""
    return settings.model_copy(
        update={
            "store": store,
            "cache": cache,
            "resume": False,
            # The look was decided on when the run was first made; it is recorded again by the new run.
            "allow_holdout": True,
            "gate": None,
            "trust": (),
            "tracking": settings.tracking.model_copy(update={"uri": uri}),
        }
    )


def _cache_mode(overrides: Sequence[str]) -> tuple[str, list[str]]:
    """The cache mode asked for, off unless said, and the overrides that change the run itself."""
    mode, rest = "off", []
    for override in overrides:
        setting = read_setting(override)
        if setting.key == "cache":
            mode = setting.text
        else:
            rest.append(override)
    if mode not in ("on", "off", "refresh", "only"):
        raise ConfigError(f"cache: expected on, refresh, off or only, found {mode!r}")
    return mode, rest


def _settings(stored: StoredRun, changes: Sequence[str], trust: Trust) -> tuple[Settings, str]:
    """The stored settings, or, with changes, the stored configuration with those applied and resolved again."""
    if not changes:
        return stored.buildable(trust), OmegaConf.to_yaml(stored.source)
    resolved = stored.settings.model_dump(mode="json")
    config = copy.deepcopy(stored.source)
    # A setting that came after the version that made the run is as it was there: by default.
    for name in resolved.keys() - config.keys():
        config[name] = resolved[name]
    OmegaConf.set_struct(config, True)
    for change in changes:
        setting = read_setting(change)
        key, new = setting.key, setting.value
        head = key.partition(".")[0]
        if head in _KEPT:
            raise ConfigError(
                f"{change}: a rerun keeps the stored {head}; start a new run with python -m runner instead"
            )
        current = _select(config, key)
        if isinstance(current, DictConfig) and new is not None and not isinstance(new, dict):
            raise ConfigError(
                f"{change}: {key} is a group of settings; name one of {', '.join(map(str, current))} in it"
            )
        OmegaConf.update(config, key, new)
    # Where the documents and the suite came from is stored resolved: this machine may not have it.
    for part in ("corpus", "chunker", "suite", "dataset", "store", "tracking"):
        config[part] = resolved[part]
    return stored.buildable(trust, plain(config)), OmegaConf.to_yaml(config)


def _select(config: DictConfig, key: str) -> Any:
    parent, _, name = key.rpartition(".")
    try:
        node = OmegaConf.select(config, parent, throw_on_missing=True) if parent else config
        known = list(map(str, node)) if isinstance(node, DictConfig) else []
    except OmegaConfBaseException:
        known = []
    if name not in known:
        choices = f"; {parent or 'the run'} has {', '.join(known)}" if known else ""
        raise ConfigError(f"the stored run has no setting {key!r}{choices}")
    return node._get_node(name)


def repetition_lines(found: Repetition) -> list[str]:
    """What a person is told: identical, or what differs and which inputs changed; nothing where it failed."""
    if not found.outcome.scored:
        return []
    named = f"{found.stored.name} ({found.stored.id})"
    if found.identical:
        return [f"identical: {len(found.outcome.scored[0].job.queries)} rankings and every metric of {named}"]
    lines = [f"compared with {named}: {len(found.rankings)} rankings and {len(found.metrics)} metrics differ"]
    lines += _listed("rankings", found.rankings)
    lines += _listed("metrics", found.metrics)
    return [
        *lines,
        "inputs that changed:" if found.causes else "no recorded input changed: the retriever is not deterministic",
        *(f"  {cause}" for cause in found.causes),
    ]


def _listed(name: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    more = [f"  ... and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    return [f"{name}:", *(f"  {line}" for line in lines[:_MOST_LISTED]), *more]


def ranking_differences(stored: StoredRun, scored: Scored) -> list[str]:
    """One line a query whose ranked passages or scores are not exactly the stored ones."""
    old, new = stored.per_query().to_pydict(), per_query_table(scored).to_pydict()
    before = {id_: (old["ranked"][row], old["scores"][row]) for row, id_ in enumerate(old["query_id"])}
    lines = []
    for row, id_ in enumerate(new["query_id"]):
        now = (new["ranked"][row], new["scores"][row])
        stored_ranking = before.pop(id_, None)
        if stored_ranking is None:
            lines.append(f"{id_}: not in the stored run")
        elif now != stored_ranking:
            lines.append(f"{id_}: {_ranking_difference(stored_ranking, now)}")
    return [*lines, *(f"{id_}: only in the stored run" for id_ in before)]


def _ranking_difference(before: tuple[list[str], list[float]], now: tuple[list[str], list[float]]) -> str:
    if before[0] == now[0]:
        largest = max(abs(a - b) for a, b in zip(before[1], now[1], strict=True))
        return f"same passages, scores differ by up to {largest:.3g}"
    rank = next((n for n, (a, b) in enumerate(zip(before[0], now[0], strict=False), 1) if a != b), 0)
    if not rank:
        return f"{len(before[0])} passages before, {len(now[0])} now"
    return f"from rank {rank}: {before[0][rank - 1]} before, {now[0][rank - 1]} now"


def metric_differences(stored: StoredRun, scored: Scored) -> list[str]:
    """One line a metric whose value is not exactly the stored one.

    What is timed anew is left out, and so is what the version that made the run did not log yet.
    """
    new = metrics_of(scored)
    old = {key: value for key, value in stored.metrics.items() if not key.startswith(("curve/", "gate/"))}
    keys = [key for key in sorted(old) if not key.startswith(_TIMED)]
    return [
        f"{key}: {_number(old.get(key))} before, {_number(new.get(key))} now"
        for key in keys
        if old.get(key) != new.get(key)
    ]


def input_differences(stored: StoredRun, scored: Scored) -> list[str]:
    """One line an input that is not what it was: settings, libraries, model files, program, Python."""
    now = {key: printed(without_secrets(value, key)) for key, value in params_of(scored.job).items()}
    lines = [
        f"{key}: {stored.params.get(key, 'absent')} -> {now.get(key, 'absent')}"
        for key in sorted(stored.params.keys() | now.keys())
        if stored.params.get(key) != now.get(key)
    ]
    before, after = stored.tags.get("git_commit"), git_state().get("git_commit")
    if before != after:
        lines.append(f"code: {before or 'no git'} -> {after or 'no git'}")
    for name, when in (("before", stored.tags.get("git_dirty")), ("now", git_state().get("git_dirty"))):
        if when == "true":
            lines.append(f"code: the checkout had uncommitted changes {name}")
    return lines


def _number(value: float | None) -> str:
    return "absent" if value is None else f"{value:.6g}"
