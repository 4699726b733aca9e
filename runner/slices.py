"""Groups of queries that share a value: declared fields, crossings of fields, and derived groups."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from runner.errors import ConfigError

CROSSING = " x "
# More values than this is an id, not a slice: MLflow's pages would drown in it.
MOST_VALUES = 200

_HAN = re.compile(r"[\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_WORD = re.compile(r"\w+")


class SlicedQuery(Protocol):
    """What slicing reads of a query."""

    @property
    def text(self) -> str: ...
    @property
    def fields(self) -> Mapping[str, Any]: ...
    @property
    def grades(self) -> Mapping[str, int]: ...


@dataclass(frozen=True)
class Slices:
    """names: `field.value`, in a fixed order. members: bool [slices, queries]; no slice is empty."""

    names: tuple[str, ...]
    members: NDArray[np.bool_]

    def sizes(self) -> NDArray[np.int64]:
        """n of each slice, int64 [slices]."""
        return self.members.sum(axis=1)


@dataclass(frozen=True)
class Freshness:
    """Buckets the age, in days before `as_of`, of a date field of the query or of its newest relevant document."""

    field: str = "updated"
    days: tuple[int, ...] = (30, 90, 365)
    as_of: str | None = None

    def __post_init__(self) -> None:
        if not self.days or any(a >= b for a, b in zip(self.days, self.days[1:], strict=False)) or self.days[0] < 1:
            raise ConfigError(f"slicing.freshness.days must be ascending positive numbers, found {list(self.days)}")
        if self.as_of is not None and _as_date(self.as_of) is None:
            raise ConfigError(f"slicing.freshness.as_of must be a date like 2026-09-30, found {self.as_of!r}")

    def buckets(
        self, queries: Sequence[SlicedQuery], document_fields: Mapping[str, Mapping[str, Any]], min_grade: int
    ) -> list[str | None]:
        """The window of each query, None where neither the query nor its documents say a date.

        document_fields: fields by judged id. Without `as_of`, ages count back from the newest date of the snapshot.
        """
        newest = [_as_date(fields.get(self.field)) for fields in document_fields.values()]
        dates = [self._date_of(query, document_fields, min_grade) for query in queries]
        known = [found for found in [*newest, *dates] if found]
        if not known:
            return [None] * len(queries)
        as_of = _as_date(self.as_of) or max(known)
        return [self._bucket((as_of - found).days) if found else None for found in dates]

    def _date_of(
        self, query: SlicedQuery, document_fields: Mapping[str, Mapping[str, Any]], min_grade: int
    ) -> date | None:
        own = _as_date(query.fields.get(self.field))
        if own:
            return own
        relevant = [id_ for id_, grade in query.grades.items() if grade >= min_grade]
        found = [_as_date(document_fields.get(id_, {}).get(self.field)) for id_ in relevant]
        return max((each for each in found if each), default=None)

    def _bucket(self, age: int) -> str:
        previous = 0
        for limit in self.days:
            if age <= limit:
                return f"{previous}-{limit} days"
            previous = limit + 1
        return f"over {self.days[-1]} days"


def _as_date(value: Any) -> date | None:
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def text_length(text: str) -> int:
    """Length in words; two Han characters count as one, the mean length of a Chinese word."""
    han = len(_HAN.findall(text))
    return len(_WORD.findall(_HAN.sub(" ", text))) + (han + 1) // 2


def _length_bucket(text: str) -> str:
    length = text_length(text)
    return "short" if length <= 3 else "medium" if length <= 10 else "long"


def _relevant_bucket(query: SlicedQuery, min_grade: int) -> str:
    return "one" if sum(grade >= min_grade for grade in query.grades.values()) == 1 else "several"


def slice_queries(
    queries: Sequence[SlicedQuery],
    declared: Sequence[str],
    *,
    min_grade: int = 1,
    freshness: Freshness | None = None,
    document_fields: Mapping[str, Mapping[str, Any]] | None = None,
) -> Slices:
    """Group the scored queries by every declared field or crossing and by the derived groups.

    A query without a value belongs to no slice of that field. Raises ConfigError for a declared field that
    no query has, for a name that is also a derived group, and for a field with too many values.
    """
    columns: dict[str, list[str | None]] = {
        "relevant_items": [_relevant_bucket(query, min_grade) for query in queries],
        "query_length": [_length_bucket(query.text) for query in queries],
    }
    if freshness:
        columns["freshness"] = freshness.buckets(queries, document_fields or {}, min_grade)
    derived = dict(columns)
    for name in declared:
        if name in derived:
            continue
        parts = [part.strip() for part in name.split(CROSSING)]
        crossed = [derived[part] if part in derived else _column(queries, part) for part in parts]
        columns[name] = [
            CROSSING.join(map(str, values)) if all(value is not None for value in values) else None
            for values in zip(*crossed, strict=True)
        ]
        if queries and not any(columns[name]):
            raise ConfigError(
                f"slice {name!r} is declared, but no scored query has a value for it; "
                f"known fields: {', '.join(sorted({key for query in queries for key in query.fields})) or 'none'}"
            )
    names: list[str] = []
    members: list[NDArray[np.bool_]] = []
    for field, values in columns.items():
        distinct = sorted({value for value in values if value is not None})
        if len(distinct) > MOST_VALUES:
            raise ConfigError(
                f"slice {field!r} has {len(distinct)} values (at most {MOST_VALUES}); it looks like an id, not a group"
            )
        column = np.array(values, dtype=object)
        for value in distinct:
            names.append(f"{field}.{value}")
            members.append(column == value)
    table = np.array(members, np.bool_) if members else np.zeros((0, len(queries)), np.bool_)
    return Slices(tuple(names), table)


def _column(queries: Sequence[SlicedQuery], field: str) -> list[str | None]:
    return [_label(query.fields.get(field)) for query in queries]


def _label(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "+".join(map(str, value)) or None
    return str(value)
