"""Many kills and interrupts at random moments of a first and a second sweep; about an hour on two cores.

    RUNNER_KILLS=0.1 pytest -n 0 -s -m long tests/kills/test_long_siege.py

RUNNER_KILLS is the share of the full number that is tried, RUNNER_KILLS_SEED what the moments are drawn with; `-k`
chooses among the blows. Every trial is counted, also after one that failed.
"""

import os
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from kill_world import (
    FIRST,
    GROUP_TERMINATED,
    INTERRUPTED,
    KILLED,
    LOGGED,
    PARENT_INTERRUPTED,
    SECOND,
    TERMINATED,
    TRACKER_KILLED,
    WORKER_KILLED,
    WRITER_KILLED,
    Blow,
    Ground,
    Values,
    undisturbed,
)
from siege_account import Account, Moment, at_random, end_what_is_left, while_runs_are_logged, while_workers_stand

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are counted in /proc"),
]

SHARE = float(os.environ.get("RUNNER_KILLS", "1"))
SEED = os.environ.get("RUNNER_KILLS_SEED", "1")
# Where there is something to be computed in workers although the cache has been filled.
ANEW = (*SECOND, "cache=refresh")

# Interrupts of one sweep, before it may end.
IN_A_ROW = 4


@dataclass(frozen=True)
class Siege:
    """So many blows of a kind, each to a sweep. fresh: each on a ground on which nothing was done before."""

    name: str
    blow: Blow
    times: int
    arguments: tuple[str, ...]
    when: Callable[[Ground, float, float], Moment] = at_random

    @property
    def fresh(self) -> bool:
        return self.arguments is FIRST


SIEGES = [
    Siege("killed-first", KILLED, 30, FIRST),
    Siege("killed-second", KILLED, 30, SECOND),
    Siege("terminated-first", TERMINATED, 5, FIRST),
    Siege("terminated-second", TERMINATED, 5, SECOND),
    Siege("group-terminated-first", GROUP_TERMINATED, 5, FIRST),
    Siege("group-terminated-second", GROUP_TERMINATED, 5, SECOND),
    Siege("interrupted-first", INTERRUPTED, 10, FIRST),
    Siege("interrupted-second", INTERRUPTED, 10, SECOND),
    Siege("worker-killed", WORKER_KILLED, 10, ANEW, while_workers_stand),
    Siege("writer-killed-first", WRITER_KILLED, 5, FIRST),
    Siege("writer-killed-second", WRITER_KILLED, 5, SECOND, while_runs_are_logged),
    Siege("tracker-killed", TRACKER_KILLED, 4, ANEW, while_workers_stand),
]


@dataclass
class Usual:
    """What is scored when nobody disturbs, how long each sweep takes, and a ground on which both were run."""

    values: dict[str, Values]
    seconds: dict[tuple[str, ...], float]
    ground: Ground


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Usual:
    ground = Ground(tmp_path_factory.mktemp("undisturbed"))
    values, (first, second) = undisturbed(ground)
    return Usual(values, {FIRST: first, SECOND: second, ANEW: second}, ground)


@pytest.mark.timeout(0)
@pytest.mark.parametrize("siege", SIEGES, ids=lambda siege: siege.name)
def test_no_blow_at_any_moment_costs_a_run(tmp_path: Path, siege: Siege, usual: Usual) -> None:
    cuts = next(word.removeprefix("k=").split(",") for word in siege.arguments if word.startswith("k="))
    expected = {name: each for name, each in usual.values.items() if name.endswith(tuple(f" k={cut}" for cut in cuts))}
    chances = random.Random(f"{SEED} {siege.name}")
    account = Account(siege.name)
    ground = Ground(tmp_path / "0") if siege.fresh else usual.ground
    for number in range(1, max(1, round(siege.times * SHARE)) + 1):
        ground.experiment = f"{siege.name}-{number}"
        chance, seconds = chances.random(), usual.seconds[siege.arguments]
        failure = _trial(ground, siege, lambda g=ground, c=chance, s=seconds: siege.when(g, c, s), expected, account)
        if failure:
            account.failures.append(f"{siege.name} {number} at {chance:.3f} on {ground.folder}: {failure}")
            print(account.failures[-1], flush=True)
        elif siege.fresh:
            shutil.rmtree(ground.folder)
        if siege.fresh:
            ground = Ground(tmp_path / f"{number}")
        elif failure:
            # What went wrong on one is not to spoil the next.
            usual.ground = ground = Ground(tmp_path / f"{number}")
            undisturbed(ground)
        print(account.told(), flush=True)
    assert not account.failures, "\n".join([account.told(), *account.failures])


@pytest.mark.timeout(0)
@pytest.mark.parametrize("blow", [INTERRUPTED, PARENT_INTERRUPTED], ids=lambda blow: blow.to)
def test_no_interrupt_is_ignored_while_runs_are_logged(blow: Blow, usual: Usual) -> None:
    """Several to one sweep that is resumed again and again, before it is let come to its end."""
    ground, account, chances = usual.ground, Account(f"{blow.name} while runs are logged"), random.Random(SEED)
    times, seconds = max(1, round(30 * SHARE)), usual.seconds[SECOND]
    for number in range(1, times + 1):
        ground.experiment = f"logged-{blow.to}-{(number - 1) // IN_A_ROW}"
        account.tried += 1
        failures = []
        try:
            when = while_runs_are_logged(ground, chances.random(), seconds)
            account.hit += ground.struck((*LOGGED, "resume=true"), blow, when)
        except Exception as error:
            failures.append(f"when it was struck: {error!r}")
        account.enter(ground)
        if number % IN_A_ROW == 0 or number == times:
            failures += _resumed(ground, LOGGED, usual.values, account)
        if failures:
            account.failures.append(f"{number} on {ground.folder} in {ground.experiment}: {'; '.join(failures)}")
            print(account.failures[-1], flush=True)
        print(account.told(), flush=True)
    assert not account.failures, "\n".join([account.told(), *account.failures])


def _trial(
    ground: Ground, siege: Siege, when: Callable[[], Moment], expected: dict[str, Values], account: Account
) -> str:
    """Strike and start the same sweep again; what is then not as it should be, all of it."""
    account.tried += 1
    failures = []
    try:
        account.hit += ground.struck(siege.arguments, siege.blow, when())
    except Exception as error:
        failures.append(f"when it was struck: {error!r}")
    account.enter(ground)
    return "; ".join([*failures, *_resumed(ground, siege.arguments, expected, account)])


def _resumed(ground: Ground, arguments: tuple[str, ...], expected: dict[str, Values], account: Account) -> list[str]:
    """Start a sweep again and look at what there is when it has ended; what is not as it should be."""
    failures = []
    try:
        ground.resume(arguments)
        assert ground.statuses() <= {"FINISHED", "KILLED", "FAILED"}
        found = ground.values()
        assert len(found) == _jobs(arguments)
        assert {name: found.get(name) for name in expected} == expected
    except Exception as error:
        failures.append(f"afterwards: {error!r}")
    account.processes += end_what_is_left(ground)
    account.folders += len(ground.leavings())
    return failures


def _jobs(arguments: tuple[str, ...]) -> int:
    listed = [word.partition("=")[2].split(",") for word in arguments if word.startswith(("k=", "retriever="))]
    return len(listed[0]) * len(listed[1])
