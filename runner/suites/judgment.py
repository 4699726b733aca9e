"""What one person, or one program, said about one query and one judged thing; and what holds where several spoke."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Any

SOURCES = ("human", "synthetic", "click")


@dataclass(frozen=True, slots=True)
class Judgment:
    """id: the judged document, passage or span. grade: 0 for judged and not relevant.

    source: who or what it comes from. annotator: a name. at: an ISO 8601 time. adjudicated: it settles what others
    disagreed on.
    """

    id: str
    grade: int
    source: str = "human"
    annotator: str | None = None
    at: str | None = None
    note: str = ""
    adjudicated: bool = False

    @property
    def rater(self) -> str:
        """Who says it, as it is shown: the annotator by name, else the program, else a person without a name."""
        return self.annotator or ("unnamed" if self.source == "human" else self.source)

    def provenance(self, source: str) -> dict[str, Any]:
        """What is known besides id and grade, as JSON values; `source` is the one that goes without saying."""
        known = {
            "source": None if self.source == source else self.source,
            "annotator": self.annotator,
            "at": self.at,
            "note": self.note or None,
            "adjudicated": self.adjudicated or None,
        }
        return {key: value for key, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Settled:
    """grades: judged id -> the grade that holds. disputed: ids, sorted, on which annotators disagree unadjudicated."""

    grades: Mapping[str, int]
    disputed: tuple[str, ...]


def settle(judgments: Iterable[Judgment]) -> Settled:
    """Find the grade that holds for every judged id, in the order in which the ids first appear.

    The latest adjudication holds. Without one, what people say goes before synthetic labels and clicks; where they
    disagree the pair is disputed and the upper median of their grades stands in, so that a judgment is not lost
    before somebody has settled it.
    """
    by_id: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_id[judgment.id].append(judgment)
    grades: dict[str, int] = {}
    disputed: list[str] = []
    for id_, judgments in by_id.items():
        counted = _counted(judgments)
        values = sorted(judgment.grade for judgment in counted)
        grades[id_] = values[len(values) // 2]
        if values[0] != values[-1]:
            disputed.append(id_)
    return Settled(grades, tuple(sorted(disputed)))


def _counted(judgments: Sequence[Judgment]) -> Sequence[Judgment]:
    settled = [judgment for judgment in judgments if judgment.adjudicated]
    if settled:
        return [reduce(_later, settled)]
    people = [judgment for judgment in judgments if judgment.source == "human"]
    return people or judgments


def _later(first: Judgment, second: Judgment) -> Judgment:
    """The later of two: at the same time, or where one has none, that of the later line."""
    return first if is_before(second.at, first.at) else second


def is_before(at: str | None, other: str | None) -> bool:
    """Whether a time is known to lie before another; both in ISO 8601, in UTC where they name no zone."""
    return at is not None and other is not None and _moment(at) < _moment(other)


def is_time(text: str) -> bool:
    """Whether a text is a time in ISO 8601."""
    try:
        _moment(text)
    except ValueError:
        return False
    return True


def _moment(at: str) -> datetime:
    time = datetime.fromisoformat(at)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
