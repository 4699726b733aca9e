"""The rows that a person labels elsewhere: what a suite holds already, or what waits to be judged."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from runner.judging.exchange.pair_row import PairRow
from runner.judging.exchange.ratings import suite_rows
from runner.judging.reviewing.passage_texts import PassageTexts
from runner.judging.reviewing.queue import Item, Target
from runner.suites import Suite


def judged_rows(suite: Suite, texts: PassageTexts | None) -> Iterator[PairRow]:
    """Every judgment of a suite, one a row, with the text it is about."""
    for row in suite_rows(suite):
        yield _with_text(row, Target(row.id, row.span), texts)


def waiting_rows(
    items: Iterable[Item], texts: PassageTexts | None, old_texts: PassageTexts | None
) -> Iterator[PairRow]:
    """What waits, one row for each thing to be judged, without a grade; what names nothing to judge has no row."""
    for item in items:
        query, old = item.query, item.old
        old_text = old_texts.find(old.id, old.span) if old and old_texts else None
        # What is gone is named by what it was: a grade of 0 in its row drops it.
        for target in item.targets or ((old,) if old else ()):
            row = PairRow(
                query.id, target.id, query.text, query.history, target.span,
                kind=item.candidate.kind if item.candidate else item.kind,
                old_text=old_text.whole if old_text else "",
                fields={} if item.known else query.fields,
                query_source="human" if item.known else query.source,
                # Who grades what others disagree on settles it.
                adjudicated=item.kind == "disputed",
            )  # fmt: skip
            yield _with_text(row, target, texts)


def _with_text(row: PairRow, target: Target, texts: PassageTexts | None) -> PairRow:
    shown = texts.find(target.id, target.span) if texts else None
    return replace(row, passage_title=shown.title, passage_text=shown.whole) if shown else row
