"""A baseline counts for the documents it was made on: two datasets may share a suite's name and an experiment."""

import pytest
from decide_office import Office
from engine_world import bm25

from runner.decisions.baseline import accept, same_dataset
from runner.rules.bounds import Bounds
from runner.rules.policy import Policy
from runner.workflows.gate_run import gate_run

POLICY = Policy(name="floor", rules=(Bounds(name="all", metric="recall", k=3, min=0.1, max_drop=0.5, min_queries=1),))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("docs-3f2a9c", "docs-3f2a9c", True),
        ("docs", "docs-3f2a9c", True),  # an earlier version took the folder's name alone
        ("docs-aaaaaa", "docs-bbbbbb", False),
        ("docs", "doc-3f2a9c", False),
        ("demo", "manual", False),
    ],
)
def test_datasets_are_the_same_by_name(one: str, other: str, same: bool) -> None:
    for first, second in ((one, other), (other, one)):
        assert same_dataset({"dataset": first}, {"dataset": second}) is same


def test_the_baseline_of_other_documents_is_not_taken(office: Office) -> None:
    def logged(dataset: str) -> str:
        return office.go(bm25(), dataset={"name": dataset}).rows[0].run_id

    accepted = logged("docs-aaaaaa")
    accept(office.tracker, office.client.get_run(accepted), "")
    other, same = logged("docs-bbbbbb"), logged("docs-aaaaaa")
    foreign = gate_run(office.tracker, other, POLICY, str(office.store))
    assert foreign.baseline is None
    assert any("of the dataset docs-bbbbbb" in note for note in foreign.notes)
    own = gate_run(office.tracker, same, POLICY, str(office.store))
    assert own.baseline is not None and own.baseline.run.id == accepted
