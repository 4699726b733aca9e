"""The judgments of a suite as it is now, for the queries of the suite that a run was scored with."""

from dataclasses import replace

from runner.errors import ConfigError
from runner.suites import Suite
from runner.suites.question_key import question_key


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
