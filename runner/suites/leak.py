"""Whether a holdout suite is one: no question of it may stand in a suite that was tuned on."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from runner.suites.question_key import question_key
from runner.suites.suite import Suite

HOLDOUT = "holdout"
ID, TEXT = "id", "text"


@dataclass(frozen=True, slots=True)
class Leak:
    """A query of a holdout suite that is known from another one.

    suite: the other's name. other_id: the query's id there. matched: by what they are the same, `id`, `text` or both.
    where: the other's file, or since when it is known.
    """

    query_id: str
    suite: str
    other_id: str
    matched: tuple[str, ...]
    where: str = ""

    def __str__(self) -> str:
        where = f" ({self.where})" if self.where else ""
        same = " and ".join(self.matched)
        return f"query {self.query_id!r} is query {self.other_id!r} of suite {self.suite!r}{where}: same {same}"


def holdout_leaks(suite: Suite, others: Iterable[Suite]) -> tuple[Leak, ...]:
    """Every query of a holdout suite that a development or regression suite holds too, in order of ids.

    Questions are the same by their words (`question_key`, earlier turns included) or by their id. Each pair of
    queries is told once; other holdout suites are passed over.
    """
    by_text: dict[str, list[str]] = defaultdict(list)
    ids = set()
    for query in suite.queries:
        by_text[question_key(query)].append(query.id)
        ids.add(query.id)
    by_text.pop("", None)
    found: list[Leak] = []
    for other in others:
        if other.role == HOLDOUT:
            continue
        for query in other.queries:
            same_text = by_text.get(question_key(query), [])
            for id_ in dict.fromkeys([*same_text, *([query.id] if query.id in ids else [])]):
                matched = tuple(name for name, is_ in ((ID, id_ == query.id), (TEXT, id_ in same_text)) if is_)
                found.append(Leak(id_, other.name, query.id, matched, other.path))
    return merged(found)


def merged(leaks: Iterable[Leak]) -> tuple[Leak, ...]:
    """The same leaks, sorted, each pair of queries of two suites once."""
    pairs: dict[tuple[str, str, str], Leak] = {}
    for leak in leaks:
        key = (leak.query_id, leak.suite, leak.other_id)
        known = pairs.get(key, leak)
        matched = tuple(name for name in (ID, TEXT) if name in known.matched + leak.matched)
        pairs[key] = Leak(*key, matched, known.where or leak.where)
    return tuple(pairs[key] for key in sorted(pairs))
