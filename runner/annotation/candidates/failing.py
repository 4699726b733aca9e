"""The failing queries of a run, and what stands above their first relevant item without a person having judged it."""

from collections.abc import Iterator

from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.candidates.existing_judgments import JudgedThings
from runner.annotation.candidates.ranked_run import RankedQuery, RankedRun

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
