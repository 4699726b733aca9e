"""Groups of queries that share a value: declared fields, crossings of fields, and derived groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from runner.errors import ConfigError
from runner.scoring.text_length import text_length

CROSSING = " x "
# More values than this is an id, not a slice: MLflow's pages would drown in it.
MOST_VALUES = 200

# What a group has in common: the parts of a value (several for a list), for each of the crossed fields.
_Value = tuple[str, ...]
_Shared = tuple[_Value, ...]


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
        sizes: NDArray[np.int64] = self.members.sum(axis=1)
        return sizes


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
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


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
    no query has, for one that is also a derived group, for a field with too many values, and for two groups
    that would share a name.
    """
    derived: dict[str, list[_Value | None]] = {
        "relevant_items": [(_relevant_bucket(query, min_grade),) for query in queries],
        "query_length": [(_length_bucket(query.text),) for query in queries],
    }
    if freshness:
        windows = freshness.buckets(queries, document_fields or {}, min_grade)
        derived["freshness"] = [(window,) if window else None for window in windows]
    columns: dict[str, list[_Shared | None]] = {name: _crossed([values]) for name, values in derived.items()}
    known = {key for query in queries for key in query.fields}
    for name in declared:
        parts = [part.strip() for part in name.split(CROSSING)]
        for part in parts:
            if part in derived and part in known:
                raise ConfigError(f"slice {name!r}: {part!r} is a group that the runner makes; rename the field")
        if name in derived:
            continue
        columns[name] = _crossed([derived.get(part) or _column(queries, part) for part in parts])
        if queries and all(value is None for value in columns[name]):
            raise ConfigError(
                f"slice {name!r} is declared, but no scored query has a value for it; "
                f"known fields: {', '.join(sorted(known)) or 'none'}"
            )
    meaning: dict[str, tuple[str, _Shared]] = {}
    members: list[NDArray[np.bool_]] = []
    for field, values in columns.items():
        distinct = sorted(dict.fromkeys(value for value in values if value is not None), key=_label)
        if len(distinct) > MOST_VALUES:
            raise ConfigError(
                f"slice {field!r} has {len(distinct)} values (at most {MOST_VALUES}); it looks like an id, not a group"
            )
        number = {value: position for position, value in enumerate(distinct)}
        column = np.array([-1 if value is None else number[value] for value in values], np.int64)
        for value in distinct:
            name = f"{field}.{_label(value)}"
            if name in meaning:
                raise _two_meanings(name, meaning[name], (field, value))
            meaning[name] = (field, value)
            members.append(column == number[value])
    table = np.array(members, np.bool_) if members else np.zeros((0, len(queries)), np.bool_)
    return Slices(tuple(meaning), table)


def _column(queries: Sequence[SlicedQuery], field: str) -> list[_Value | None]:
    return [_value(query.fields.get(field)) for query in queries]


def _value(value: Any) -> _Value | None:
    if isinstance(value, bool):
        return (str(value).lower(),)
    listed = value if isinstance(value, list | tuple) else [value]
    return tuple(str(each) for each in listed if each is not None and each != "") or None


def _crossed(columns: Sequence[Sequence[_Value | None]]) -> list[_Shared | None]:
    rows = (tuple(value for value in row if value is not None) for row in zip(*columns, strict=True))
    return [row if len(row) == len(columns) else None for row in rows]


def _label(shared: _Shared) -> str:
    return CROSSING.join("+".join(value) for value in shared)


def _two_meanings(name: str, *meanings: tuple[str, _Shared]) -> ConfigError:
    each = [f"{field} = {CROSSING.join('+'.join(map(repr, value)) for value in shared)}" for field, shared in meanings]
    return ConfigError(f"two groups share the slice name {name!r}: {' and '.join(each)}; rename a field or a value")
