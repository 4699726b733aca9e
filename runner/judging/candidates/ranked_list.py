"""Candidates from all sources as one list: anonymised, what is the same put together, the most urgent first."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from math import prod

from runner.judging.candidates.anonymise import Rules
from runner.judging.candidates.candidate import KINDS, PRIORITY_DECIMALS, Candidate
from runner.suites import SOURCES
from runner.suites.question_key import evened


def ranked_list(candidates: Iterable[Candidate], rules: Rules) -> list[Candidate]:
    """Order candidates by priority, then by query and id.

    Texts that users wrote are anonymised; queries that become equal by it are one, under
    the id that comes first. Several reasons for one pair are one row, with the priority 1 - (1 - a)(1 - b)..., the
    chance that one of them holds, were they independent chances.
    """
    told = _under_one_id([_anonymised(candidate, rules) for candidate in candidates])
    pairs: dict[tuple[str, str | None], list[Candidate]] = defaultdict(list)
    for candidate in told:
        pairs[candidate.query_id, candidate.id].append(candidate)
    merged = [_together(each, rules) for each in pairs.values()]
    return sorted(merged, key=lambda each: (-each.priority, each.query_id, each.id or ""))


def _anonymised(candidate: Candidate, rules: Rules) -> Candidate:
    if not candidate.raw:
        return candidate
    text, *history = (rules.apply(each) for each in (candidate.text, *candidate.history))
    applied = {*candidate.rules, *(name for each in (text, *history) for name in each.rules)}
    return replace(
        candidate,
        text=text.text,
        history=tuple(turn.text for turn in history),
        rules=tuple(name for name in rules.names if name in applied),
    )


def _under_one_id(candidates: list[Candidate]) -> list[Candidate]:
    """Give queries that are one since they were anonymised the id that comes first of theirs."""
    key_of: dict[tuple[str, ...], tuple[str, ...]] = {}
    ids: dict[tuple[str, ...], str] = {}
    for each in candidates:
        if each.rules:
            turns = (*each.history, each.text)
            key = key_of[turns] = key_of.get(turns) or tuple(map(evened, turns))
            ids[key] = min(ids.get(key, each.query_id), each.query_id)
    return [
        replace(each, query_id=ids[key_of[(*each.history, each.text)]]) if each.rules else each for each in candidates
    ]


def _together(candidates: list[Candidate], rules: Rules) -> Candidate:
    """One row for one pair; of several reasons of a kind the strongest counts."""
    if len(candidates) == 1:
        return candidates[0]
    strongest: dict[str, Candidate] = {}
    for each in candidates:
        if each.kind not in strongest or each.priority > strongest[each.kind].priority:
            strongest[each.kind] = each
    kept = sorted(strongest.values(), key=lambda each: (-each.priority, KINDS.index(each.kind)))
    applied = {name for each in candidates for name in each.rules}
    return replace(
        kept[0],
        priority=round(1 - prod(1 - each.priority for each in kept), PRIORITY_DECIMALS),
        why="; ".join(each.why for each in kept),
        source=max((each.source for each in candidates), key=SOURCES.index),
        evidence={kind: value for each in kept for kind, value in each.evidence.items()},
        rules=tuple(name for name in rules.names if name in applied),
    )
