"""`python -m runner.judgments candidates`: rank what is worth judging, from runs and click logs."""

import argparse
import sys
from collections.abc import Sequence
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
from runner.composition.requests import compose_request
from runner.configuration.settings import conf_directory
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

HELP = "rank what is worth judging next: failing queries, unjudged passages, clicks; it judges nothing itself"
_WORLD = ("suite", "suite_revision", "unit", "snapshot", "history")
_COLUMNS = ("query_id", "slices", "ranked", "first_relevant_rank", "lost_in")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sources and the options."""
    parser.epilog = (
        "Order: the first of every kind of reason (failing, pooled, clicked), then the second of every kind, and so "
        "on; within a kind the highest priority first. The priorities of different kinds cannot be compared. "
        "`review --candidates` asks in this order."
    )
    parser.add_argument(
        "overrides", nargs="*", help="store=... or tracking.uri=...; with --suite NAME also dataset=..."
    )
    parser.add_argument("--clicks", type=Path, metavar="FILE.csv", help="a click log, one row an impression")
    parser.add_argument("--failures", metavar="RUN_ID", help="a run whose failing queries to look at")
    parser.add_argument("--pool", nargs="+", metavar="RUN_ID", help="runs whose first results to pool")
    parser.add_argument("--depth", type=int, default=10, help="how far down a ranking to look (default 10)")
    parser.add_argument("--most", type=int, default=200, help="keep the first so many (default 200)")
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl", help="write them there, and FILE.meta.json beside")
    parser.add_argument("--rules", type=Path, metavar="FILE.yaml", help="anonymising rules (default conf/anonymise/)")
    parser.add_argument("--suite", help="what is judged by now: a name of conf/suite/ or the head of a suite")
    parser.add_argument("--snapshot", metavar="ID", help="the snapshot whose passages a click log names")


def run(parsed: argparse.Namespace) -> int:
    """Gather candidates from all sources named, rank, print and write them."""
    if not (parsed.clicks or parsed.failures or parsed.pool):
        raise ConfigError("name a source: --clicks FILE.csv, --failures RUN_ID, --pool RUN_ID RUN_ID, or several")
    for name in ("depth", "most"):
        if getattr(parsed, name) < 1:
            raise ConfigError(f"--{name} must be at least 1, found {getattr(parsed, name)}")
    # --pool takes every word after it, so overrides may stand among the run ids.
    pool = [each for each in parsed.pool or [] if "=" not in each]
    place = StoreLocation.of([*parsed.overrides, *(each for each in parsed.pool or [] if "=" in each)])
    rules = Rules.read(parsed.rules or conf_directory() / "anonymise" / "default.yaml")
    suite = _suite(parsed.suite, place)
    with scratch_folder("candidates") as folder:
        runs = _Runs(place.tracker(), place.store, folder, suite)
        found = _gather(parsed, pool, runs, rules, place)
    print_candidates(found, sys.stdout, parsed.most)
    if parsed.out:
        written = write_candidates(found, parsed.out, parsed.most)
        every = f"{len(found.candidates):,} (--most {parsed.most})"
        print(f"written {written:,} of {every}: {parsed.out} and {meta_path(parsed.out)}")
    return 0


def _gather(
    parsed: argparse.Namespace, pool: Sequence[str], runs: "_Runs", rules: Rules, place: StoreLocation
) -> CandidateList:
    options = {"depth": parsed.depth, "most": parsed.most}
    if parsed.snapshot and not parsed.clicks:
        raise ConfigError("--snapshot says which passages a click log means; a run names its own, so leave it out")
    candidates: list[JudgmentCandidate] = []
    notes = [f"rule {name!r} may take very long on some texts" for name in rules.slow]
    if parsed.failures:
        failing = runs.load(parsed.failures)
        failing.refuse_shallow(parsed.depth)
        candidates += failing_candidates(failing, parsed.depth)
    if parsed.pool is not None:
        pooled = [runs.load(run_id) for run_id in pool]
        candidates += pooled_candidates(pooled, parsed.depth)
        notes += alike(pooled)
    inputs = runs.inputs()
    if not parsed.clicks:
        return CandidateList(ranked_list(candidates, rules), inputs, rules, options, notes=notes)
    snapshot = _snapshot(parsed.snapshot, place.store) if parsed.snapshot else None
    clicked = _clicked(parsed.clicks, rules, runs, snapshot)
    inputs.append({"kind": "clicks", "path": str(parsed.clicks), "sha256": file_digest(parsed.clicks)})
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


def _suite(name: str | None, place: StoreLocation) -> Suite | None:
    if name is None:
        place.refuse_rest()
        return None
    if name.endswith((".yaml", ".yml")):
        place.refuse_rest()
        return OwnSuite(name).read()
    return ConfiguredInputs().suite(compose_request([f"suite={name}", *place.rest]).settings)


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
