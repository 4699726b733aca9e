"""Refuse to score a holdout suite with questions that were tuned on, and to tune on the questions of a holdout."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from runner.errors import InputError, Problem
from runner.suite_formats.beside import suites_beside
from runner.suites import ROLES, Suite
from runner.suites.leak import HOLDOUT, Leak, file_of, holdout_leaks, merged
from runner.workflows.seen_queries import SeenQueries

_TUNED = tuple(role for role in ROLES if role != HOLDOUT)
_OUT_OF_HOLDOUT = "what was tuned on shows nothing about a release: take it out of the holdout suite"
_SAME_ID = "; if it has the same id by chance only, give it another id"
_SAME_DATASET = ", or its collection another name than the other's (dataset.name=...)"
_OUT_OF_ONE = "scoring it here would make the holdout one question poorer: take it out of one of the two"


def leaks_of(
    suite: Suite, store: str | Path, dataset: str, others: Sequence[tuple[Suite, str]] = ()
) -> tuple[Leak, ...]:
    """Every query of a holdout suite known from tuning: in suites beside its file, in a store's record, in others.

    dataset: the name under which ids mean the same; each of the others has its own. Suites that lie in one folder are
    taken to be of one dataset. Raises InputError for a suite beside it that cannot be read.
    """
    alike = [other for other, its in others if its == dataset]
    strange = [other for other, its in others if its != dataset]
    beside = holdout_leaks(suite, [*suites_beside(suite, _TUNED), *alike])
    return merged([*beside, *holdout_leaks(suite, strange, by_id=False), *SeenQueries(store).leaks(suite, dataset)])


def refuse_leaks(scored: Sequence[tuple[Suite, str]], store: str | Path) -> None:
    """Hold what is about to be scored, (suite, dataset) pairs, against all that was and is tuned on.

    Raises InputError naming the first 20 queries of each suite that is not clean, with where else they stand.
    """
    tuned = [(suite, dataset) for suite, dataset in scored if suite.role != HOLDOUT]
    errors: list[str] = []
    for suite, dataset in scored:
        if suite.role == HOLDOUT:
            leaks = leaks_of(suite, store, dataset, tuned)
            errors.append(leak_error(suite, leaks) if leaks else "")
        else:
            problems = _spent_problems(suite)
            errors.append(_error(suite, problems, _OUT_OF_ONE) if problems else "")
    if any(errors):
        raise InputError("\n".join(dict.fromkeys(filter(None, errors))))


def leak_error(suite: Suite, leaks: Iterable[Leak]) -> str:
    """What is said of a holdout suite that leaks: the first 20 queries with their lines, and how to mend it."""
    lines, leaks = _lines(suite), tuple(leaks)
    by_id = [leak for leak in leaks if leak.id_alone]
    mend = _OUT_OF_HOLDOUT + _SAME_ID * bool(by_id) + _SAME_DATASET * any(leak.recorded for leak in by_id)
    return _error(suite, [Problem(lines.get(leak.query_id), str(leak)) for leak in leaks], mend)


def _error(suite: Suite, problems: Sequence[Problem], mend: str) -> str:
    listed = str(InputError.of(suite.path or f"suite {suite.name}", problems))
    return f"{listed}; {mend}" if len(problems) == 1 else f"{listed}\n  {mend}"


def _spent_problems(suite: Suite) -> list[Problem]:
    problems = []
    try:
        holdouts = suites_beside(suite, [HOLDOUT])
    except InputError:
        # A holdout kept elsewhere, or broken, is no fault of this suite; scoring the holdout finds what is to be found.
        return []
    lines = _lines(suite) if holdouts else {}
    for holdout in holdouts:
        for leak in holdout_leaks(holdout, [suite]):
            problems.append(
                Problem(
                    lines.get(leak.other_id),
                    f"query {leak.other_id!r} is query {leak.query_id!r} of the holdout suite {holdout.name!r} "
                    f"({file_of(holdout, suite)}): same {' and '.join(leak.matched)}",
                )
            )
    return problems


def _lines(suite: Suite) -> dict[str, int | None]:
    return {query.id: min(query.lines.values(), default=None) for query in suite.queries}
