"""The examples in the docstrings of the public surface, run as they stand."""

import doctest
import importlib
from pathlib import Path

import pytest

import runner

FUNCTIONS = [
    "score",
    "sweep",
    "run",
    "rerun",
    "load_run",
    "compare",
    "gate",
    "choose",
    "build_snapshot",
    "diff",
    "load_suite",
]


def test_every_public_function_has_an_example() -> None:
    assert sorted(FUNCTIONS) == sorted(name for name in runner.__all__ if name.islower())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_example_comes_out_as_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path))
    function = getattr(runner, name)
    module = importlib.import_module(function.__module__)
    (example,) = doctest.DocTestFinder().find(function, name, module=module, globs={})
    assert example.examples
    runner_ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    assert not runner_.run(example, out=said.append).failed, "".join(said)


def test_the_package_s_own_example_comes_out() -> None:
    assert doctest.testmod(runner).failed == 0
