"""Scored runs made by hand: for each query the ranks at which its relevant items stand, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runner.composition.policy_files import policy_of
from runner.decisions.run_scores import RunScores
from runner.rules.policy import Policy
from runner.scoring.judgments import Judgments
from runner.scoring.relevance import Relevance
from runner.scoring.slices import Slices
from runner.tracking.stored_run import StoredRun

PARAMS = {
    "retriever": "bm25",
    "k": "5",
    "depth": "10",
    "suite": "core",
    "suite_revision": "rev1",
    "suite_role": "regression",
    "unit": "passage",
    "min_grade": "1",
    "metrics_version": "1",
    "snapshot": "snap1",
    "documents_sha256": "docs1",
}
DEPTH = 10


@dataclass(frozen=True)
class Asked:
    """One query: ranks of the relevant items that were found, how many there are, and what it belongs to."""

    ranks: Sequence[int] = (1,)
    relevant: int = 1
    slices: Sequence[str] = ()
    source: str = "human"
    settled: bool = True
    text: str = ""
    id: str = ""
    in_pool: float | None = None


def found(*slices: str, **changes: Any) -> Asked:
    """A query whose only relevant item stands first."""
    return Asked((1,), slices=slices, **changes)


def lost(*slices: str, **changes: Any) -> Asked:
    """A query whose only relevant item is nowhere in the ranking."""
    return Asked((), slices=slices, **changes)


def stored(run_id: str = "run-a", tags: Mapping[str, str] | None = None, folder: Path = Path(), **params: str) -> Any:
    """A stored run of these parameters; the rest is plain."""
    return StoredRun(run_id, f"name of {run_id}", "0", {**PARAMS, **params}, {}, tags or {}, folder)


def scores(asked: Sequence[Asked], run: StoredRun | None = None) -> RunScores:
    """The scores of these queries, named q000, q001 ... where they have no id of their own."""
    number = len(asked)
    judgments = Judgments.of([dict.fromkeys(range(each.relevant), 1) for each in asked], 10, 1)
    gains = np.zeros((number, DEPTH), np.int64)
    for row, each in enumerate(asked):
        gains[row, np.array(each.ranks, np.int64) - 1] = 1
    length = np.full(number, DEPTH, np.int64)
    names = tuple(sorted({name for each in asked for name in each.slices}))
    members = np.array([[name in each.slices for each in asked] for name in names], np.bool_).reshape(-1, number)
    pool = [len(each.ranks) / each.relevant if each.in_pool is None else each.in_pool for each in asked]
    return RunScores(
        run or stored(),
        tuple(each.id or f"q{row:03}" for row, each in enumerate(asked)),
        tuple(each.text or f"text {row}" for row, each in enumerate(asked)),
        tuple(each.source for each in asked),
        np.array([each.settled for each in asked], np.bool_),
        [[f"p{rank}" for rank in range(DEPTH)]] * number,
        Relevance(judgments, gains, gains > 0, length, pool_recall=np.array(pool, np.float64)),
        Slices(names, members),
    )


def rule(name: str = "recall holds", **values: Any) -> dict[str, Any]:
    """The values of a rule on recall; give it `min` or `max_drop`."""
    return {"name": name, "metric": "recall", **values}


def policy(*rules: Mapping[str, Any], **values: Any) -> Policy:
    """A policy of these rules that resamples little, to be quick."""
    return policy_of({"name": "by hand", "resamples": 500, **values, "rules": list(rules)}, "policy.yaml")
