"""Runs that differ in k alone are one variant, and no two variants share a name."""

from runner.reports.variants import variants_of


def of(*runs: tuple[str, dict[str, str]]) -> dict[str, dict[int, int]]:
    found = variants_of([name for name, _ in runs], [params for _, params in runs])
    return {variant.name: dict(variant.by_k) for variant in found}


def test_runs_are_grouped_by_everything_but_k_which_ascends() -> None:
    found = of(
        ("bm25 k=10", {"k": "10", "retriever": "bm25"}),
        ("reranked k=1 pool=20", {"k": "1", "retriever": "reranked", "pool": "20"}),
        ("bm25 k=1", {"k": "1", "retriever": "bm25"}),
        ("reranked k=1 pool=50", {"k": "1", "retriever": "reranked", "pool": "50"}),
    )
    assert found == {"bm25": {1: 2, 10: 0}, "reranked pool=20": {1: 1}, "reranked pool=50": {1: 3}}
    assert list(found["bm25"]) == [1, 10]


def test_variants_of_one_name_are_told_apart_by_what_differs() -> None:
    found = of(
        ("bm25 k=1", {"k": "1", "stage.bm25.k1": "0.9", "retriever_hash": "a", "same": "x"}),
        ("bm25 k=1", {"k": "1", "stage.bm25.k1": "1.5", "retriever_hash": "b", "same": "x"}),
    )
    assert list(found) == ["bm25 (bm25.k1=0.9)", "bm25 (bm25.k1=1.5)"]


def test_a_hash_tells_them_apart_where_nothing_else_does_and_a_missing_parameter_counts() -> None:
    hashes = of(("a k=1", {"k": "1", "retriever_hash": "a"}), ("a k=1", {"k": "1", "retriever_hash": "b"}))
    assert list(hashes) == ["a (retriever_hash=a)", "a (retriever_hash=b)"]
    missing = of(("a k=1", {"k": "1"}), ("a k=1", {"k": "1", "x": "檢索" * 40}))
    assert list(missing) == ["a (x=-)", f"a (x={('檢索' * 40)[:39]}…)"]


def test_a_number_that_only_begins_like_k_stays() -> None:
    assert list(of(("bm25 k=1 pool=10", {"k": "1"}))) == ["bm25 pool=10"]


def test_a_run_made_twice_counts_once_as_the_later() -> None:
    assert of(("a k=1", {"k": "1"}), ("a k=1", {"k": "1"})) == {"a": {1: 1}}
