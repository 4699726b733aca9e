"""Shares of citations that hold, by check and slice, and the least that is asked of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runner.citation_checks.answer_file import ServedAnswer
from runner.citation_checks.check_result import CHECKS, Check, CheckedAnswers, CheckedCitation
from runner.errors import ConfigError
from runner.stats import wilson

ALL = ""
# More values than this is an id, not a slice.
_MOST_VALUES = 200


@dataclass(frozen=True)
class Rate:
    """held of n citations that a check could be made of; unchecked: how many it could not, by reason.

    slice: `field.value`, "" for all. low and high: Wilson's 95% interval, as if citations were independent.
    """

    check: Check
    slice: str
    held: int
    n: int
    low: float
    high: float
    unchecked: Mapping[str, int]

    @property
    def value(self) -> float | None:
        """The share that holds; None where there is nothing to check."""
        return self.held / self.n if self.n else None


def rates_of(checked: CheckedAnswers, fields: Sequence[str] = ()) -> tuple[Rate, ...]:
    """Four rates over all citations, then four a slice, slices sorted by name within each field.

    fields: of the records; `kind` is one of its own where there are both answers and alerts. An answer without a
    value is in no slice of that field. Raises ConfigError for a field with more than 200 values, and for two slices
    of one name.
    """
    counts: dict[str, dict[Check, Counter[str]]] = {ALL: _empty()}
    for name in _slice_names(checked.answers, fields):
        counts[name] = _empty()
    both = len({answer.kind for answer in checked.answers}) > 1
    for each in checked.citations:
        for name in (ALL, *_slices_of(each.answer, fields, both)):
            _count(counts[name], each)
    keys = [(check, name) for name in counts for check in CHECKS]
    held = [counts[name][check]["held"] for check, name in keys]
    n = [held_ + counts[name][check]["failed"] for held_, (check, name) in zip(held, keys, strict=True)]
    low, high = wilson(np.array(held), np.array(n))
    return tuple(
        Rate(
            check, name, held[number], n[number], float(low[number]), float(high[number]), _reasons(counts[name][check])
        )
        for number, (check, name) in enumerate(keys)
    )


def _empty() -> dict[Check, Counter[str]]:
    return {check: Counter() for check in CHECKS}


def _count(counts: Mapping[Check, Counter[str]], citation: CheckedCitation) -> None:
    for check, finding in citation.findings.items():
        key = finding.outcome if finding.outcome != "unchecked" else f"unchecked {finding.reason}"
        counts[check][key] += 1


def _reasons(counts: Counter[str]) -> dict[str, int]:
    found = {key.removeprefix("unchecked "): n for key, n in counts.items() if key.startswith("unchecked ")}
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def _slice_names(answers: Iterable[ServedAnswer], fields: Sequence[str]) -> list[str]:
    values: dict[str, set[str]] = {name: set() for name in fields}
    kinds: set[str] = set()
    for answer in answers:
        kinds.add(answer.kind)
        for name in fields:
            if (value := _value(answer.fields.get(name))) is not None:
                values[name].add(value)
    for name, found in values.items():
        if len(found) > _MOST_VALUES:
            raise ConfigError(
                f"fields= names {name!r}, which has {len(found)} values (at most {_MOST_VALUES}); "
                "it looks like an id, not a group: name it in ignore="
            )
    named = [f"kind.{kind}" for kind in sorted(kinds)] if len(kinds) > 1 else []
    named += [f"{name}.{value}" for name, found in values.items() for value in sorted(found)]
    for name, count in Counter(named).items():
        if count > 1:
            raise ConfigError(f"two slices would be called {name!r}; rename a field of the records or a value")
    return named


def _slices_of(answer: ServedAnswer, fields: Sequence[str], both: bool) -> list[str]:
    names = [f"kind.{answer.kind}"] if both else []
    names += [f"{name}.{value}" for name in fields if (value := _value(answer.fields.get(name))) is not None]
    return names


def _value(value: Any) -> str | None:
    listed = value if isinstance(value, list) else [value]
    shown = [str(each).lower() if isinstance(each, bool) else str(each) for each in listed if each not in (None, "")]
    return "+".join(shown) or None


def read_demands(texts: Iterable[str]) -> dict[Check, float]:
    """Read `existence=1.0,containment=0.99`, given any number of times. Raises ConfigError."""
    demands: dict[Check, float] = {}
    for text in texts:
        for part in text.split(","):
            name, _, written = part.strip().partition("=")
            check = next((each for each in CHECKS if each == name), None)
            if check is None:
                raise ConfigError(f"min={part!r}: expected one of {', '.join(CHECKS)}, as in existence=1.0")
            if check in demands:
                raise ConfigError(f"min= names {check} twice; keep one")
            demands[check] = _share(part, written)
    return demands


def _share(part: str, written: str) -> float:
    try:
        share = float(written)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ConfigError(f"min={part!r}: expected a number from 0 to 1, as in existence=1.0")
    return share


def unmet(demands: Mapping[Check, float], rates: Sequence[Rate], impossible: int) -> list[str]:
    """One sentence for every demand that the rates over all citations do not meet.

    A rate of nothing meets no demand, and freshness none while records cite a snapshot from the future: what is
    wrong with them is not known.
    """
    overall = {rate.check: rate for rate in rates if rate.slice == ALL}
    sentences = []
    for check, least in demands.items():
        rate = overall[check]
        if rate.value is None:
            sentences.append(f"{check}: at least {least:g} is demanded, and no citation could be checked")
        elif rate.value < least:
            sentences.append(f"{check}: {rate.held} of {rate.n} = {rate.value:.4f}, at least {least:g} is demanded")
        elif check == "freshness" and impossible:
            sentences.append(f"freshness: {impossible} records cite a snapshot from the future; mend them first")
    return sentences
