"""The plan in words: how much there is to score, what is cached, what is left to compute."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from retrievers.base import Rescoring
from runner.configuration.identity import collection_name
from runner.documents.passed import passed_words
from runner.engine.cache import Cache, pair_key, text_key
from runner.engine.failure import is_own
from runner.engine.plan import Plan, Stage

_SHOWN = 40


def plan_lines(plan: Plan, cache: Cache) -> list[str]:
    """Describe a plan that was looked up in the cache, one line an item."""
    lines = [f"plan: {_product(plan)}"]
    merged = plan.requested - len(plan.jobs)
    lines.append(
        f"jobs: {plan.requested} asked for, {len(plan.jobs)} to score"
        + (f" ({merged} repeat another)" if merged else "")
    )
    for job in plan.jobs:
        for overrides in job.also:
            lines.append(f"  same run as {job.name}: {' '.join(overrides)}")
        if job.unused:
            lines.append(f"  {job.name} has no place for {', '.join(job.unused)}")
    lines += _experiment_lines(plan)
    lines += _snapshot_lines(plan)
    lines += _suite_lines(plan)
    lines.append(f"stages: {len(plan.stages)} unique")
    rankings = 0
    for stage in plan.stages:
        missing = len(stage.missing)
        rankings += missing
        lines.append(
            f"  {_label(plan, stage)}: {len(stage.queries):,} rankings to depth {stage.depth}, "
            f"{stage.cached:,} cached, {missing:,} to compute{_why_missed(stage, cache)}"
        )
    pairs, exact = pairs_to_score(plan, cache)
    lines.append(f"to compute: {rankings:,} rankings, {'' if exact else 'at most '}{pairs:,} pairs to rerank")
    return lines


def _snapshot_lines(plan: Plan) -> list[str]:
    """What the readers passed over, of each snapshot."""
    snapshots = {job.stage.snapshot.id: job.stage.snapshot for job in plan.jobs}
    return [f"snapshot {id_}: {passed_words(each.passed)}" for id_, each in snapshots.items() if each.passed]


def _experiment_lines(plan: Plan) -> list[str]:
    """Where the runs go, and where that name was made up from a path."""
    lines = {}
    for settings in (job.settings for job in plan.jobs):
        name, path = settings.tracking.experiment, settings.dataset.get("path")
        derived = isinstance(path, str) and name == collection_name(path)
        lines[name] = f"experiment: {name}" + (" (dataset.name=... names it otherwise)" if derived else "")
    return list(lines.values())


def _suite_lines(plan: Plan) -> list[str]:
    """What each suite holds, on each snapshot it is laid over, that no mean will show."""
    lines = []
    for job in plan.jobs:
        judged = job.judged
        rest = [f"{len(judged.scored):,} scored"]
        rest += [f"{len(judged.unanswerable):,} unanswerable"] if judged.unanswerable else []
        rest += [f"{judged.unjudged:,} unjudged, in no mean"] if judged.unjudged else []
        if judged.missing:
            of = f"{judged.missing:,} judged {'id' if judged.missing == 1 else 'ids'}"
            rest.append(f"{of} that snapshot {job.stage.snapshot.id} does not hold, left out")
        lines.append(f"suite {judged.suite.name} ({judged.suite.revision}): {', '.join(rest)}")
    return list(dict.fromkeys(lines))


def _product(plan: Plan) -> str:
    queries = sorted({len(job.judged.scored) for job in plan.jobs})
    ks = {job.settings.k for job in plan.jobs}
    retrievers = {
        id(job.stage) if len(plan.jobs) == 0 else job.stage.component.key or id(job.stage) for job in plan.jobs
    }
    snapshots = {job.stage.snapshot.id for job in plan.jobs}
    suites = {job.judged.suite.revision + job.judged.suite.name for job in plan.jobs}
    factors = [
        f"{' + '.join(f'{n:,}' for n in queries)} queries",
        f"{len(ks)} k",
        f"{len(retrievers)} retriever{'s' * (len(retrievers) != 1)}",
        f"{len(snapshots)} snapshot{'s' * (len(snapshots) != 1)}",
    ]
    if len(suites) > 1:
        factors.append(f"{len(suites)} suites")
    total = plan.scored_configurations
    full = len(queries) == 1 and queries[0] * len(ks) * len(retrievers) * len(snapshots) * len(suites) == total
    return " x ".join(factors) + (" = " if full else "; in all ") + f"{total:,} scored query-configurations"


def _label(plan: Plan, stage: Stage) -> str:
    pool = f" pool={stage.component.object.pool}" if isinstance(stage.component.object, Rescoring) else ""
    alike = len({each.snapshot.id for each in plan.stages}) > 1
    return stage.component.name + pool + (f" on {stage.snapshot.id}" if alike else "")


def pairs_to_score(plan: Plan, cache: Cache) -> tuple[int, bool]:
    """Pairs that no stage has scored yet, each once; and whether that is exact or only the most there can be."""
    exact = True
    known: dict[tuple[Any, str], set[bytes]] = {}
    most: dict[tuple[Any, str, bytes], int] = {}
    for stage in plan.stages:
        retriever = stage.component.object
        if not isinstance(retriever, Rescoring) or not stage.missing:
            continue
        reranker = stage.component.of_object(retriever.reranker)
        space = (reranker.key or id(retriever.reranker), stage.snapshot.id)
        queries = [stage.queries[key] for key in stage.missing]
        if any(source.missing for source in stage.sources.values()) or not is_own(retriever):
            exact = False
            for query in queries:
                key = (*space, stage.query_key(query))
                most[key] = max(most.get(key, 0), min(retriever.pool, len(stage.snapshot.passages)))
            continue
        candidates = retriever.candidates(stage.source_rankings(queries))
        texts = stage.snapshot.passages_for_retrieval().texts
        row_keys = {int(row): text_key(texts[row]) for row in np.unique(candidates.rows)}
        keys = known.setdefault(space, set())
        for number, query in enumerate(queries):
            keys |= {pair_key(text_key(query.text), row_keys[row]) for row in candidates.one(number)[0].tolist()}
    total = sum(most.values())
    for (key, _), pairs in known.items():
        total += len(pairs) - (len(cache.get(key, sorted(pairs))) if isinstance(key, str) else 0)
    return total, exact


def _why_missed(stage: Stage, cache: Cache) -> str:
    """Name what differs from the most similar stage in the cache, where a whole stage is missing."""
    if stage.cached or stage.identity is None or not stage.missing:
        return ""
    own = dict(_flat(stage.identity))
    differences: list[list[str]] = []
    elsewhere = False
    for other in cache.identities("rankings"):
        flat = dict(_flat(other))
        if flat.get("retriever.target") != own["retriever.target"]:
            continue
        if flat.get("snapshot") != own["snapshot"]:
            # Whose documents these were is not known here, so they are not named.
            elsewhere = elsewhere or flat | {"snapshot": own["snapshot"]} == own
            continue
        keys = sorted({key for key in own.keys() | flat.keys() if own.get(key) != flat.get(key)})
        differences.append([f"{key}: {_short(flat.get(key))} -> {_short(own.get(key))}" for key in keys])
    nearest = min((each for each in differences if each), key=len, default=[])
    if not nearest and elsewhere:
        return " (in the cache for other documents only)"
    if not nearest or len(nearest) > 3:
        return ""
    return f" (nearest in the cache differs in {'; '.join(nearest)})"


def _short(value: Any) -> str:
    """A value as it fits into a line of the plan; of a long one its beginning."""
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
