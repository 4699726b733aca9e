"""Runs that differ in k alone are one variant, and no two variants share a name."""

from runner.reports.variants import variants_of


def of(*params: dict[str, str], variant: str = "") -> dict[str, dict[int, int]]:
    found = variants_of(params, [variant] * len(params))
    return {variant.name: dict(variant.by_k) for variant in found}


def test_runs_are_grouped_by_everything_but_k_which_ascends() -> None:
    found = of(
        {"k": "10", "retriever": "bm25"},
        {"k": "1", "retriever": "reranked", "pool": "20"},
        {"k": "1", "retriever": "bm25"},
        {"k": "1", "retriever": "reranked", "pool": "50"},
    )
    assert list(found.values()) == [{1: 2, 10: 0}, {1: 1}, {1: 3}]
    assert list(found) == ["bm25", "reranked pool=20", "reranked pool=50"]
    assert list(found["bm25"]) == [1, 10]


def test_variants_of_one_name_are_told_apart_by_what_differs() -> None:
    found = of(
        {"k": "1", "retriever": "bm25", "stage.bm25.k1": "0.9", "retriever_hash": "a", "same": "x"},
        {"k": "1", "retriever": "bm25", "stage.bm25.k1": "1.5", "retriever_hash": "b", "same": "x"},
    )
    assert list(found) == ["bm25 (bm25.k1=0.9)", "bm25 (bm25.k1=1.5)"]


def test_a_hash_tells_them_apart_where_nothing_else_does_and_a_missing_parameter_counts() -> None:
    run = {"k": "1", "retriever": "a"}
    hashes = of({**run, "retriever_hash": "a"}, {**run, "retriever_hash": "b"})
    assert list(hashes) == ["a (retriever_hash=a)", "a (retriever_hash=b)"]
    missing = of(run, {**run, "x": "檢索" * 40})
    assert list(missing) == ["a (x=-)", f"a (x={('檢索' * 40)[:39]}…)"]


def test_a_run_made_twice_counts_once_as_the_later() -> None:
    run = {"k": "1", "retriever": "a"}
    assert of(run, run) == {"a": {1: 1}}
