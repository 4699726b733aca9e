"""What people call a run."""

from runner.engine.run_name import run_name


def test_a_run_is_named_after_its_retriever_its_k_and_what_tells_it_from_others() -> None:
    assert run_name("bm25", 5) == "bm25 k=5"
    assert run_name("reranked", 5, 50) == "reranked k=5 pool=50"
    assert run_name("hybrid", 5, "", "fusion.k=10") == "hybrid k=5 fusion.k=10"


def test_the_runs_that_differ_in_k_alone_have_one_name_together() -> None:
    assert run_name("reranked", None, 50) == "reranked pool=50"
