"""Whether a slice holds the queries that belong to it, told from the queries without the slicing code."""

from collections.abc import Sequence
from typing import Any

from runner.scoring.evaluate import JudgedSet
from runner.scoring.text_length import text_length
from runner.suites import CROSSING, DERIVED_FIELDS, JudgedQuery

# What every suite is sliced by. Freshness, which only some are, depends on the dates of documents too.
_COUNTED = ("relevant_items", "query_length")


def strangers(judged: JudgedSet, group: str) -> str:
    """Name a query that a slice holds or lacks by mistake; "" if there is none, or the slice is of freshness."""
    faults = []
    for sliced in dict.fromkeys((*_COUNTED, *judged.suite.slices)):
        fields = [part.strip() for part in sliced.split(CROSSING)]
        if group.startswith(f"{sliced}.") and not set(fields) & (set(DERIVED_FIELDS) - set(_COUNTED)):
            faults.append(_fault(judged, group, fields, group.removeprefix(f"{sliced}.")))
    # One field's name may be the beginning of another's: the slice is of one of the two.
    return "" if "" in faults or not faults else faults[0]


def _fault(judged: JudgedSet, group: str, fields: Sequence[str], wanted: str) -> str:
    members = judged.slices.members[judged.slices.names.index(group)]
    for query, member in zip(judged.scored, members, strict=True):
        values = [_value(query, field, judged.suite.min_grade) for field in fields]
        own = CROSSING.join(values) if all(values) else ""
        if member != (own == wanted):
            verb = "holds" if member else "lacks"
            return f"the slice {verb} query {query.id!r}, whose own value is {own or 'none'}"
    return ""


def _value(query: JudgedQuery, field: str, min_grade: int) -> str:
    if field == "relevant_items":
        return "several" if sum(grade >= min_grade for grade in query.grades.values()) > 1 else "one"
    if field == "query_length":
        length = text_length(query.text)
        return "long" if length > 10 else "medium" if length > 3 else "short"
    return _stated(query.fields.get(field))


def _stated(value: Any) -> str:
    listed = value if isinstance(value, list | tuple) else [value]
    values = (str(each).lower() if isinstance(each, bool) else str(each) for each in listed if each not in (None, ""))
    return "+".join(values)
