"""Rankings written as words of one-letter ids, and suites laid over snapshots of one-letter documents."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from retrievers.base import Passages, Rankings
from runner.documents.document import Document
from runner.scoring.evaluate import JudgedSet
from runner.scoring.judgments import Judgments
from runner.scoring.relevance import Relevance
from runner.scoring.slices import Freshness
from runner.snapshots import Passage, Snapshot
from runner.suites import JudgedQuery, Suite

LETTERS = "ABCDEFGH"


@pytest.fixture
def rank() -> Callable[..., Rankings]:
    """Make one ranking a word: its letters are passages A to H from best to worst, each one point below the last."""
    passages = Passages(tuple(LETTERS), tuple(LETTERS), ("",) * len(LETTERS))

    def make(*words: str, depth: int = 100) -> Rankings:
        lists = [[(letter, float(-place)) for place, letter in enumerate(word)] for word in words]
        return Rankings.from_lists(lists, passages, depth)

    return make


@pytest.fixture
def look_up(rank: Callable[..., Rankings]) -> Callable[..., Relevance]:
    """Look the rankings up in the judgments: one word and one mapping of letter to grade a query."""

    def make(words: Sequence[str], graded: Sequence[Mapping[str, int]], min_grade: int = 1) -> Relevance:
        numbered = [{LETTERS.index(letter): grade for letter, grade in grades.items()} for grades in graded]
        judgments = Judgments.of(numbered, len(LETTERS), min_grade)
        return Relevance.of(rank(*words), np.arange(len(LETTERS)), judgments)

    return make


@pytest.fixture
def snapshot() -> Snapshot:
    """Make documents a.md, b.md, c.md and d.md; passages A and B are of the first, C and D of the second and so on."""
    documents = tuple(
        Document(f"{letter}.md", "", "12", {"updated": f"2026-0{n}-01"}) for n, letter in enumerate("abcd", 1)
    )
    passages = tuple(
        Passage(LETTERS[2 * n + half], document.id, half, half + 1, "")
        for n, document in enumerate(documents)
        for half in (0, 1)
    )
    return Snapshot("0123456789abcdef", documents, passages, {})


@pytest.fixture
def lay(snapshot: Snapshot) -> Callable[..., JudgedSet]:
    """Lay queries over the snapshot: each is a word of relevant letters, or a mapping to grades, and maybe fields."""

    def make(
        *queries: Any,
        unit: str = "passage",
        slices: Sequence[str] = (),
        min_grade: int = 1,
        freshness: Freshness | None = None,
    ) -> JudgedSet:
        made = []
        for number, query in enumerate(queries):
            relevant, fields = query if isinstance(query, tuple) else (query, {})
            grades = dict.fromkeys(relevant, min_grade) if isinstance(relevant, str) else dict(relevant)
            answerable, judged = bool(grades), not fields.get("unjudged", False)
            made.append(JudgedQuery(f"q{number}", "how many?", grades, fields, answerable, judged))
        suite = Suite("core", "development", unit, tuple(made), None, tuple(slices), min_grade)
        return JudgedSet.of(suite, snapshot, freshness)

    return make
