"""The whole drill: every check on a copy, from one measurement of what is there."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from runner.configuration.settings import Settings
from runner.engine.plan import Inputs
from runner.errors import ConfigError, InputError
from runner.files.scratch import scratch_folder
from runner.rendering.progress import progress_bar
from runner.selftest.check import Check, Drill
from runner.selftest.duplicates import duplicate, repeat
from runner.selftest.evidence import EvidencePart
from runner.selftest.model_files import swap_files
from runner.selftest.reference_metrics import count
from runner.selftest.removal import RemovalOutcome, carry_out
from runner.selftest.removal_choice import Removal, RemovalOrder
from runner.selftest.sandbox import Measurement, Sandbox
from runner.selftest.shuffled_judgments import shuffle
from runner.selftest.verdicts import made_up_for, nothing_to_lose, tells_of_all, verdicts

# A passage that goes may let other queries, or others of the same one's, move up as much: then the next one is tried.
_MOST_TRIES = 5


def run_drill(settings: Settings, inputs: Inputs, fields: Sequence[str] = ()) -> Drill:
    """Drill one configuration; fields: names of slices' fields or crossings, all that there are if none is named.

    The store is neither read nor written: what is ranked is kept in a folder that goes with the drill. Raises
    RunnerError, as a run would, where the suite does not fit the snapshot or the retriever fails on it; ConfigError for
    a holdout, and InputError where no query is scored.
    """
    # A dry run stores no snapshot.
    read = settings.model_copy(update={"dry_run": True})
    suite = whole = inputs.suite(read)
    if suite.role == "holdout":
        raise ConfigError(
            f"suite {suite.name!r} has the role holdout: a drill needs no holdout, and would show its scores without "
            "counting as a look; drill core, or another suite"
        )
    if not suite.scored():
        raise InputError(f"{suite.path or suite.name}: no scored query, nothing to drill")
    snapshot = inputs.snapshot(read)
    suite.check(snapshot)
    suite = suite.within(snapshot)
    with scratch_folder("drill") as folder, Sandbox(settings, folder) as sandbox:
        before = sandbox.measure(snapshot, suite)
        groups = chosen_groups(before, fields)
        drilled = _Slices(sandbox, before)
        with progress_bar(total=len(groups) + 2, desc="drill") as bar:
            checks = []
            for group in groups:
                checks += drilled.checks(group)
                bar.update()
            checks += [
                count(before),
                shuffle(sandbox, before, settings.seed),
                *([duplicate(sandbox, before, drilled.evidence)] if drilled.evidence else []),
                repeat(sandbox, before),
            ]
            bar.update()
            checks += swap_files(sandbox, before, folder / "files")
            bar.update()
        stage = before.job.stage
        return Drill(
            whole.name,
            whole.revision,
            whole.unit,
            snapshot.id,
            stage.component.name,
            stage.component.key or "not kept",
            settings.k,
            settings.seed,
            tuple(checks),
        )


class _Slices:
    """Drills slice after slice; a removal that several share is carried out once."""

    def __init__(self, sandbox: Sandbox, before: Measurement) -> None:
        self._sandbox, self._before = sandbox, before
        self._order = RemovalOrder(sandbox, before)
        self._outcomes: dict[tuple[str, ...], RemovalOutcome] = {}

    @property
    def evidence(self) -> list[EvidencePart]:
        """Everything that was removed so far."""
        evidence = {part for outcome in self._outcomes.values() for part in outcome.removal.evidence}
        return sorted(evidence, key=lambda part: part.id)

    def checks(self, group: str) -> list[Check]:
        """The three checks of one slice."""
        tried: list[tuple[bool, bool, RemovalOutcome]] = []
        for removal in islice(self._order.removals(group), _MOST_TRIES):
            outcome = self._outcome(removal)
            tried.append((made_up_for(self._before, group, outcome), not tells_of_all(self._before, outcome), outcome))
            if tried[-1][:2] == (False, False):
                break
        if not tried:
            return nothing_to_lose(self._before, group)
        return verdicts(self._before, group, min(tried, key=lambda each: each[:2])[2])

    def _outcome(self, removal: Removal) -> RemovalOutcome:
        if removal.targets not in self._outcomes:
            self._outcomes[removal.targets] = carry_out(self._sandbox, self._before, removal)
            self._order.take(removal)
        # The same targets may be chosen for the sake of another query.
        return replace(self._outcomes[removal.targets], removal=removal)


def chosen_groups(measured: Measurement, fields: Sequence[str]) -> list[str]:
    """The slices of these fields, or all. Raises ConfigError for a field of which there is no slice."""
    names = measured.judged.slices.names
    unknown = [field for field in fields if not any(name.startswith(f"{field}.") for name in names)]
    if unknown:
        known = ", ".join(dict.fromkeys(name.partition(".")[0] for name in names)) or "none"
        raise ConfigError(f"slices={','.join(unknown)}: no slice of that field; there are: {known}")
    return [name for name in names if not fields or any(name.startswith(f"{field}.") for field in fields)]
