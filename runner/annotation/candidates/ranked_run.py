"""A stored run as far as candidates are drawn from it: its queries with what it ranked for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from runner.annotation.candidates.existing_judgments import ExistingJudgments
from runner.errors import ConfigError, InputError
from runner.suites import JudgedQuery, Suite
from runner.suites.question_key import question_key


@dataclass(frozen=True)
class RankedQuery:
    """ranked: passage ids, best first. lost_in: where a failing query lost its relevant items, None for another.

    first_relevant: its rank as the run was scored, None where nothing relevant was found.
    """

    query: JudgedQuery
    ranked: tuple[str, ...]
    slices: tuple[str, ...] = ()
    lost_in: str | None = None
    first_relevant: int | None = None


@dataclass(frozen=True)
class RankedRun:
    """world: what two runs must share (suite, suite_revision, unit, snapshot, ...) by name. depth: of its rankings."""

    id: str
    name: str
    world: Mapping[str, str]
    k: int
    depth: int
    queries: tuple[RankedQuery, ...]
    judgments: ExistingJudgments

    def refuse_unlike(self, other: "RankedRun") -> None:
        """Raise InputError naming the field in which two runs differ that are to be pooled."""
        for field in self.world:
            if self.world[field] != other.world.get(field):
                raise InputError(
                    f"runs {self.id} and {other.id} differ in {field} ({self.world[field]} and "
                    f"{other.world.get(field)}), so what they rank cannot be pooled; repeat one of them with the "
                    f"other's {field}"
                )

    def refuse_shallow(self, depth: int) -> None:
        """Raise ConfigError if the rankings do not reach a depth."""
        if depth > self.depth:
            raise ConfigError(f"--depth {depth} is deeper than run {self.id} goes ({self.depth})")

    def things(self, ranked: RankedQuery) -> Iterator[tuple[int, str]]:
        """What a query's ranking offers to be judged, each once, with its rank among these from 1."""
        seen: set[str] = set()
        for passage_id in ranked.ranked:
            thing = self.judgments.thing(passage_id)
            if thing not in seen:
                seen.add(thing)
                yield len(seen), thing


def up_to_date(scored: Suite, now: Suite | None) -> Suite:
    """Take the queries from `now` that are still the same question under the same id.

    Raises ConfigError if the two judge different units.
    """
    if now is None:
        return scored
    if now.unit != scored.unit:
        raise ConfigError(f"suite {now.name!r} judges the unit {now.unit}, the run was scored by {scored.unit}")
    current = {query.id: query for query in now.queries}
    queries = []
    for query in scored.queries:
        other = current.get(query.id)
        queries.append(other if other and question_key(other) == question_key(query) else query)
    return replace(scored, queries=tuple(queries))
