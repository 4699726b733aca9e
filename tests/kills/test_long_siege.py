"""Many kills and interrupts at random moments of a first and a second sweep; some hours on a slow machine.

    RUNNER_KILLS=0.1 pytest -n 0 -s -m long tests/kills/test_long_siege.py

RUNNER_KILLS is the share of the full number that is tried, RUNNER_KILLS_SEED what the moments are drawn with.
"""

import os
import random
import shutil
import sys
import time
from pathlib import Path

import pytest
from kill_world import (
    FIRST,
    GROUP_TERMINATED,
    INTERRUPTED,
    KILLED,
    SECOND,
    TERMINATED,
    TRACKER_KILLED,
    WORKER_KILLED,
    WRITER_KILLED,
    Blow,
    Ground,
    undisturbed,
)

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are counted in /proc"),
]

# How often each is tried in full.
SIEGE: list[tuple[Blow, int]] = [
    (KILLED, 60), (TERMINATED, 10), (GROUP_TERMINATED, 10), (INTERRUPTED, 60), (WORKER_KILLED, 10), (WRITER_KILLED, 10),
    (TRACKER_KILLED, 4),
]  # fmt: skip


def test_no_blow_at_any_moment_costs_a_run(tmp_path: Path) -> None:
    share, seed = float(os.environ.get("RUNNER_KILLS", "1")), int(os.environ.get("RUNNER_KILLS_SEED", "1"))
    moments = random.Random(seed)
    expected, seconds = undisturbed(tmp_path / "undisturbed")
    failures: list[str] = []
    tried = hits = 0
    for blow, times in SIEGE:
        survived = struck = 0
        rounds = max(1, round(times * share / 2))
        for number in range(rounds):
            ground = Ground(tmp_path / f"{blow.number}-{blow.to}-{number}")
            for arguments, usual in zip((FIRST, SECOND), seconds, strict=True):
                moment = moments.uniform(0.0, usual)
                begun = time.monotonic()
                try:
                    struck += ground.struck(arguments, blow, lambda b=begun, m=moment: time.monotonic() - b >= m)
                    ground.resume(arguments)
                    assert ground.statuses() <= {"FINISHED", "KILLED", "FAILED"}
                    found = ground.values()
                    assert found == {name: expected[name] for name in found}
                    survived += 1
                except AssertionError as error:
                    failures.append(f"{blow.name} of {' '.join(arguments)} after {moment:.2f} s: {error}")
                    print(failures[-1], flush=True)
                    break
            else:
                assert ground.values() == expected
                shutil.rmtree(ground.folder)
        tried, hits = tried + 2 * rounds, hits + struck
        print(f"{blow.name}: survived {survived} of {2 * rounds} tried ({struck} hit a running sweep)", flush=True)
    print(f"all: {tried - len(failures)} of {tried} survived, {hits} hit")
    assert not failures, "\n".join(failures)
