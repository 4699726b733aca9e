"""The drill on what the program is shown with."""

from pathlib import Path

from drill_library import verdicts_of

from runner.composition.requests import compose_request
from runner.engine.inputs import ConfiguredInputs
from runner.selftest.check import FAILED, NOTICED
from runner.selftest.drill import run_drill


def test_every_slice_of_the_demo_is_noticed(tmp_path: Path) -> None:
    settings = compose_request(["suite=core", "retriever=hybrid", f"store={tmp_path}/store"]).settings
    drill = run_drill(settings, ConfiguredInputs())
    assert [each for each in drill.checks if each.verdict == FAILED] == []
    assert len(drill.slices) == 43
    for name in ("remove", "refuse", "update"):
        assert set(verdicts_of(drill, name).values()) == {NOTICED}
    assert set(verdicts_of(drill, "swap").values()) == {NOTICED}
    assert not (tmp_path / "store").exists()
