"""`python -m runner judgments candidates`: rank what is worth judging, from runs and click logs."""

import sys
from pathlib import Path
from typing import Any

from retrievers.digest import file_digest
from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.candidates.candidate_list import CandidateList, meta_path, ranked_list, write_candidates
from runner.annotation.candidates.click_log import read_clicks
from runner.annotation.candidates.clicked import Clicked, clicked_candidates
from runner.annotation.candidates.existing_judgments import ExistingJudgments
from runner.annotation.candidates.ranked_run import (
    RankedQuery,
    RankedRun,
    alike,
    failing_candidates,
    pooled_candidates,
    up_to_date,
)
from runner.cli.arguments import StoredRuns, others, setting
from runner.cli.command import Command
from runner.composition.requests import compose_request
from runner.configuration.settings import conf_choices
from runner.engine.inputs import ConfiguredInputs, snapshot_store
from runner.errors import ConfigError, InputError
from runner.files.scratch import scratch_folder
from runner.reports.candidates import print_candidates
from runner.snapshots import Snapshot
from runner.suite_formats.own import OwnSuite
from runner.suites import Suite
from runner.tracking.artifacts import PER_QUERY
from runner.tracking.location import StoreLocation
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker

_WORLD = ("suite", "suite_revision", "unit", "snapshot", "history")
_COLUMNS = ("query_id", "slices", "ranked", "first_relevant_rank", "lost_in")


_ORDER = """\
Order: the first of every kind of reason (failing, pooled, clicked), then the second of every kind, and so on; within
a kind the highest priority first. The priorities of different kinds cannot be compared. `judgments review
candidates=FILE.jsonl` asks in this order.
"""


class Asked(StoredRuns):
    """What the command takes."""

    clicks: Path | None = setting("a click log, one row an impression", None, metavar="FILE.csv")
    failures: str | None = setting("a run whose failing queries to look at", None, metavar="RUN_ID")
    pool: tuple[str, ...] | None = setting("runs whose first results to pool", None, metavar="RUN_ID,...", every=True)
    depth: int = setting("how far down a ranking to look", 10, least=1)
    most: int = setting("keep the first so many", 200, least=1)
    out: Path | None = setting("write them there, and FILE.meta.json beside", None, metavar="FILE.jsonl")
    rules: Path | None = setting("anonymising rules; default conf/anonymise/", None, metavar="FILE.yaml")
    suite: str | None = setting("what is judged by now: a name of conf/suite/ or the head of a suite", None)
    snapshot: str | None = setting("the snapshot whose passages a click log names", None, metavar="ID")
    overrides: tuple[str, ...] = others("dataset.NAME=VALUE: with suite=NAME, the documents that it judges", "dataset")


def run(asked: Asked) -> int:
    """Gather candidates from all sources named, rank, print and write them."""
    if not (asked.clicks or asked.failures or asked.pool):
        raise ConfigError("name a source: clicks=FILE.csv, failures=RUN_ID, pool=RUN_ID,RUN_ID, or several")
    place = asked.place()
    rules = Rules.read(asked.rules or conf_choices("anonymise")["default"])
    suite = _suite(asked)
    with scratch_folder("candidates") as folder:
        runs = _Runs(place.tracker(), place.store, folder, suite)
        found = _gather(asked, runs, rules, place)
    print_candidates(found, sys.stdout, asked.most)
    if asked.out:
        written = write_candidates(found, asked.out, asked.most)
        every = f"{len(found.candidates):,} (most={asked.most})"
        print(f"written {written:,} of {every}: {asked.out} and {meta_path(asked.out)}")
    return 0


def _gather(asked: Asked, runs: "_Runs", rules: Rules, place: StoreLocation) -> CandidateList:
    options = {"depth": asked.depth, "most": asked.most}
    if asked.snapshot and not asked.clicks:
        raise ConfigError("snapshot= says which passages a click log means; a run names its own, so leave it out")
    candidates: list[JudgmentCandidate] = []
    notes = [f"rule {name!r} may take very long on some texts" for name in rules.slow]
    if asked.failures:
        failing = runs.load(asked.failures)
        failing.refuse_shallow(asked.depth)
        candidates += failing_candidates(failing, asked.depth)
    if asked.pool is not None:
        pooled = [runs.load(run_id) for run_id in asked.pool]
        candidates += pooled_candidates(pooled, asked.depth)
        notes += alike(pooled)
    inputs = runs.inputs()
    if not asked.clicks:
        return CandidateList(ranked_list(candidates, rules), inputs, rules, options, notes=notes)
    snapshot = _snapshot(asked.snapshot, place.store) if asked.snapshot else None
    clicked = _clicked(asked.clicks, rules, runs, snapshot)
    inputs.append({"kind": "clicks", "path": str(asked.clicks), "sha256": file_digest(asked.clicks)})
    if snapshot:
        inputs.append({"kind": "snapshot", "id": snapshot.id})
    bias = clicked.bias
    by_rank = [
        {"rank": rank, "impressions": shown, "clicks": clicks, "ctr": round(clicks / shown, 6)}
        for rank, shown, clicks in zip(
            bias.ranks.tolist(), bias.impressions.tolist(), bias.clicks.tolist(), strict=True
        )
    ]
    every = ranked_list([*candidates, *clicked.candidates], rules)
    return CandidateList(every, inputs, rules, options, clicked.counts, by_rank, [*notes, *clicked.notes])


def _clicked(path: Path, rules: Rules, runs: "_Runs", snapshot: Snapshot | None) -> Clicked:
    log = read_clicks(path)
    judgments = [*([ExistingJudgments(runs.suite, snapshot)] if runs.suite else []), *runs.judgments()]
    existing = set(snapshot.units("passage")) if snapshot else None
    return clicked_candidates(log, rules, judgments, existing, snapshot.id if snapshot else None)


def _snapshot(wanted: str, store: str) -> Snapshot:
    kept = snapshot_store(store)
    return kept.load(kept.find(wanted))


def _suite(asked: Asked) -> Suite | None:
    named = bool(asked.suite) and not str(asked.suite).endswith((".yaml", ".yml"))
    if asked.overrides and not named:
        raise ConfigError(f"{asked.overrides[0]}: says where a suite of conf/suite/ is from; name it with suite=NAME")
    if asked.suite is None:
        return None
    if not named:
        return OwnSuite(asked.suite).read()
    return ConfiguredInputs().suite(compose_request([f"suite={asked.suite}", *asked.overrides]).settings)


class _Runs:
    """Fetches stored runs, each once, with what is judged by now where a suite says so."""

    def __init__(self, tracker: Tracker, store: str, folder: Path, suite: Suite | None) -> None:
        self.tracker, self.store, self.folder, self.suite = tracker, store, folder, suite
        self._loaded: dict[str, tuple[StoredRun, RankedRun]] = {}

    def load(self, run_id: str) -> RankedRun:
        """Fetch a run. Raises InputError for one that is unknown, unfinished or has other files than it should."""
        if run_id not in self._loaded:
            stored = StoredRun.fetch(self.tracker, run_id, self.folder / str(len(self._loaded)))
            self._loaded[run_id] = stored, self._ranked(stored)
        return self._loaded[run_id][1]

    def _ranked(self, stored: StoredRun) -> RankedRun:
        suite = up_to_date(stored.suite(), self.suite)
        snapshot = stored.snapshot(self.tracker, self.store) if suite.unit != "passage" else None
        by_id = {query.id: query for query in suite.queries}
        rows = stored.per_query(_COLUMNS).select(_COLUMNS).to_pylist()
        strange = [row["query_id"] for row in rows if row["query_id"] not in by_id]
        if strange:
            raise InputError(
                f"{stored.whose}: {PER_QUERY} names {strange[0]!r}, a query that its suite lacks; restore it"
            )
        queries = tuple(
            RankedQuery(
                by_id[row["query_id"]],
                tuple(row["ranked"]),
                tuple(row["slices"]),
                row["lost_in"],
                row["first_relevant_rank"],
            )
            for row in rows
        )
        params = stored.params
        world = {field: params.get(field, "") for field in _WORLD}
        return RankedRun(
            stored.id,
            stored.name,
            world,
            int(params["k"]),
            int(params["depth"]),
            queries,
            ExistingJudgments(suite, snapshot),
        )

    def judgments(self) -> list[ExistingJudgments]:
        """Those of the suites of all runs loaded so far."""
        return [run.judgments for _, run in self._loaded.values()]

    def inputs(self) -> list[dict[str, Any]]:
        """What was read, for the summary."""
        named = [{"kind": "suite", "name": self.suite.name, "revision": self.suite.revision}] if self.suite else []
        return named + [
            {"kind": "run", "id": stored.id, **run.world, "per_query_sha256": file_digest(stored.folder / PER_QUERY)}
            for stored, run in self._loaded.values()
        ]


main = Command(
    "judgments candidates",
    Asked,
    run,
    example="failures=3f2a9c pool=3f2a9c,81bd07 clicks=events.csv out=candidates.jsonl",
    notes=_ORDER,
)

if __name__ == "__main__":
    main()
