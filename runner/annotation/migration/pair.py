"""A judged pair, a query with one judged thing, and what becomes of it in another snapshot."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from runner.annotation.history.items import item_of
from runner.suites import JudgedQuery, Judgment, Span


@dataclass(frozen=True)
class JudgedPair:
    """id: what is judged. judgments: all that was said of it, at least one. grade: the one that holds."""

    query: JudgedQuery
    id: str
    judgments: tuple[Judgment, ...]
    grade: int

    @property
    def span(self) -> Span | None:
        """What the id stands for in a suite of spans."""
        return self.query.spans.get(self.id)

    @property
    def ever_relevant(self) -> bool:
        """Whether anybody found it relevant."""
        return any(judgment.grade > 0 for judgment in self.judgments)

    @property
    def item(self) -> dict[str, Any]:
        """The pair as one item of `relevant`, with the grade that holds."""
        if len(self.judgments) == 1:
            return item_of(self.judgments[0], self.span, self.query.source)
        return item_of(Judgment(self.id, self.grade, self.query.source), self.span, self.query.source)


def pairs_of(query: JudgedQuery) -> tuple[JudgedPair, ...]:
    """The pairs of a query, in the order in which they first appear."""
    by_id: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in query.every_judgment:
        by_id[judgment.id].append(judgment)
    return tuple(JudgedPair(query, id_, tuple(by_id[id_]), query.grades[id_]) for id_ in by_id)


@dataclass(frozen=True)
class Successor:
    """A thing of the new snapshot. span: what its id stands for. share: of the old text's characters, 0 to 1."""

    id: str
    span: Span | None = None
    share: float | None = None

    @classmethod
    def of_span(cls, span: Span) -> "Successor":
        """A span as a successor."""
        return cls(span.id, span)


@dataclass(frozen=True)
class Outcome:
    """What became of a pair. carried: certain. proposed: a person has to look. gone: nothing to look at.

    similarity: 0 to 1. why: in a few words. details: more that is worth keeping, as JSON values.
    """

    what: Literal["carried", "proposed", "gone"]
    successors: tuple[Successor, ...] = ()
    similarity: float | None = None
    why: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


class Follower(Protocol):
    """Follows judged things from one snapshot to another."""

    def follow(self, pair: JudgedPair) -> tuple[Outcome, ...]:
        """What became of a pair: one outcome, or two where a part is certain and a part is not."""
        ...
