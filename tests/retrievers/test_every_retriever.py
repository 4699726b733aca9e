"""The same edges for every retriever."""

import pickle
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from retrievers.analyzer import Analyzer
from retrievers.base import Passages, Query, Rankings, Retriever
from retrievers.bm25 import BM25
from retrievers.embedders.wordllama import WordLlama
from retrievers.fusion import Weighted
from retrievers.hybrid import Hybrid
from retrievers.ranked import ranked
from retrievers.reranked import Reranked
from retrievers.rerankers.late_interaction import LateInteraction
from retrievers.semantic import Semantic
from runner.composition.requests import compose_request
from runner.configuration.settings import conf_directory
from runner.engine.building import build

Make = Callable[..., Passages]
Ask = Callable[..., list[Query]]


@dataclass(frozen=True)
class CommonLetters:
    """A retriever as a user would write it, with the one method alone."""

    def retrieve(
        self, passages: Passages, queries: Sequence[Query], depth: int
    ) -> Sequence[Iterable[tuple[str, float]]]:
        return [
            [
                (id_, float(shared))
                for id_, text in zip(passages.ids, passages.texts, strict=True)
                if (shared := len(set(_letters(query.text)) & set(_letters(text))))
            ]
            for query in queries
        ]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text.lower())))


BY_WORDS, BY_MEANING = BM25(Analyzer()), Semantic(WordLlama())
LATE = LateInteraction(WordLlama())
PARTS: dict[str, Retriever] = {"bm25": BY_WORDS, "semantic": BY_MEANING}
VARIANTS: dict[str, Retriever] = {
    "bm25 in words": BM25(Analyzer(chinese="words"), method="bm25+"),
    "hybrid by score": Hybrid(PARTS, Weighted({"bm25": 1.0, "semantic": 0.3})),
    "hybrid by z": Hybrid({**PARTS, "own": CommonLetters()}, Weighted(normalize="z"), pool=3),
    "reranked alone": Reranked(BY_WORDS, LATE),
    "your own": CommonLetters(),
}
# What the file of a choice leaves to whoever chooses it; a ranking from a file has tests of its own.
LEFT_OPEN = {"recorded"}
CHOICES = sorted({path.stem for path in (conf_directory() / "retriever").glob("*.yaml")} - LEFT_OPEN)


@cache
def made(name: str) -> Retriever:
    """A variant from above, or a choice of conf/ as it is."""
    if name in VARIANTS:
        return VARIANTS[name]
    retriever: Retriever = build(compose_request([f"retriever={name}"]).settings.retriever, "retriever").object
    return retriever


TEXTS = (
    "The traffic dropped and the alert fired at 03:00",
    "流量異常下降並觸發警報",
    "",
    "Restart the pool when the server returns HTTP 429",
    "伺服器 server 回傳 429 時重啟 pool",
    "Résumé of the café incident",
    "   ",
    "Restart the pool when the server returns HTTP 429",
)
QUESTIONS = ("restart server 429", "流量警報", "重啟 server pool", "café résumé", "", "zzqx", "alert", "!?", "the")


@pytest.fixture(params=[*CHOICES, *VARIANTS], ids=lambda name: name.replace(" ", "-"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def retriever(name: str) -> Retriever:
    return made(name)


def check(found: Rankings, queries: Sequence[Query], passages: Passages, depth: int) -> None:
    """What holds for every ranking: canonical order, no row twice, finite scores, rows of the corpus."""
    assert len(found) == len(queries)
    for number in range(len(found)):
        rows, scores = found.one(number)
        assert len(rows) <= depth and len(set(rows.tolist())) == len(rows)
        assert np.isfinite(scores).all()
        assert all(0 <= row < len(passages) for row in rows)
        order = list(zip((-scores).tolist(), rows.tolist(), strict=True))
        assert order == sorted(order)


@pytest.mark.parametrize("depth", [1, 3, 1000])
@pytest.mark.parametrize("count", [0, 1, 2, len(TEXTS)])
def test_rankings_are_canonical_at_any_size(
    count: int, depth: int, retriever: Retriever, make_passages: Make, make_queries: Ask
) -> None:
    passages, queries = make_passages(*TEXTS[:count]), make_queries(*QUESTIONS)
    check(ranked(retriever, passages, queries, depth), queries, passages, depth)


def test_an_empty_corpus_ranks_nothing(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    assert len(ranked(retriever, make_passages(), make_queries(*QUESTIONS), 10).rows) == 0


def test_no_queries_have_no_rankings(retriever: Retriever, make_passages: Make) -> None:
    found = ranked(retriever, make_passages(*TEXTS), [], 10)
    assert len(found) == 0 and len(found.rows) == 0


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_query_ranks_nothing(text: str, retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    assert len(ranked(retriever, make_passages(*TEXTS), make_queries(text), 10).rows) == 0


@pytest.mark.parametrize("of", ["bm25", "bm25 in words", "reranked alone"])
def test_a_query_without_a_known_term_ranks_nothing_by_words(of: str, make_passages: Make, make_queries: Ask) -> None:
    found = ranked(made(of), make_passages(*TEXTS), make_queries("zzqx", "的", "!?", "alert"), 10)
    assert np.diff(found.offsets).tolist() == [0, 0, 0, 1]


def test_empty_passages_are_never_found(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    found = ranked(retriever, make_passages(*TEXTS), make_queries(*QUESTIONS), 1000)
    assert not {2, 6} & set(found.rows.tolist())


def test_a_corpus_of_empty_passages_ranks_nothing(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    assert len(ranked(retriever, make_passages("", " ", "\n"), make_queries(*QUESTIONS), 10).rows) == 0


@pytest.mark.parametrize(("question", "row"), [("流量警報", 1), ("重啟 server pool", 4)])
def test_chinese_and_mixed_questions_find_their_passage(
    question: str, row: int, name: str, retriever: Retriever, make_passages: Make, make_queries: Ask
) -> None:
    rows = ranked(retriever, make_passages(*TEXTS), make_queries(question), 10).rows.tolist()
    assert row in rows[:3], name


def test_composed_and_decomposed_forms_rank_alike(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    forms = [unicodedata.normalize(form, "café résumé") for form in ("NFC", "NFD")]
    composed, decomposed = (
        make_passages(*(unicodedata.normalize(form, text) for text in TEXTS)) for form in ("NFC", "NFD")
    )
    expected = ranked(retriever, composed, make_queries(forms[0]), 10)
    assert expected.rows[0] == 5
    for passages in (composed, decomposed):
        found = ranked(retriever, passages, make_queries(*forms), 10)
        assert found.one(0)[0].tolist() == found.one(1)[0].tolist() == expected.rows.tolist()


def test_equal_texts_go_by_id(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    passages = make_passages(*["restart the server pool"] * 4, "restart the server", "tax law")
    for depth in (1, 2, 3, 10):
        rows = ranked(retriever, passages, make_queries("server pool restart"), depth).rows.tolist()
        twins = [row for row in rows if row < 4]
        assert twins == sorted(twins) and twins[0] == 0


def test_one_query_at_a_time_is_all_at_once(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    passages, queries = make_passages(*TEXTS), make_queries(*QUESTIONS)
    together = ranked(retriever, passages, queries, 10)
    backwards = ranked(retriever, passages, queries[::-1], 10)
    for number, query in enumerate(queries):
        alone = ranked(retriever, passages, [query], 10)
        for rows, scores in (together.one(number), backwards.one(len(queries) - 1 - number)):
            assert rows.tobytes() == alone.rows.tobytes() and scores.tobytes() == alone.scores.tobytes()


def test_shallow_is_the_start_of_deep(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    generator = np.random.default_rng(11)
    words = ["server", "pool", "restart", "alert", "traffic", "流量", "警報", "重啟", "café", "tax", "law", "river"]
    passages = make_passages(*(" ".join(generator.choice(words, 3)) for _ in range(200)))
    queries = make_queries("restart server", "流量警報", "tax law river café")
    deep = ranked(retriever, passages, queries, 1000)
    for depth in (1, 10, 40):
        shallow, expected = ranked(retriever, passages, queries, depth), deep.cut(depth)
        assert shallow.rows.tobytes() == expected.rows.tobytes()
        assert shallow.scores.tobytes() == expected.scores.tobytes()


def test_a_query_as_long_as_a_book_is_ranked(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    queries = make_queries("restart the server pool after HTTP 429 流量異常 " * 2000)
    passages = make_passages(*TEXTS)
    found = ranked(retriever, passages, queries, 10)
    check(found, queries, passages, 10)
    assert len(found.rows) > 0


def test_a_pickled_copy_ranks_the_same(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    passages, queries = make_passages(*TEXTS), make_queries(*QUESTIONS)
    before = ranked(retriever, passages, queries, 10)
    after = ranked(pickle.loads(pickle.dumps(retriever)), passages, queries, 10)
    assert before.rows.tobytes() == after.rows.tobytes() and before.scores.tobytes() == after.scores.tobytes()


def test_eight_threads_rank_as_one(retriever: Retriever, make_passages: Make, make_queries: Ask) -> None:
    from joblib import Parallel, delayed

    passages, queries = make_passages(*TEXTS), make_queries(*QUESTIONS)
    expected = ranked(retriever, passages, queries, 10)
    parts = Parallel(8, backend="threading")(delayed(ranked)(retriever, passages, [query], 10) for query in queries)
    found = Rankings.concatenate(parts)
    assert found.rows.tobytes() == expected.rows.tobytes() and found.scores.tobytes() == expected.scores.tobytes()
