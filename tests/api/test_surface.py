"""What `import runner` offers, and how little it costs."""

import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import runner

ROOT = Path(runner.__file__).parent.parent


def in_a_fresh_process(code: str, **environment: str) -> str:
    """What a process of its own prints that runs this code."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env={"PATH": "", **environment}
    )
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def test_the_names_are_those_that_are_listed() -> None:
    assert dir(runner) == sorted(runner.__all__)
    assert len(set(runner.__all__)) == len(runner.__all__)


@pytest.mark.parametrize("name", runner.__all__)
def test_each_is_there_and_says_what_it_is(name: str) -> None:
    found = getattr(runner, name)
    assert isinstance(found, FunctionType | type)
    assert found.__doc__
    if isinstance(found, FunctionType):
        assert found.__annotations__["return"]


def test_nothing_else_is() -> None:
    with pytest.raises(AttributeError, match="module 'runner' has no attribute 'sweeps'"):
        _ = runner.sweeps  # type: ignore[attr-defined]


def test_a_command_of_the_same_name_is_found_and_hides_no_function() -> None:
    from runner.compare import main  # type: ignore[import-not-found]

    assert callable(main)
    assert isinstance(sys.modules["runner.compare"], ModuleType)
    assert isinstance(runner.compare, FunctionType)


def test_to_import_it_imports_nothing_but_itself() -> None:
    loaded = in_a_fresh_process("import sys, runner; print(*[name for name in sys.modules if 'runner' in name])")
    assert loaded.split() == ["runner"]


def test_to_score_files_takes_neither_hydra_nor_mlflow(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 Q0 b 1 2.0 mine\nq1 Q0 a 2 1.0 mine\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    code = (
        "import sys, runner\n"
        f"found = runner.score({str(tmp_path / 'run')!r}, {str(tmp_path / 'qrels')!r})\n"
        "repr(found), found.per_query\n"
        "print(found.metrics['mrr'], {'hydra', 'omegaconf', 'mlflow', 'joblib'} & {*sys.modules})"
    )
    assert in_a_fresh_process(code) == "0.5 set()"


@pytest.mark.slow
def test_a_sweep_that_is_not_logged_takes_no_mlflow(tmp_path: Path) -> None:
    code = (
        "import sys, runner\n"
        "found = runner.sweep('retriever=bm25', 'k=1,5', log=False)\n"
        "repr(found), found[0].per_query, found[0].slices\n"
        "print(len(found), 'mlflow' in sys.modules)"
    )
    assert in_a_fresh_process(code, RUNNER_HOME=str(tmp_path)) == "2 False"
    assert not list(tmp_path.rglob("mlflow.db"))


@pytest.mark.slow
def test_a_typed_program_that_uses_it_checks() -> None:
    pytest.importorskip("mypy", reason="the extra `dev` is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(Path(__file__).parent / "typed_use.py")],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert not done.returncode, done.stdout
