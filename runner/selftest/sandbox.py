"""Where altered copies are measured: by the steps of every job, but for the logging, and in a store of its own."""

import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Query, Rankings
from runner.configuration.settings import LatencySettings, Settings
from runner.engine.cache import Cache
from runner.engine.execute import look_up
from runner.engine.inputs import GivenInputs
from runner.engine.parallel import HERE, Workers
from runner.engine.plan import Job, Plan, Request, Stage
from runner.engine.planning import make_plan
from runner.engine.rank_and_score import rank
from runner.errors import RunnerError
from runner.rendering.progress import progress
from runner.scoring.evaluate import Evaluation, JudgedSet, evaluate
from runner.selftest.evidence import EvidencePart, evidence_of
from runner.snapshots import Snapshot, SnapshotStore
from runner.suite_formats.own import OwnSuite, write_own
from runner.suites import Suite


class Unrankable(RunnerError):
    """The retriever could not rank what it was given."""


class Stale(RunnerError):
    """A ranking of another snapshot passed for one of this."""


class Misread(RunnerError):
    """What was read back is not what was stored."""


@dataclass(frozen=True)
class Measurement:
    """A suite on a snapshot: the job that was planned, what was ranked and looked at, and its scores."""

    job: Job
    rankings: Rankings
    candidates: Rankings
    evaluation: Evaluation

    @property
    def judged(self) -> JudgedSet:
        """The suite laid over the snapshot."""
        return self.job.judged

    @cached_property
    def evidence(self) -> dict[str, EvidencePart]:
        """What of the snapshot is altered for each judged id."""
        return evidence_of(self.judged.suite, self.job.stage.snapshot)


class Sandbox:
    """Plans, ranks and scores without a trace outside its folder; texts and pairs are computed once for all copies."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        own = {"store": str(folder), "latency": LatencySettings(sample=0), "cache": "on", "resume": False, "gate": None}
        self.settings = settings.model_copy(update=own)
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._cache = Cache(folder / "cache")

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self._cache.__exit__()

    def stored(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot as a store has it. Raises Misread where that is another one."""
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            store = SnapshotStore(Path(folder))
            store.save(snapshot)
            read = store.load(snapshot.id)
        if (read.documents_sha256, read.passages) != (snapshot.documents_sha256, snapshot.passages):
            raise Misread(f"snapshot {snapshot.id} was stored, and another one was read back")
        return read

    def written(self, suite: Suite) -> Suite:
        """The suite as its files have it. Raises Misread where that is another one, InputError as reading does."""
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            read = OwnSuite(write_own(suite, Path(folder))).read()
        if [query.row() for query in read.queries] != [query.row() for query in suite.queries]:
            raise Misread(f"suite {suite.name!r} was written, and another one was read back")
        return read

    def plan(self, snapshot: Snapshot, suite: Suite, retriever: Any = None) -> Plan:
        """Plan the one job, with another retriever node if one is given.

        Raises InputError as every plan does, Unrankable where the retriever cannot be built.
        """
        settings = self.settings.model_copy(update={"retriever": retriever}) if retriever else self.settings
        plan = make_plan([Request((), settings)], GivenInputs(snapshot, suite))
        for refused in plan.refused:
            raise Unrankable(refused.error)
        return plan

    def measure(self, snapshot: Snapshot, suite: Suite) -> Measurement:
        """Rank and score.

        Raises InputError where the suite does not fit, Unrankable where the retriever fails, Stale where a ranking is
        not of this snapshot.
        """
        job = self._ranked(self.plan(snapshot, suite))
        rankings, candidates = self._found(job.stage, job.queries)
        return Measurement(job, rankings, candidates, self.score(job.judged, rankings, candidates))

    def measure_gone(self, snapshot: Snapshot, before: Measurement) -> Measurement:
        """Search a snapshot that lacks some passages, and score what it finds by the judgments from before.

        What is gone is still judged: it cannot be found, and it stays in every denominator. No suite could be laid
        over this snapshot to that end, since the existence check would refuse it; so the questions alone are, and
        the rows that they find are read as rows of the snapshot from before, which holds them all.
        """
        job = self._ranked(self.plan(snapshot, _questions(before.judged)))
        row_of = {id_: row for row, id_ in enumerate(before.job.stage.snapshot.passages_for_retrieval().ids)}
        rows = np.array([row_of[id_] for id_ in snapshot.passages_for_retrieval().ids], np.int32)
        found = self._found(job.stage, before.job.queries)
        rankings, candidates = (replace(each, rows=rows[each.rows]) for each in found)
        return Measurement(before.job, rankings, candidates, self.score(before.judged, rankings, candidates))

    def score(self, judged: JudgedSet, rankings: Rankings, candidates: Rankings) -> Evaluation:
        """Score rankings and pools of the ranked queries, in their order."""
        return evaluate(
            judged,
            rankings,
            candidates,
            self.settings.k,
            self.settings.curve_within_depth(),
            self.settings.metrics,
        )

    def _ranked(self, plan: Plan) -> Job:
        look_up(plan, self._cache)
        # The bars of the engine's stages, several for each copy, would bury the one of the drill.
        with progress(False):
            rank(plan, self._cache, Workers(backend=HERE))
        [job] = plan.jobs
        if job.stage.error:
            raise Unrankable(job.stage.error)
        return job

    def _found(self, stage: Stage, queries: tuple[Query, ...]) -> tuple[Rankings, Rankings]:
        rankings, candidates = (
            stage.rankings(queries, self.settings.depth),
            stage.candidates(queries, self.settings.depth),
        )
        n = len(stage.snapshot.passages)
        if any(each.rows.max(initial=-1) >= n for each in (rankings, candidates)):
            raise Stale(f"the ranking names passages that are gone: snapshot {stage.snapshot.id} has {n}")
        return rankings, candidates


def _questions(judged: JudgedSet) -> Suite:
    """The same questions with nothing judged, in the same order."""
    queries = tuple(
        replace(query, grades={}, judgments=(), spans={}, answerable=False, lines={}) for query in judged.ranked
    )
    return replace(judged.suite, queries=queries, slices=(), snapshot=None, documents=None)


def doubled(rankings: Rankings) -> Rankings:
    """Every entry twice in a row, as no retriever should return them."""
    rows: NDArray[np.int32] = np.repeat(rankings.rows, 2)
    return Rankings(rankings.offsets * 2, rows, np.repeat(rankings.scores, 2))


def struck_out(rankings: Rankings, struck: NDArray[np.bool_]) -> Rankings:
    """The rankings less some passages; struck: bool [passages]."""
    kept = ~struck[rankings.rows]
    counts = np.bincount(rankings.query_numbers()[kept], minlength=len(rankings))
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Rankings(offsets, rankings.rows[kept], rankings.scores[kept])
