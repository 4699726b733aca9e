"""What is needed of Hydra beyond what it promises: one file uses it, and each piece does what it is used for."""

import re
from pathlib import Path
from typing import Any

import pytest
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.overrides_visitor import HydraOverrideVisitor
from hydra.errors import HydraException
from hydra.version import VersionBase
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError

from runner.composition import hydra_internals
from runner.composition.session import hydra_on_conf

ROOT = Path(__file__).parents[2]


def test_one_file_uses_it() -> None:
    private = re.compile(r"hydra\._internal|GlobalHydra\.instance\(\)\.hydra\b|Singleton\._instances")
    places = [*(ROOT / "runner").rglob("*.py"), *(ROOT / "hydra_plugins").rglob("*.py")]
    assert [path.name for path in places if private.search(path.read_text("utf-8"))] == ["hydra_internals.py"]


def application(folder: Path, *arguments: str) -> list[DictConfig]:
    (folder / "config.yaml").write_text("defaults: [override hydra/job_logging: none, _self_]\nk: 1\n")
    seen: list[DictConfig] = []
    quiet = ("hydra.output_subdir=null", "hydra/hydra_logging=none", f"hydra.run.dir={folder}")
    hydra_internals.run_application([*arguments, *quiet], seen.append, str(folder), "config")
    return seen


def test_an_application_is_run_without_a_look_at_the_arguments_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["x", "nonsense"])
    seen = application(tmp_path, "k=2")
    assert [config.k for config in seen] == [2]
    assert not GlobalHydra.instance().is_initialized()


def test_what_cannot_be_composed_is_raised_and_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(HydraException, match="kk"):
        application(tmp_path, "kk=2")
    assert capsys.readouterr() == ("", "")


def test_the_parser_of_arguments_tells_overrides_from_options() -> None:
    parsed = hydra_internals.get_args_parser().parse_args(["k=1", "-m", "--config-dir", "conf"])
    assert (parsed.overrides, parsed.multirun, parsed.config_dir) == (["k=1"], True, "conf")
    assert parsed.experimental_rerun is None


def test_values_are_set_as_hydra_sets_them() -> None:
    config = OmegaConf.create({"a": {"b": 1, "c": 2}})
    OmegaConf.set_struct(config, True)
    hydra_internals.apply_overrides(OverridesParser.create().parse_overrides(["a.b=3", "+d=4"]), config)
    assert config == {"a": {"b": 3, "c": 2}, "d": 4}
    with pytest.raises(HydraException) as error:
        hydra_internals.apply_overrides(OverridesParser.create().parse_overrides(["a.e=1"]), config)
    assert isinstance(error.value.__cause__, ConfigAttributeError)


def test_a_visitor_of_ones_own_visits_and_leaves_hydra_s_in_place() -> None:
    class Upper(HydraOverrideVisitor):
        def visitPrimitive(self, ctx: Any) -> Any:
            return str(ctx.getText()).upper()

    parser = OverridesParser.create()
    assert hydra_internals.parse_visiting(parser, Upper, "k=true", "override").value() == "TRUE"
    assert parser.parse_override("k=true").value() is True


def test_the_class_that_reads_files_is_the_one_that_hydra_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    source = hydra_internals.file_source()
    load = source.load_config

    def noted(self: Any, config_path: str) -> Any:
        read.append(f"{self.path}/{self._normalize_file_name(config_path)}")
        return load(self, config_path)

    monkeypatch.setattr(source, "load_config", noted)
    with hydra_on_conf() as loader:
        loader.load_sweep_config(
            OmegaConf.create({"hydra": {"overrides": {"hydra": []}, "job": {"config_name": "config"}}}), []
        )
    assert any(path.endswith("conf/config.yaml") for path in read)


def test_apart_is_apart_and_afterwards_all_is_as_before() -> None:
    mine = GlobalHydra.instance()
    base = VersionBase.instance().getbase()
    with hydra_internals.apart():
        assert GlobalHydra.instance() is not mine
        VersionBase.instance().version_base = None
    assert GlobalHydra.instance() is mine
    assert VersionBase.instance().getbase() is base
