"""Rankings do not depend on how many workers there are, of which kind, or how the work is cut for them."""

from pathlib import Path

import pytest
from engine_world import Node, Ran, World, bm25, double, hybrid, late, reranked, semantic, toy_model

from runner.engine import execute, pair_scoring
from runner.engine import indexing as leaves
from runner.errors import ConfigError


@pytest.fixture
def many(world: World) -> World:
    """Many passages of equal text, so that nearly every score is tied, and many questions."""
    words = ("refund", "days", "tokens", "region", "退款", "權杖", "區域", "webhooks")
    world.documents = {f"p{number:03d}.md": f"{words[number % 8]} {words[number // 8 % 8]}" for number in range(96)}
    world.documents |= {"empty.md": "", "p000 copy.md": world.documents["p000.md"]}
    world.queries = {
        f"q{number:02d}": (f"{words[number % 8]} {words[number * 3 % 8]} {number}", ["p000.md"]) for number in range(40)
    }
    return world


@pytest.fixture
def nodes(tmp_path: Path) -> list[Node]:
    model = toy_model(tmp_path / "model")
    both = hybrid(bm25(), semantic(model), pool=30)
    weighted = {**both, "fusion": {"_target_": "retrievers.fusion.Weighted", "normalize": "z"}}
    mixed = reranked(both, late(model), pool=25, mix={"reranker": 0.5, "bm25": 1.0, "semantic": 0.5})
    return [bm25(), bm25(method="bm25l"), semantic(model), both, weighted, mixed, double("Counting")]


def everything(ran: Ran) -> list[object]:
    assert ran.errors == [None] * len(ran.errors)
    return [ran.rankings(job) for job in range(len(ran.plan.jobs))]


@pytest.mark.parametrize(("n_jobs", "backend"), [(8, "loky"), (8, "threading"), (2, "loky"), (-1, "threading")])
def test_one_job_and_many_make_the_same_rankings_to_the_last_bit(
    many: World, nodes: list[Node], n_jobs: int, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = many.elsewhere("alone").sweep(*nodes)
    monkeypatch.setattr(execute, "_QUERIES_A_TASK", 11)
    together = many.sweep(*nodes, n_jobs=n_jobs, backend=backend)
    assert everything(together) == everything(alone)
    assert together.counts == alone.counts


@pytest.mark.parametrize("size", [1, 3, 7])
def test_the_size_of_a_task_changes_no_bit_of_a_ranking(
    many: World, nodes: list[Node], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = many.elsewhere("whole").sweep(*nodes)
    for module, name in ((leaves, "_TEXTS_A_TASK"), (execute, "_QUERIES_A_TASK"), (pair_scoring, "_RERANKED_A_TASK")):
        monkeypatch.setattr(module, name, size)
    assert everything(many.sweep(*nodes)) == everything(whole)


def test_a_question_asked_alone_has_the_ranking_it_has_among_others(many: World, nodes: list[Node]) -> None:
    among = many.elsewhere("among").sweep(*nodes)
    text = many.queries["q07"]
    many.queries = {"q07": text}
    alone = many.sweep(*nodes)
    for job in range(len(nodes)):
        assert alone.rankings(job)["q07"] == among.rankings(job)["q07"]


def test_equal_scores_are_in_order_of_passage_id(many: World, nodes: list[Node]) -> None:
    ran = many.sweep(*nodes, depth=100)
    for job in range(len(nodes)):
        for ranking in ran.rankings(job).values():
            assert ranking == sorted(ranking, key=lambda entry: (-entry[1], entry[0]))
    first = ran.rankings(0)["q00"]
    assert len({score for _, score in first}) < len(first), "no tie was put to the test"


def test_what_the_executor_makes_is_what_the_retriever_makes_by_itself(many: World, nodes: list[Node]) -> None:
    ran = many.sweep(*nodes)
    for number, job in enumerate(ran.plan.jobs):
        passages = job.stage.snapshot.passages_for_retrieval()
        found = job.stage.component.object.retrieve(passages, job.queries, 10)
        if isinstance(found, list):
            direct = found
        else:
            direct = [
                list(zip([passages.ids[row] for row in rows], scores.tolist(), strict=True))
                for rows, scores in map(found.one, range(len(job.queries)))
            ]
        assert list(ran.rankings(number).values()) == direct, job.name


def test_a_backend_that_joblib_does_not_know_is_refused(many: World) -> None:
    with pytest.raises(ConfigError, match=r"^hydra\.launcher\.backend=carrier pigeon: "):
        many.sweep(bm25(), n_jobs=2, backend="carrier pigeon")
