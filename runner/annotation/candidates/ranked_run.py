"""What logged runs propose for judging: unjudged passages above the failures of one, or at the top of several."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.candidates.existing_judgments import ExistingJudgments, JudgedThings
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
            raise ConfigError(f"depth={depth} is deeper than run {self.id} goes ({self.depth})")

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


# The label that makes a query fail may be wrong: as likely as not.
UNCONFIRMED = 0.5
# Judging changes nothing here; the question itself may be at fault.
ALL_JUDGED = 0.1


def failing_candidates(run: RankedRun, depth: int) -> list[JudgmentCandidate]:
    """What to judge for the queries that found nothing relevant in the first k; at most `depth` passages of each.

    An unjudged passage at rank r above the first relevant one has the priority 1/r: what the query's reciprocal rank
    would be if it were relevant. What is relevant only by a synthetic label or a click has 1/2, and a query above
    whose first relevant item everything is judged 1/10, with no passage.
    """
    found: list[JudgmentCandidate] = []
    for ranked in run.queries:
        if ranked.lost_in is None:
            continue
        judged = run.judgments.of(ranked.query)
        evidence = {
            "run": run.id,
            "k": run.k,
            "lost_in": ranked.lost_in,
            "first_relevant_rank": ranked.first_relevant,
            "slices": list(ranked.slices),
        }
        above = list(_above(run, ranked, judged))[:depth]
        for rank, thing in above:
            why = f"nobody has judged rank {rank} of {_lost(run, ranked)}"
            details = {**evidence, "rank": rank}
            found.append(
                JudgmentCandidate.about(
                    ranked.query, thing, judged.labelled.get(thing), "failing", 1 / rank, why, details
                )
            )
        unconfirmed = sorted(judged.relevant & judged.labelled.keys() - {thing for _, thing in above})
        for thing in unconfirmed:
            label = judged.labelled[thing]
            why = f"only a {label} label makes this relevant, which is not within {run.k} of {_lost(run, ranked)}"
            found.append(JudgmentCandidate.about(ranked.query, thing, label, "failing", UNCONFIRMED, why, evidence))
        if not above and not unconfirmed:
            why = f"look at the question itself: everything above is judged in {_lost(run, ranked)}"
            found.append(JudgmentCandidate.about(ranked.query, None, None, "failing", ALL_JUDGED, why, evidence))
    return found


def _above(run: RankedRun, ranked: RankedQuery, judged: JudgedThings) -> Iterator[tuple[int, str]]:
    for rank, thing in run.things(ranked):
        if thing in judged.relevant:
            return
        if thing not in judged.people:
            yield rank, thing


def _lost(run: RankedRun, ranked: RankedQuery) -> str:
    return f"{run.name}, which lost this query in the {ranked.lost_in}"


def pooled_candidates(runs: Sequence[RankedRun], depth: int) -> list[JudgmentCandidate]:
    """The unjudged part of the pool: the union of what every run ranks within `depth`.

    Source: pooling, Spärck Jones and van Rijsbergen 1975. With s = 1/rank of a passage in each run, 0 where it is not
    within the depth, the priority is (mean(s) + max(s) - min(s)) / 2. The mean is the sum of reciprocal ranks (Cormack,
    Clarke and Büttcher 2009, with the constant 0) over the number of runs: how many rank it, and how high. The
    difference is the most by which its judgment can part two runs in reciprocal rank, after Carterette, Allan and
    Sitaraman 2006, who judge first what runs disagree on. With two runs, the ranks (1, none) give 0.75, (1, 2) 0.625,
    (1, 1) 0.5.
    Raises InputError for runs that differ in suite or snapshot, naming the field, and ConfigError for fewer than two
    different runs and for a depth that one does not reach.
    """
    if len({run.id for run in runs}) < max(2, len(runs)):
        raise ConfigError("pool= needs two or more different runs; with one, failures= lists what to judge")
    for run in runs:
        run.refuse_shallow(depth)
    first = runs[0]
    for other in runs[1:]:
        first.refuse_unlike(other)
    ranks = [_ranks(run, depth) for run in runs]
    if any(each.keys() != ranks[0].keys() for each in ranks):
        raise InputError(f"runs {', '.join(run.id for run in runs)} did not rank the same queries")
    found: list[JudgmentCandidate] = []
    for ranked in first.queries:
        of_query = [by_query[ranked.query.id] for by_query in ranks]
        judged = first.judgments.of(ranked.query)
        for thing in dict.fromkeys(thing for by_thing in of_query for thing in by_thing):
            if thing not in judged.people:
                places = {run.id: by_thing.get(thing) for run, by_thing in zip(runs, of_query, strict=True)}
                found.append(_candidate(ranked.query, thing, judged.labelled.get(thing), places, depth))
    return found


def _ranks(run: RankedRun, depth: int) -> dict[str, dict[str, int]]:
    """By query, the rank of everything within the depth."""
    return {each.query.id: {thing: rank for rank, thing in islice(run.things(each), depth)} for each in run.queries}


def _candidate(
    query: JudgedQuery, thing: str, label: str | None, places: Mapping[str, int | None], depth: int
) -> JudgmentCandidate:
    heights = [1 / rank if rank else 0.0 for rank in places.values()]
    ranked = sorted(rank for rank in places.values() if rank)
    total, disagreement = sum(heights), max(heights) - min(heights)
    evidence = {
        "ranks": dict(places),
        "depth": depth,
        "reciprocal_rank_sum": round(total, 6),
        "disagreement": round(disagreement, 6),
    }
    by = f"only a {label} label says anything of it" if label else "nobody has judged it"
    why = f"{len(ranked)} of {len(places)} runs rank it within {depth} (at {', '.join(map(str, ranked))}); {by}"
    return JudgmentCandidate.about(
        query, thing, label, "pooled", (total / len(heights) + disagreement) / 2, why, evidence
    )


def alike(runs: Sequence[RankedRun]) -> list[str]:
    """A note for every run that ranks exactly as an earlier one."""
    notes = []
    for number, run in enumerate(runs):
        for earlier in runs[:number]:
            if [each.ranked for each in run.queries] == [each.ranked for each in earlier.queries]:
                notes.append(f"runs {earlier.id} and {run.id} rank every query alike, so they agree by themselves")
                break
    return notes
