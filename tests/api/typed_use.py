"""The public surface as a typed program uses it: checked by mypy, never run."""

from typing import assert_type

import numpy as np
import pandas as pd

import runner

found = runner.sweep("retriever=bm25,hybrid", "k=1,3", log=False, n_jobs=2, progress=True)
assert_type(found, runner.SweepResult)
assert_type(found[0], runner.RunResult)
assert_type(found[1:], tuple[runner.RunResult, ...])
assert_type(found[0].metrics["recall"], float)
assert_type(found[0].run_id, str | None)
table: pd.DataFrame = found.table
for each in found.failures:
    assert_type(each, runner.FailedJob)

scores = runner.score({"q": {"a": 1.0}}, {"q": {"a": 1}}, metrics=["recall", "ndcg@5"], k=[1, 10])
assert_type(scores, runner.Scores)
runner.score({"q": ["a"]}, {"q": {"a"}}, metrics="mrr")
runner.score(np.array([[1, 2]]), [[1]])
runner.score("run.trec", "qrels.tsv")

assert_type(runner.run("k=5"), runner.RunResult)
assert_type(runner.rerun("id", "k=10").identical, bool)
assert_type(runner.compare(found[0], "id"), runner.Comparison)
assert_type(runner.gate(found[0], {"name": "mine", "rules": []}, baseline="id").blocked, bool)
assert_type(runner.choose(found), runner.Selection)
old, new = runner.build_snapshot("corpus.path=old"), runner.build_snapshot("corpus.path=new", name="new")
assert_type(old, runner.Snapshot)
assert_type(runner.diff(old, new.id, suites=[runner.load_suite("core")]), runner.Difference)

runner.sweep(1)  # type: ignore[arg-type]
runner.score({"q": ["a"]}, {"q": ["a"]}, k="ten")  # type: ignore[arg-type]
_ = runner.nothing  # type: ignore[attr-defined]
