"""Pooling: what the rankings of several runs offer within a depth and no person has judged."""

from collections.abc import Mapping, Sequence
from itertools import islice

from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.candidates.ranked_run import RankedRun
from runner.errors import ConfigError, InputError
from runner.suites import JudgedQuery


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
        raise ConfigError("--pool needs two or more different runs; with one, --failures lists what to judge")
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
