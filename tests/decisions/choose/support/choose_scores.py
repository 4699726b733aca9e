"""Runs made by hand: each query has one relevant item, at a rank that is told."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runner.decisions.run_scores import RunScores
from runner.decisions.smallest_k import VariantScores
from runner.rules.policy import Policy
from runner.scoring.judgments import Judgments
from runner.scoring.relevance import Relevance
from runner.scoring.slices import Slices
from runner.tracking.stored_run import StoredRun

DEPTH = 20
KS = (1, 3, 5, 10)


def scores(ranks: Sequence[int], slices: Mapping[str, Sequence[int]] | None = None, **params: str) -> RunScores:
    """A run whose query i has its relevant item at ranks[i], nowhere for 0; slices hold query numbers."""
    n, named = len(ranks), slices or {}
    gains = np.zeros((n, DEPTH), np.int64)
    for number, rank in enumerate(ranks):
        if rank:
            gains[number, rank - 1] = 1
    members = np.zeros((len(named), n), np.bool_)
    for row, numbers in enumerate(named.values()):
        members[row, list(numbers)] = True
    plain = {
        "suite": "core",
        "suite_revision": "r1",
        "unit": "passage",
        "min_grade": "1",
        "metrics_version": "1",
        "depth": str(DEPTH),
        "k": "5",
    }
    run = StoredRun("id", "bm25 k=5", "1", {**plain, **params}, {}, {}, Path())
    judgments = Judgments.of([{0: 1}] * n, 1)
    pool_recall = (gains.sum(axis=1) > 0).astype(np.float64)
    relevance = Relevance(judgments, gains, gains > 0, np.full(n, DEPTH), pool_recall=pool_recall)
    ids = tuple(f"q{number:03}" for number in range(n))
    return RunScores(
        run,
        ids,
        ids,
        ("human",) * n,
        np.ones(n, np.bool_),
        [()] * n,
        relevance,
        Slices(tuple(named), members),
    )


def variant(
    run: RunScores, name: str = "bm25", *, latency: float | None = 2.0, pairs: float = 0.0, ks: Sequence[int] = KS
) -> VariantScores:
    """A variant whose context is 100 tokens a passage."""
    timed = {} if latency is None else {"latency_p95_ms": latency}
    return VariantScores(name, run, {k: {"context_tokens": 100.0 * k, "reranked_pairs": pairs, **timed} for k in ks})


def policy(*rules: Mapping[str, Any], **values: Any) -> Policy:
    """A policy of these rules; what is not said is plain."""
    return Policy.model_validate({"name": "release", "resamples": 500, "rules": list(rules), **values})


def floor(group: str = "all", least: float = 0.5, **values: Any) -> dict[str, Any]:
    """A blocking floor for recall."""
    return {"name": f"floor of {group}", "metric": "recall", "slice": group, "min": least, **values}
