"""The questions of a click log: its texts anonymised, those that are one question together, each with an id."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.click_log import ClickLog
from runner.annotation.candidates.existing_judgments import ExistingJudgments
from runner.rendering.progress import progress_bar
from runner.suites import JudgedQuery
from runner.suites.question_key import comparable


@dataclass(frozen=True)
class Question:
    """key: its normalized text. shown: the commonest of its texts, anonymised. texts: codes in the log.

    rules: those that changed any of its texts.
    """

    key: str
    shown: str
    texts: tuple[int, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """What suites hold. by_key: their questions by normalized text, without follow-ups. ids: all of their query ids."""

    by_key: Mapping[str, tuple[JudgedQuery, ExistingJudgments]]
    ids: frozenset[str]

    @classmethod
    def of(cls, judgments: Iterable[ExistingJudgments], rules: Rules) -> "Known":
        """Look through suites; where two hold one question, the first counts. A follow-up is none by itself.

        What users wrote is compared as the log's texts are: anonymised.
        """
        by_key: dict[str, tuple[JudgedQuery, ExistingJudgments]] = {}
        ids: set[str] = set()
        for each in judgments:
            for query in each.suite.queries:
                ids.add(query.id)
                if query.text and not query.history:
                    text = rules.apply(query.text).text if query.source == "click" else query.text
                    by_key.setdefault(comparable(text), (query, each))
        return cls(by_key, frozenset(ids))


def questions_of(log: ClickLog, rules: Rules) -> list[Question]:
    """The log's questions, in the order in which they first appear."""
    cleaned = [rules.apply(text) for text in progress_bar(log.values["query"], "anonymise")]
    by_key: dict[str, list[int]] = defaultdict(list)
    for code, each in enumerate(cleaned):
        by_key[comparable(each.text)].append(code)
    events = np.bincount(log.columns["query"], minlength=len(cleaned)).tolist()
    questions = []
    for key, codes in by_key.items():
        commonest = min(codes, key=lambda code: (-events[code], cleaned[code].text))
        applied = {name for code in codes for name in cleaned[code].rules}
        questions.append(
            Question(key, cleaned[commonest].text, tuple(codes), tuple(name for name in rules.names if name in applied))
        )
    return questions


def question_numbers(log: ClickLog, questions: Sequence[Question]) -> NDArray[np.int64]:
    """Which question each distinct text of the log is, int64 [texts]."""
    numbers = np.zeros(len(log.values["query"]), np.int64)
    for number, question in enumerate(questions):
        numbers[list(question.texts)] = number
    return numbers


def query_ids(
    log: ClickLog, questions: Sequence[Question], numbers: NDArray[np.int64], known: Known, rules: Rules
) -> list[str]:
    """The suite's id of a question that one holds, else the log's where the two stand for each other, else a hash.

    An id of the log in which a rule finds something is not used.
    """
    named, asked = _pairs(log, numbers)
    ids = []
    for number, question in enumerate(questions):
        if question.key in known.by_key:
            ids.append(known.by_key[question.key][0].id)
            continue
        id_ = f"click-{hashlib.sha256(question.key.encode()).hexdigest()[:12]}"
        if len(named[number]) == 1:
            (code,) = named[number]
            own = log.values["query_id"][code]
            if asked[code] == {number} and own not in known.ids and not rules.apply(own).rules:
                id_ = own
        ids.append(id_)
    return ids


def _pairs(log: ClickLog, numbers: NDArray[np.int64]) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """The codes of the log's ids by question, and the questions by code."""
    named: dict[int, set[int]] = defaultdict(set)
    asked: dict[int, set[int]] = defaultdict(set)
    if "query_id" in log.columns:
        both = np.stack([numbers[log.columns["query"]], log.columns["query_id"]], axis=1)
        for number, code in np.unique(both[both[:, 1] >= 0], axis=0).tolist():
            named[number].add(code)
            asked[code].add(number)
    return named, asked
