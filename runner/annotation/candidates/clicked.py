"""What users clicked more than its rank explains, as candidates."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isnan
from typing import Any

import numpy as np

from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.candidate import PRIORITY_DECIMALS, JudgmentCandidate
from runner.annotation.candidates.click_log import ClickLog
from runner.annotation.candidates.click_pairs import ClickPairs, PositionBias
from runner.annotation.candidates.existing_judgments import (
    ExistingJudgments,
    Known,
    Question,
    query_ids,
    question_numbers,
    questions_of,
)
from runner.errors import InputError
from runner.suite_formats.head import SLICEABLE, names_in
from runner.suites import DERIVED_FIELDS

_SHOWN = 5


@dataclass(frozen=True)
class Clicked:
    """candidates: every clicked pair that no person has judged. counts and notes: what became of the rest."""

    candidates: tuple[JudgmentCandidate, ...]
    bias: PositionBias
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def clicked_candidates(
    log: ClickLog,
    rules: Rules,
    judgments: Sequence[ExistingJudgments] = (),
    existing: Collection[str] | None = None,
    snapshot: str | None = None,
) -> Clicked:
    """Draw candidates from a click log.

    opinions: of suites that may hold the clicked questions. existing: the ids that exist, None where that is not
    asked; clicks on others are counted and noted. snapshot: the id that the events should name, if they name one.
    Raises InputError where not one passage of the log exists.
    """
    questions = questions_of(log, rules)
    numbers = question_numbers(log, questions)
    known = Known.of(judgments, rules)
    ids = query_ids(log, questions, numbers, known, rules)
    bias = PositionBias.of(log.columns["rank"], log.columns["clicked"])
    pairs = ClickPairs.of(log, bias, numbers)
    passages = log.values["passage_id"]
    missing = np.array([existing is not None and id_ not in existing for id_ in passages], np.bool_)
    if len(missing) and missing.all():
        raise InputError(
            f"{log.path}: not one of its {len(missing):,} passages is in the snapshot (such as {passages[0]!r}); is it "
            "the log of these documents?"
        )
    wanted = np.flatnonzero((pairs.clicks > 0) & ~missing[pairs.passage]).tolist()
    found = []
    for number in wanted:
        question = questions[pairs.question[number]]
        drawn = _draw(ids[pairs.question[number]], question, passages[pairs.passage[number]], pairs, number, known)
        found += [drawn] if drawn else []
    counts = {
        "events": len(log),
        "clicks": int(bias.clicks.sum()),
        "texts": len(log.values["query"]),
        "questions": len(questions),
        "clicked pairs": int((pairs.clicks > 0).sum()),
        "clicked pairs judged already": len(wanted) - len(found),
        "passages that do not exist": int(missing.sum()),
        "events of passages that do not exist": int(missing[log.columns["passage_id"]].sum()),
        "events of other snapshots": _of_others(log, snapshot),
    }
    lost = [id_ for id_, gone in zip(passages, missing, strict=True) if gone]
    notes = _notes(log, counts, lost)
    if new := len({each.query_id for each in found} - known.ids):
        notes.append(_without_fields(new, judgments))
    return Clicked(tuple(found), bias, counts, tuple(notes))


def _draw(
    query_id: str, question: Question, passage: str, pairs: ClickPairs, number: int, known: Known
) -> JudgmentCandidate | None:
    """The candidate of one pair; None if a person has judged it."""
    priority, evidence = round(float(pairs.priorities[number]), PRIORITY_DECIMALS), _evidence(pairs, number)
    why = (
        f"{evidence['clicks']} of {evidence['impressions']} impressions were clicked, where their ranks alone give "
        f"{evidence['expected_clicks']:.3g}"
    )
    if question.key not in known.by_key:
        return JudgmentCandidate(
            query_id,
            question.shown,
            (),
            passage,
            "click",
            "clicked",
            priority,
            why,
            {"clicked": evidence},
            rules=question.rules,
        )
    query, judgments = known.by_key[question.key]
    thing, said = judgments.thing(passage), judgments.of(query)
    if thing in said.people:
        return None
    drawn = JudgmentCandidate.about(query, thing, said.labelled.get(thing), "clicked", priority, why, evidence)
    return replace(drawn, source="click", rules=question.rules)


def _without_fields(new: int, judgments: Sequence[ExistingJudgments]) -> str:
    """What fields say of a question, even its language, is not guessed: Chinese users ask with English words, too."""
    derived = {*SLICEABLE, *DERIVED_FIELDS}
    names = dict.fromkeys(name for each in judgments for name in names_in(each.suite.slices) if name not in derived)
    listed = f" ({', '.join(names)})" if names else ""
    return (
        f"clicked questions in no suite that was read: {new:,}; they have no fields to be sliced by"
        f"{listed}, and the review asks for none: fill in `fields` of their rows before it"
    )


def _evidence(pairs: ClickPairs, number: int) -> dict[str, Any]:
    ratio, low, high = (round(float(each[number]), 4) for each in pairs.ratios)
    clicks, impressions = int(pairs.clicks[number]), int(pairs.impressions[number])
    return {
        "impressions": impressions,
        "clicks": clicks,
        "ctr": round(clicks / impressions, 4),
        "mean_rank": round(float(pairs.mean_rank[number]), 2),
        "expected_clicks": round(float(pairs.expected[number]), 4),
        "ratio": ratio,
        "interval": [low, high],
        "viewers": int(pairs.viewers[number]),
        "first": _day(pairs.first[number]),
        "last": _day(pairs.last[number]),
    }


def _day(seconds: float) -> str | None:
    return None if isnan(seconds) else datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _of_others(log: ClickLog, snapshot: str | None) -> int:
    """How many events name another snapshot."""
    if "snapshot" not in log.columns or snapshot is None:
        return 0
    # A log may hold the beginning of an id; an empty cell says nothing.
    other = np.array([not snapshot.startswith(id_) for id_ in log.values["snapshot"]] + [False], np.bool_)
    return int(other[log.columns["snapshot"]].sum())


def _notes(log: ClickLog, counts: Mapping[str, int], lost: Sequence[str]) -> list[str]:
    notes = []
    if log.ignored:
        notes.append(f"columns of the click log that are not used: {', '.join(log.ignored)}")
    if lost:
        shown = ", ".join(map(repr, lost[:_SHOWN])) + (", ..." if len(lost) > _SHOWN else "")
        notes.append(
            f"{counts['events of passages that do not exist']} events name {len(lost)} passages that the snapshot does "
            f"not hold, and are left out: {shown}"
        )
    if counts["events of other snapshots"]:
        notes.append(
            f"{counts['events of other snapshots']} events come from another snapshot, where the same id may have been "
            "another text"
        )
    return notes
