"""Candidates of all sources as one list, anonymous and ranked, and the file of them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.candidate import KINDS, PRIORITY_DECIMALS, JudgmentCandidate
from runner.errors import ConfigError, InputError
from runner.files.atomic import replace_file
from runner.files.strict_json import json_text
from runner.suites import SOURCES
from runner.suites.question_key import comparable


@dataclass(frozen=True)
class CandidateList:
    """candidates: all of them, in their order. inputs: one object a source. counts: of the click log.

    by_rank: rank, impressions, clicks and their share over the whole log. notes: what a reader should know.
    """

    candidates: Sequence[JudgmentCandidate]
    inputs: Sequence[Mapping[str, Any]]
    rules: Rules
    options: Mapping[str, Any]
    counts: Mapping[str, int] = field(default_factory=dict)
    by_rank: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()

    def kinds(self) -> dict[str, int]:
        """How many candidates have each kind of reason, one with several in each of them."""
        counted = Counter(kind for candidate in self.candidates for kind in candidate.evidence)
        return {kind: counted[kind] for kind in KINDS}


def meta_path(path: Path) -> Path:
    """Where the summary of a candidates file lies: beside it, with `.meta.json` for its ending."""
    return path.with_suffix(".meta.json")


def write_candidates(found: CandidateList, path: Path, most: int) -> int:
    """Write the first `most` candidates and the summary, each whole or not at all; return how many there are.

    Raises ConfigError for a path that is one of the inputs, InputError for one that cannot be written.
    """
    read = [Path(str(each["path"])) for each in found.inputs if "path" in each] + [Path(found.rules.path)]
    for target in (path, meta_path(path)):
        if target.resolve() in [each.resolve() for each in read]:
            raise ConfigError(f"out={path}: {target} is an input; candidates go into a file of their own")
    lines = [json.dumps(each.row(), ensure_ascii=False, allow_nan=False) + "\n" for each in found.candidates[:most]]
    data = "".join(lines).encode()
    meta = json_text(_meta(found, path, data, len(lines)))
    try:
        # The summary last: it names the hash of the other.
        replace_file(path, data)
        replace_file(meta_path(path), meta.encode())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name another place with out=...") from None
    return len(lines)


def _meta(found: CandidateList, path: Path, data: bytes, written: int) -> dict[str, Any]:
    return {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "candidates": {"file": path.name, "sha256": sha256(data).hexdigest()},
        "inputs": list(found.inputs),
        "rules": {
            "file": Path(found.rules.path).name,
            "sha256": found.rules.sha256,
            "names": list(found.rules.names),
            "texts_changed": dict(Counter(name for each in found.candidates for name in each.rules)),
            "may_be_slow": list(found.rules.slow),
        },
        "options": dict(found.options),
        "counts": {"found": len(found.candidates), "written": written, **found.kinds(), **found.counts},
        "clicks_by_rank": list(found.by_rank),
        "notes": list(found.notes),
    }


Pair = tuple[str, str | None]


def ranked_list(candidates: Iterable[JudgmentCandidate], rules: Rules) -> list[JudgmentCandidate]:
    """Order candidates: the first of every kind, then the second of every kind, and so on.

    Within a kind the priority decides, then query and id; a pair with reasons of several kinds stands where the best
    placed of them puts it. The priorities of different kinds measure different things, so they only break ties.
    Texts that users wrote are anonymised; queries that become equal by it are one, under
    the id that comes first. Several reasons for one pair are one row, with the priority 1 - (1 - a)(1 - b)..., the
    chance that one of them holds, were they independent chances.
    """
    listed = _under_one_id([_anonymised(candidate, rules) for candidate in candidates])
    pairs: dict[Pair, list[JudgmentCandidate]] = defaultdict(list)
    for candidate in listed:
        pairs[candidate.query_id, candidate.id].append(candidate)
    places = _places(pairs)
    merged = {pair: _together(each, rules) for pair, each in pairs.items()}
    return sorted(
        merged.values(),
        key=lambda each: (places[each.query_id, each.id], -each.priority, each.query_id, each.id or ""),
    )


def _places(pairs: Mapping[Pair, Sequence[JudgmentCandidate]]) -> dict[Pair, int]:
    """The best place, from 0, that a pair has in any kind."""
    by_kind: dict[str, dict[Pair, float]] = defaultdict(dict)
    for pair, candidates in pairs.items():
        for each in candidates:
            by_kind[each.kind][pair] = max(each.priority, by_kind[each.kind].get(pair, 0.0))
    places: dict[Pair, int] = {}
    for priorities in by_kind.values():
        ordered = sorted(priorities, key=lambda pair: (-priorities[pair], pair[0], pair[1] or ""))
        for place, pair in enumerate(ordered):
            places[pair] = min(place, places.get(pair, place))
    return places


def _anonymised(candidate: JudgmentCandidate, rules: Rules) -> JudgmentCandidate:
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


def _under_one_id(candidates: list[JudgmentCandidate]) -> list[JudgmentCandidate]:
    """Give queries that are one since they were anonymised the id that comes first of theirs."""
    key_of: dict[tuple[str, ...], tuple[str, ...]] = {}
    ids: dict[tuple[str, ...], str] = {}
    for each in candidates:
        if each.rules:
            turns = (*each.history, each.text)
            key = key_of[turns] = key_of.get(turns) or tuple(map(comparable, turns))
            ids[key] = min(ids.get(key, each.query_id), each.query_id)
    return [
        replace(each, query_id=ids[key_of[(*each.history, each.text)]]) if each.rules else each for each in candidates
    ]


def _together(candidates: list[JudgmentCandidate], rules: Rules) -> JudgmentCandidate:
    """One row for one pair; of several reasons of a kind the strongest counts."""
    if len(candidates) == 1:
        return candidates[0]
    strongest: dict[str, JudgmentCandidate] = {}
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
