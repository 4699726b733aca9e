"""Everything that was said about a suite's pairs: what its file holds, and what its record still holds back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.judging.history.entry import ANSWERS, Entry, last_frozen, standing
from runner.judging.history.items import read_items
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
        if entry.number > since and entry.what in ("carried", *ANSWERS) and entry.what != "dropped":
            source = sources.get(entry.query, "human")
            for judgment, _ in read_items(entry.new, suite, source, f"entry {entry.number} of the record"):
                said = _signed(judgment, entry)
                if said not in known[entry.query, said.id]:
                    known[entry.query, said.id].append(said)
    return known


def _signed(judgment: Judgment, entry: Entry) -> Judgment:
    if entry.what == "carried":
        return judgment
    return replace(
        judgment, annotator=judgment.annotator or entry.by, at=judgment.at or entry.at or None,
        note=judgment.note or entry.note, adjudicated=judgment.adjudicated or entry.what == "adjudicated",
    )  # fmt: skip
