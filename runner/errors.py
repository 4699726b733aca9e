"""The errors that a person is meant to read: one line each, no traceback."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_LISTED = 20


class RunnerError(Exception):
    """Something the person who started the program can mend; the message says what and how."""


class ConfigError(RunnerError):
    """The configuration asks for something that does not exist or does not fit together."""


class StoreGone(RunnerError):
    """What keeps the runs is out of reach: nothing that still waits will be written."""


class Misbehaved(RunnerError):
    """Somebody's own code failed; that is for its jobs to bear, not for others of the sweep. trace: where."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


@dataclass(frozen=True)
class Problem:
    """One fault of an input: the line it is on (from 1; None for the whole file), what was found, how to mend it."""

    line: int | None
    message: str


class InputError(RunnerError):
    """A file, a folder or a stored snapshot does not hold what it should."""

    @classmethod
    def of(cls, path: str | Path, problems: Sequence[Problem]) -> "InputError":
        """List the problems of one input in line order: the first 20, then how many more there are.

        A single problem makes a single line, `path:line: message`.
        """
        ordered = sorted(problems, key=lambda problem: problem.line or 0)
        lines = [
            f"{path}:{problem.line}: {problem.message}" if problem.line else f"{path}: {problem.message}"
            for problem in ordered[:MOST_LISTED]
        ]
        if len(ordered) == 1:
            return cls(lines[0])
        more = len(ordered) - len(lines)
        tail = [f"  ... and {more} more"] if more else []
        return cls("\n".join([f"{path}: {len(ordered)} problems", *(f"  {line}" for line in lines), *tail]))

    @classmethod
    def of_files(cls, problems: Mapping[Path, Sequence[Problem]]) -> "InputError":
        """List the problems of files that belong together, one after the other."""
        return cls("\n".join(str(cls.of(path, found)) for path, found in problems.items() if found))
