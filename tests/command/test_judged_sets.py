"""Marks and choices compare only runs of the same judged set, and a name or a number is what was asked for."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runner.composition.requests import compose_request
from runner.configuration.settings import Settings
from runner.engine.building import build
from runner.reports.sweep_table import Row, table_cells
from runner.reports.variants import judged_sets


def row(recall: float, judgments: str) -> Row:
    metrics = {"recall": recall, "n": 5.0}
    return Row("id", "bm25 k=5", "bm25", 5, "", "nf", "snapshot", "", metrics, "documents", judgments)


def stars(rows: list[Row]) -> list[bool]:
    return [any(text.startswith("0.") and best for text, best in cells) for cells in table_cells(rows, narrow=True)[1]]


def test_the_best_is_marked_among_runs_of_the_same_judgments() -> None:
    dev, test = row(0.9, "dev/document/1"), row(0.4, "test/document/1")
    assert stars([dev, test]) == [False, False]
    assert stars([dev, test, replace(test, metrics={"recall": 0.3, "n": 5.0})]) == [False, True, False]


def test_judged_sets_are_told_apart_by_revision_and_documents() -> None:
    def params(suite: str, revision: str, documents: str = "d" * 64) -> dict[str, str]:
        return {"suite": suite, "suite_revision": revision, "documents_sha256": documents}

    assert judged_sets([params("core", "1" * 16), params("facts", "2" * 16)]) == ["core", "facts"]
    assert judged_sets([params("nf", "1" * 16), params("nf", "2" * 16), params("core", "3" * 16)]) == [
        "nf@11111111",
        "nf@22222222",
        "core",
    ]
    same = [params("nf", "1" * 16, "a" * 64), params("nf", "1" * 16, "b" * 64)]
    assert judged_sets(same) == ["nf@aaaaaaaa", "nf@bbbbbbbb"]


@pytest.mark.parametrize("dataset", ["beir", "cases"])
def test_a_suite_bears_the_name_that_was_asked_for(tmp_path: Path, dataset: str) -> None:
    asked = [f"dataset={dataset}", f"dataset.path={tmp_path}", "retriever=bm25"]
    for name in ("other", "2026"):
        suite = compose_request([*asked, f"suite.name={name}"]).settings.suite
        assert build(suite, "suite").object.name == name
    assert build(compose_request(asked).settings.suite, "suite").object.name is None


def test_the_name_of_a_part_that_takes_one_belongs_to_it() -> None:
    node = {"_target_": f"{__name__}.Named", "name": "mine"}
    assert build(node).object.name == "mine"
    assert build(node).key != build({**node, "name": "yours"}).key


class Named:
    def __init__(self, name: str = "") -> None:
        self.name = name


def test_infinity_is_stored_as_it_is() -> None:
    settings: Any = compose_request(["retriever=bm25", "+retriever.most=1"]).settings
    node = {**settings.retriever, "most": math.inf}
    again = Settings.of_plain({**settings.model_dump(mode="json"), "retriever": node}).model_dump(mode="json")
    assert again["retriever"]["most"] == math.inf
    assert Settings.of_plain(again).retriever["most"] == math.inf
