"""Everything that was said about a suite's pairs: what its file holds, and what its record still holds back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from runner.judging.history.entry import Entry, last_frozen, standing
from runner.judging.history.items import Read, read_items
from runner.judging.history.said import said_by
from runner.suites import Judgment, Suite

Pair = tuple[str, str]


def known_judgments(suite: Suite, entries: Sequence[Entry]) -> Mapping[Pair, list[Judgment]]:
    """(query id, judged id) -> what was said, each judgment once.

    A query that waits for another answer keeps those it has got in the record only.
    """
    known: dict[Pair, list[Judgment]] = defaultdict(list)
    for query in suite.queries:
        for judgment in query.every_judgment:
            known[query.id, judgment.id].append(judgment)
    sources = {query.id: query.source for query in suite.queries}
    since = last_frozen(entries)
    for entry in standing(entries):
        if entry.number > since:
            source = sources.get(entry.query, "human")
            for said, _ in said_by(entry, partial(_read, suite, source)):
                if said not in known[entry.query, said.id]:
                    known[entry.query, said.id].append(said)
    return known


def _read(suite: Suite, source: str, items: Sequence[Mapping[str, Any]], entry: Entry) -> Sequence[Read]:
    return read_items(items, suite, source, f"line {entry.number} of the record")
