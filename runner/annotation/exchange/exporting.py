"""The rows that a person labels elsewhere: what a suite holds already, or what waits to be judged."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from runner.annotation.exchange.pair_row import PairRow
from runner.annotation.exchange.ratings import suite_rows
from runner.annotation.history.entry import RecordEntry, last_frozen, standing
from runner.annotation.history.items import Read, judgments_by, read_items
from runner.annotation.review.passage_texts import PassageTexts
from runner.annotation.review.queue import ReviewItem, Target
from runner.suites import Judgment, Suite


def judged_rows(suite: Suite, texts: PassageTexts | None) -> Iterator[PairRow]:
    """Every judgment of a suite, one a row, with the text it is about."""
    for row in suite_rows(suite):
        yield _with_text(row, Target(row.id, row.span), texts)


def waiting_rows(
    items: Iterable[ReviewItem], texts: PassageTexts | None, old_texts: PassageTexts | None
) -> Iterator[PairRow]:
    """What waits, one row for each thing to be judged, without a grade; what names nothing to judge has no row."""
    for item in items:
        query, old = item.query, item.old
        old_text = old_texts.find(old.id, old.span) if old and old_texts else None
        # What is gone is named by what it was: a grade of 0 in its row drops it.
        for target in item.targets or ((old,) if old else ()):
            row = PairRow(
                query.id,
                target.id,
                query.text,
                query.history,
                target.span,
                kind=item.candidate.kind if item.candidate else item.kind,
                old_text=old_text.whole if old_text else "",
                fields={} if item.known else query.fields,
                query_source="human" if item.known else query.source,
                # Who grades what others disagree on settles it.
                adjudicated=item.kind == "disputed",
            )
            yield _with_text(row, target, texts)


def _with_text(row: PairRow, target: Target, texts: PassageTexts | None) -> PairRow:
    shown = texts.find(target.id, target.span) if texts else None
    return replace(row, passage_title=shown.title, passage_text=shown.whole) if shown else row


Pair = tuple[str, str]


def known_judgments(suite: Suite, entries: Sequence[RecordEntry]) -> Mapping[Pair, list[Judgment]]:
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
            for each, _ in judgments_by(entry, partial(_read, suite, source)):
                if each not in known[entry.query, each.id]:
                    known[entry.query, each.id].append(each)
    return known


def _read(suite: Suite, source: str, items: Sequence[Mapping[str, Any]], entry: RecordEntry) -> Sequence[Read]:
    return read_items(items, suite, source, f"line {entry.number} of the record")
