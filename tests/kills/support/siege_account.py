"""When blows fall in a siege, and the account of what became of those that were struck."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kill_world import Ground, sweep_processes

Moment = Callable[[], bool]


@dataclass
class Account:
    """What became of the trials of one blow, and what was found afterwards that should not have been there."""

    blow: str
    tried: int = 0
    hit: int = 0
    processes: int = 0
    folders: int = 0
    slowest: float = 0.0
    statuses: dict[int, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def enter(self, ground: Ground) -> None:
        """Take down how a sweep that was struck ended, and end what is left of it."""
        self.statuses[ground.status] = self.statuses.get(ground.status, 0) + 1
        self.slowest = max(self.slowest, ground.lingered)
        self.processes += end_what_is_left(ground)

    def told(self) -> str:
        """In one line."""
        return (
            f"{self.blow}: {self.tried} tried, {self.tried - len(self.failures)} survived, {self.hit} hit a running "
            f"sweep, {self.processes} processes left, {self.folders} folders left; the last process went after at most "
            f"{self.slowest:.1f} s; exit statuses {dict(sorted(self.statuses.items()))}"
        )


def end_what_is_left(ground: Ground) -> int:
    """End what is left of a sweep; how many processes that were."""
    left = list(sweep_processes(ground.home))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return len(left)


def at_random(ground: Ground, chance: float, usual: float) -> Moment:
    """Any moment of a sweep that usually takes so many seconds."""
    begun = time.monotonic()
    return lambda: time.monotonic() - begun >= chance * usual


def while_workers_stand(ground: Ground, chance: float, usual: float) -> Moment:
    """A while after the first worker is seen."""
    seen: list[float] = []

    def come() -> bool:
        if not seen and any("popen_loky_posix" in line for line in sweep_processes(ground.home).values()):
            seen.append(time.monotonic())
        return bool(seen) and time.monotonic() - seen[0] >= chance * usual / 4

    return come


def while_runs_are_logged(ground: Ground, chance: float, usual: float) -> Moment:
    """A while after another run of the experiment is seen to be written."""
    before, seen = ground.begun(), []

    def come() -> bool:
        if not seen and ground.begun() > before:
            seen.append(time.monotonic())
        return bool(seen) and time.monotonic() - seen[0] >= chance * usual / 6

    return come
