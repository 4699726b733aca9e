"""Whether a holdout suite is one: no question of it may stand in a suite that was tuned on."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from runner.suites.query import JudgedQuery
from runner.suites.question_key import question_key, question_keys
from runner.suites.suite import Suite

HOLDOUT = "holdout"
ID, TEXT = "id", "text"
_LONGEST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Leak:
    """A query of a holdout suite that is known from another one.

    suite: the other's name. other_id: the query's id there. matched: by what they are the same, `id`, `text` or both.
    where: the other's file, or in which dataset it was scored since when. words: how the other is worded where that is
    known, and known to be otherwise. recorded: whether only a store's record knows it.
    """

    query_id: str
    suite: str
    other_id: str
    matched: tuple[str, ...]
    where: str = ""
    words: str = ""
    recorded: bool = False

    def __str__(self) -> str:
        where = f" ({self.where})" if self.where else ""
        return f"query {self.query_id!r} is query {self.other_id!r} of suite {self.suite!r}{where}: {self.same}"

    @property
    def id_alone(self) -> bool:
        """Whether the words do not say that it is the same question."""
        return self.matched == (ID,)

    @property
    def same(self) -> str:
        """By what it is the same."""
        words = self.words if len(self.words) <= _LONGEST_WORDS else f"{self.words[: _LONGEST_WORDS - 1]}…"
        return f"same {' and '.join(self.matched)}{f', other words: {words!r}' if self.id_alone and words else ''}"


def holdout_leaks(suite: Suite, others: Iterable[Suite], *, by_id: bool = True) -> tuple[Leak, ...]:
    """Every query of a holdout suite that a development or regression suite holds too, in order of ids.

    Questions are the same by their words (`question_keys`, earlier turns included unless they are not asked) or, with
    by_id, by their id. Each pair of queries is told once; other holdout suites are passed over.
    """
    by_key: dict[str, list[str]] = defaultdict(list)
    known: dict[str, JudgedQuery] = {}
    for query in suite.queries:
        known[query.id] = query
        for key in question_keys(suite, query):
            by_key[key].append(query.id)
    found: list[Leak] = []
    for other in others:
        if other.role == HOLDOUT:
            continue
        where = file_of(other, suite)
        for query in other.queries:
            same = {id_ for key in question_keys(other, query) for id_ in by_key.get(key, ())}
            found += [Leak(id_, other.name, query.id, (TEXT,), where) for id_ in same]
            if by_id and query.id in known:
                worded = bool(question_key(known[query.id]))
                found.append(Leak(query.id, other.name, query.id, (ID,), where, query.text if worded else ""))
    return merged(found)


def file_of(other: Suite, suite: Suite) -> str:
    """The file by which a person tells one suite from another: its queries, or its head where those are the same."""
    return other.head if other.path == suite.path else other.path


def merged(leaks: Iterable[Leak]) -> tuple[Leak, ...]:
    """The same leaks, sorted, each pair of queries of two suites once, said as by the first that knows it."""
    pairs: dict[tuple[str, str, str], Leak] = {}
    for leak in leaks:
        key = (leak.query_id, leak.suite, leak.other_id)
        known = pairs.get(key, leak)
        matched = tuple(name for name in (ID, TEXT) if name in known.matched + leak.matched)
        pairs[key] = replace(known, matched=matched, where=known.where or leak.where, words=known.words or leak.words)
    return tuple(pairs[key] for key in sorted(pairs))
