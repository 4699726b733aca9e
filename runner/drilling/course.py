"""The whole drill: every exercise on a copy, from one measurement of what is there."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from tqdm import tqdm

from runner.config import Settings
from runner.drilling.bench import Bench, Measurement
from runner.drilling.carrying_out import Outcome, carry_out
from runner.drilling.doubling import duplicate, repeat
from runner.drilling.exercise import Drill, Exercise
from runner.drilling.model_files import swap_files
from runner.drilling.removal import Chooser, Removal
from runner.drilling.shuffling import shuffle
from runner.drilling.verdicts import made_up_for, nothing_to_lose, verdicts
from runner.engine.plan import Inputs
from runner.errors import ConfigError

# A passage that goes may let another query of the slice find as much: then the next one is tried.
_MOST_TRIES = 5


def run_drill(settings: Settings, inputs: Inputs, fields: Sequence[str] = ()) -> Drill:
    """Drill one configuration; fields: names of slices' fields or crossings, all that there are if none is named.

    The store is neither read nor written: what is ranked is kept in a folder that goes with the drill. Raises
    RunnerError, as a run would, where the suite does not fit the snapshot or the retriever fails on it.
    """
    # A dry run stores no snapshot.
    read = settings.model_copy(update={"dry_run": True})
    snapshot, suite = inputs.snapshot(read), inputs.suite(read)
    with tempfile.TemporaryDirectory(prefix="drill-") as folder, Bench(settings, Path(folder)) as bench:
        before = bench.measure(snapshot, suite)
        groups = chosen_groups(before, fields)
        drilled = _Slices(bench, before)
        with tqdm(total=len(groups) + 2, desc="drill", disable=None) as bar:
            exercises = []
            for group in groups:
                exercises += drilled.exercises(group)
                bar.update()
            exercises += [
                shuffle(bench, before, settings.seed),
                *([duplicate(bench, before, drilled.targets)] if drilled.targets else []),
                repeat(bench, before),
            ]
            bar.update()
            exercises += swap_files(bench, before, Path(folder) / "files")
            bar.update()
        stage = before.job.stage
        return Drill(
            suite.name, suite.revision, suite.unit, snapshot.id, stage.part.name, stage.part.key or "not kept",
            settings.k, settings.seed, tuple(exercises),
        )  # fmt: skip


class _Slices:
    """Drills slice after slice; a removal that several share is carried out once."""

    def __init__(self, bench: Bench, before: Measurement) -> None:
        self._bench, self._before = bench, before
        self._chooser = Chooser(bench, before)
        self._outcomes: dict[tuple[str, ...], Outcome] = {}

    @property
    def targets(self) -> list[str]:
        """Everything that was removed so far."""
        return sorted({target for targets in self._outcomes for target in targets})

    def exercises(self, group: str) -> list[Exercise]:
        """The three exercises of one slice."""
        outcome = None
        for removal in islice(self._chooser.removals(group), _MOST_TRIES):
            outcome = self._outcome(removal)
            if not made_up_for(self._before, group, outcome):
                break
        return verdicts(self._before, group, outcome) if outcome else nothing_to_lose(self._before, group)

    def _outcome(self, removal: Removal) -> Outcome:
        if removal.targets not in self._outcomes:
            self._outcomes[removal.targets] = carry_out(self._bench, self._before, removal)
            self._chooser.take(removal)
        # The same targets may be chosen for the sake of another query.
        return replace(self._outcomes[removal.targets], removal=removal)


def chosen_groups(measured: Measurement, fields: Sequence[str]) -> list[str]:
    """The slices of these fields, or all. Raises ConfigError for a field of which there is no slice."""
    names = measured.judged.slices.names
    unknown = [field for field in fields if not any(name.startswith(f"{field}.") for name in names)]
    if unknown:
        known = ", ".join(dict.fromkeys(name.partition(".")[0] for name in names)) or "none"
        raise ConfigError(f"--slices {','.join(unknown)}: no slice of that field; there are: {known}")
    return [name for name in names if not fields or any(name.startswith(f"{field}.") for field in fields)]
