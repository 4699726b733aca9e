"""Judgments as items of `relevant`, the form that a suite's file and its record share."""

from collections.abc import Iterable, Mapping
from typing import Any

from runner.errors import InputError, Problem
from runner.suite_formats.judgment_item import JudgmentReader
from runner.suites import Judgment, Span, Suite

Read = tuple[Judgment, Span | None]


def item_of(judgment: Judgment, span: Span | None, source: str) -> dict[str, Any]:
    """The item of one judgment; `source` is that of its query, which goes without saying."""
    named = {"id": judgment.id} if span is None else span.content()
    return {**named, "grade": judgment.grade, **judgment.provenance(source)}


def read_items(items: Iterable[Mapping[str, Any]], suite: Suite, source: str, where: str) -> list[Read]:
    """The judgments that items of a record stand for, with their spans. Raises InputError listing every fault."""
    reader = JudgmentReader(suite.unit, suite.min_grade, source)
    for item in items:
        reader.take(item)
    if reader.faults:
        raise InputError.of(where, [Problem(None, fault) for fault in reader.faults])
    return [(judgment, reader.spans.get(judgment.id)) for judgment in reader.judgments]
