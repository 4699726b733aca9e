"""Run retrieval experiments: sweep retriever variants over judged questions, record every score, repeat any run.

>>> import runner
>>> runner.score({"q1": ["b", "a"]}, {"q1": ["a"]}, metrics="mrr").metrics
{'mrr': 0.5}
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runner.alignment.difference import Difference
    from runner.api.data import build_snapshot, diff, load_suite
    from runner.api.decisions import choose, compare, gate
    from runner.api.results import FailedJob, RerunResult, RunResult, SweepResult
    from runner.api.scores import Scores, score
    from runner.api.sweeps import load_run, rerun, run, sweep
    from runner.decisions.comparison import Comparison
    from runner.decisions.gating import GateResult
    from runner.decisions.smallest_k import Selection
    from runner.errors import ConfigError, InputError, RunnerError
    from runner.snapshots import Snapshot
    from runner.suites import Suite

__all__ = [
    "Comparison",
    "ConfigError",
    "Difference",
    "FailedJob",
    "GateResult",
    "InputError",
    "RerunResult",
    "RunResult",
    "RunnerError",
    "Scores",
    "Selection",
    "Snapshot",
    "Suite",
    "SweepResult",
    "build_snapshot",
    "choose",
    "compare",
    "diff",
    "gate",
    "load_run",
    "load_suite",
    "rerun",
    "run",
    "score",
    "sweep",
]

# Where each is, imported when it is first used: what scores files needs neither Hydra nor MLflow.
_HOMES = {
    "runner.alignment.difference": ("Difference",),
    "runner.api.data": ("build_snapshot", "diff", "load_suite"),
    "runner.api.decisions": ("choose", "compare", "gate"),
    "runner.api.results": ("FailedJob", "RerunResult", "RunResult", "SweepResult"),
    "runner.api.scores": ("Scores", "score"),
    "runner.api.sweeps": ("load_run", "rerun", "run", "sweep"),
    "runner.decisions.comparison": ("Comparison",),
    "runner.decisions.gating": ("GateResult",),
    "runner.decisions.smallest_k": ("Selection",),
    "runner.errors": ("ConfigError", "InputError", "RunnerError"),
    "runner.snapshots": ("Snapshot",),
    "runner.suites": ("Suite",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

# `python -m runner.compare` is the file cli/compare.py: a command is one file, with no second one beside it.
__path__.append(f"{__path__[0]}/cli")


class _Surface(ModuleType):
    """Keeps the names of functions from commands of the same name: whoever imports one has it set here as a module."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Surface


if not TYPE_CHECKING:  # or any name would be taken to be there

    def __getattr__(name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(_HOME_OF[name]), name)
        setattr(sys.modules[__name__], name, found)
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
