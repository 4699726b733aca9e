"""Whether a slice holds the queries that say so themselves, read from their fields without the slicing code."""

from collections.abc import Sequence
from typing import Any

from runner.scoring.evaluate import JudgedSet
from runner.suites import CROSSING, DERIVED_FIELDS


def strangers(judged: JudgedSet, group: str) -> str:
    """Name a query that a declared slice holds or lacks by mistake; "" if there is none, or the slice is derived."""
    faults = []
    for declared in judged.suite.slices:
        fields = [part.strip() for part in declared.split(CROSSING)]
        if group.startswith(f"{declared}.") and not set(fields) & set(DERIVED_FIELDS):
            faults.append(_fault(judged, group, fields, group.removeprefix(f"{declared}.")))
    # One field's name may be the beginning of another's: the slice is of one of the two.
    return "" if "" in faults or not faults else faults[0]


def _fault(judged: JudgedSet, group: str, fields: Sequence[str], wanted: str) -> str:
    members = judged.slices.members[judged.slices.names.index(group)]
    for query, member in zip(judged.scored, members, strict=True):
        values = [_said(query.fields.get(field)) for field in fields]
        own = CROSSING.join(values) if all(values) else ""
        if member != (own == wanted):
            verb = "holds" if member else "lacks"
            return f"the slice {verb} query {query.id!r}, whose own value is {own or 'none'}"
    return ""


def _said(value: Any) -> str:
    listed = value if isinstance(value, list | tuple) else [value]
    said = (str(each).lower() if isinstance(each, bool) else str(each) for each in listed if each not in (None, ""))
    return "+".join(said)
