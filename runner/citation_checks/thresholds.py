"""The lowest rate that is good enough, for the checks that somebody demands it of."""

from collections.abc import Iterable, Mapping, Sequence

from runner.citation_checks.check_result import CHECKS, Check
from runner.citation_checks.rates import ALL, Rate
from runner.errors import ConfigError


def read_demands(texts: Iterable[str]) -> dict[Check, float]:
    """Read `existence=1.0,containment=0.99`, given any number of times. Raises ConfigError."""
    demands: dict[Check, float] = {}
    for text in texts:
        for part in text.split(","):
            name, _, written = part.strip().partition("=")
            check = next((each for each in CHECKS if each == name), None)
            if check is None:
                raise ConfigError(f"--min {part!r}: expected one of {', '.join(CHECKS)}, as in existence=1.0")
            if check in demands:
                raise ConfigError(f"--min names {check} twice; keep one")
            demands[check] = _share(part, written)
    return demands


def _share(part: str, written: str) -> float:
    try:
        share = float(written)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ConfigError(f"--min {part!r}: expected a number from 0 to 1, as in existence=1.0")
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
