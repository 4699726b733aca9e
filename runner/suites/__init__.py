"""Judged questions: judgments, the spans that some of them name, queries, suites."""

from runner.suites.existence import MISSING
from runner.suites.judgment import SOURCES, Judgment, settle
from runner.suites.query import FieldValue, JudgedQuery
from runner.suites.span import Span, SpanFault
from runner.suites.suite import CROSSING, DERIVED_FIELDS, HISTORY_MODES, ROLES, UNITS, Suite

__all__ = [
    "CROSSING",
    "DERIVED_FIELDS",
    "HISTORY_MODES",
    "MISSING",
    "ROLES",
    "SOURCES",
    "UNITS",
    "FieldValue",
    "JudgedQuery",
    "Judgment",
    "Span",
    "SpanFault",
    "Suite",
    "settle",
]
