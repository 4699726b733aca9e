"""Nothing that a stored configuration names is built or imported, unless it is the program's or trusted by name."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from decide_office import RULES, Desk, Office, write_policy
from engine_world import bm25, double
from tampering import put, tamper, write_harmful_module

from runner.cli import accept, choose, compare, drill, gate, judgments, rerun, trend
from runner.configuration.settings import conf_directory
from runner.decisions.run_scores import RunScores
from runner.engine.trust import Trust, nodes
from runner.errors import ConfigError, InputError
from runner.tracking.stored_run import StoredRun

Payload = Callable[[Path], dict[str, Any]]

# Each would leave the mark if it were called.
PAYLOADS: dict[str, Payload] = {
    "os.system": lambda mark: {"_target_": "os.system", "command": f"touch {mark}"},
    "posix.system": lambda mark: {"_target_": "posix.system", "command": f"touch {mark}"},
    "builtins.eval": lambda mark: {"_target_": "builtins.eval", "_args_": [f"open({str(mark)!r}, 'w')"]},
    "builtins.open": lambda mark: {"_target_": "builtins.open", "file": str(mark), "mode": "w"},
    "subprocess.run": lambda mark: {"_target_": "subprocess.run", "args": ["touch", str(mark)]},
    "subprocess.getoutput": lambda mark: {"_target_": "subprocess.getoutput", "cmd": f"touch {mark}"},
    "importlib.import_module": lambda mark: {"_target_": "importlib.import_module", "name": "harmful_at_import"},
    "shutil.copyfile": lambda mark: {"_target_": "shutil.copyfile", "src": __file__, "dst": str(mark)},
    "functools.partial": lambda mark: {"_target_": "functools.partial", "_args_": ["os.system", f"touch {mark}"]},
    "pathlib.Path.touch": lambda mark: {"_target_": "pathlib.Path.touch", "self": str(mark)},
    "numpy.save": lambda mark: {"_target_": "numpy.save", "file": str(mark), "arr": 1},
    "through retrievers": lambda mark: {"_target_": "retrievers.semantic.np.save", "file": str(mark), "arr": 1},
    "a function of the program": lambda mark: {"_target_": "runner.cli.entry.leave", "action": None},
    "a module of the program": lambda mark: {"_target_": "runner.cli.entry.os.system", "command": f"touch {mark}"},
    "a class that is no component": lambda mark: {"_target_": "runner.tracking.tracker.Tracker", "settings": None},
    "harm at import": lambda mark: {"_target_": "harmful_at_import.Retriever"},
    "partial": lambda mark: {"_target_": "retrievers.bm25.BM25", "_partial_": True},
    "a prefix only": lambda mark: {"_target_": "retrievers_of_mine.Evil"},
    "no text": lambda mark: {"_target_": ["os.system"]},
    "interpolated": lambda mark: {"_target_": "${oc.env:HOME}"},
}
PLACES = {
    "retriever": lambda node: put("retriever", node),
    "analyzer": lambda node: put("retriever.analyzer", node),
    "chunker": lambda node: put("chunker", node),
    "suite": lambda node: put("suite", node),
    "corpus": lambda node: put("corpus", node),
    "list element": lambda node: put("retriever.extra", [[{"deep": node}]]),
    "mapping": lambda node: put("dataset.own", {"a": {"b": node}}),
}


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there only if something was executed; a module that makes it stands on the path."""
    write_harmful_module(tmp_path, tmp_path / "OWNED")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "OWNED"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_payload_is_built_wherever_it_stands(office: Office, mark: Path, payload: str, place: str) -> None:
    settings = office.settings(bm25()).model_dump(mode="json")
    PLACES[place](PAYLOADS[payload](mark))(settings)
    (mark.parent / "config.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    run = StoredRun("r1", "bm25", "0", {}, {}, {}, mark.parent)
    before = set(sys.modules)
    with pytest.raises(InputError, match=r"^run r1: "):
        run.buildable(Trust.of())
    assert not mark.exists()
    assert "harmful_at_import" not in set(sys.modules) - before


@pytest.mark.parametrize(
    ("place", "payload"),
    [
        ("analyzer", "os.system"),
        ("retriever", "subprocess.getoutput"),
        ("chunker", "shutil.copyfile"),
        ("corpus", "builtins.eval"),
        ("list element", "harm at import"),
        ("suite", "through retrievers"),
    ],
)
def test_a_rerun_refuses_them_with_and_without_changes(
    office: Office, desk: Desk, mark: Path, place: str, payload: str
) -> None:
    run_id = office.log()
    tamper(office, run_id, PLACES[place](PAYLOADS[payload](mark)))
    for changes in ((), ("k=2",), ("cache=on",)):
        done = desk(rerun.main, run_id, *changes, office.place)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith(f"error: run {run_id}: ")
        assert done.err.count("\n") == 1
    assert not mark.exists()
    assert len(office.search()) == 1


@pytest.mark.parametrize("place", ["retriever", "analyzer", "chunker"])
def test_a_gate_refuses_to_repeat_a_baseline_that_names_them(
    office: Office, desk: Desk, mark: Path, tmp_path: Path, place: str
) -> None:
    baseline = office.log()
    assert desk(accept.main, baseline, office.place).status == 0
    tamper(office, baseline, PLACES[place](PAYLOADS["os.system"](mark)))
    office.documents["en/10.md"] = "改寫了。"
    candidate = office.log()
    done = desk(gate.main, candidate, write_policy(tmp_path, *RULES), office.place)
    assert (done.status, done.out) == (2, "")
    assert f"run {baseline}: " in done.err
    assert "os.system" in done.err
    assert not mark.exists()


def test_commands_that_build_nothing_execute_nothing(office: Office, desk: Desk, mark: Path, tmp_path: Path) -> None:
    office.go(bm25(), bm25(k1=0.7), sweep=True)
    first, second = (run.info.run_id for run in office.search("tags.kind = 'run'"))
    sweep = office.client.get_run(first).data.tags["sweep"]
    assert desk(accept.main, first, office.place).status == 0
    for run_id in (first, second):
        tamper(office, run_id, PLACES["analyzer"](PAYLOADS["os.system"](mark)))
        tamper(office, run_id, PLACES["suite"](PAYLOADS["harm at import"](mark)))
    desk(compare.main, first, second, office.place)
    desk(trend.main, f"suite={office.suite_name}", office.place)
    desk(choose.main, sweep, write_policy(tmp_path, *RULES), office.place)
    desk(judgments.main, "candidates", "--failures", first, office.place)
    desk(gate.main, second, write_policy(tmp_path, *RULES), office.place)
    assert not mark.exists()
    assert "harmful_at_import" not in sys.modules
    # The drill takes no run at all: an id is no override.
    assert desk(drill.main, first).status == 2


@pytest.mark.parametrize(
    "named", [["harmful_at_import.Retriever(x=1)@3"], "recall, harmful_at_import.Retriever", ["os.system"]]
)
def test_a_metric_that_a_stored_run_names_by_a_path_is_not_imported(
    office: Office, desk: Desk, mark: Path, named: Any
) -> None:
    run_id, other = office.log(), office.log(bm25(k1=0.7))
    tamper(office, run_id, put("metrics", named))
    for changes in ((), ("k=2",)):
        done = desk(rerun.main, run_id, *changes, office.place)
        assert (done.status, "metrics." in done.err, "is no component of this program" in done.err) == (2, True, True)
    for position, each in enumerate((run_id, other)):
        stored = StoredRun.fetch(office.tracker, each, mark.parent / str(position))
        params = {**stored.params, "metrics": "hit, recall, harmful_at_import.Retriever"}
        scores = RunScores.of(replace(stored, params=params))
        assert scores.metrics == ("hit", "recall", "pool_recall")
        assert not scores.measures("harmful_at_import.Retriever", scores.k)
    assert not mark.exists()
    assert "harmful_at_import" not in sys.modules


def test_a_module_of_ones_own_is_repeated_where_it_is_trusted(office: Office, desk: Desk) -> None:
    run_id = office.log(double("Counting"))
    refused = desk(rerun.main, run_id, office.place)
    assert refused.status == 2
    assert "retriever names 'engine_doubles.Counting'" in refused.err
    assert "add trust=engine_doubles" in refused.err
    done = desk(rerun.main, run_id, office.place, "trust=engine_doubles")
    assert (done.status, "identical: " in done.out) == (0, True), done.err


def test_what_a_trusted_module_only_imported_is_not_trusted(mark: Path, tmp_path: Path) -> None:
    (tmp_path / "house_of_mine.py").write_text("from os import system\nclass Mine: ...\n", "utf-8")
    trust = Trust.parse("house_of_mine")
    trust.refuse_other({"retriever": {"_target_": "house_of_mine.Mine"}}, "run r1")
    with pytest.raises(InputError, match=r"house_of_mine\.system', which is only imported there, from posix"):
        trust.refuse_other({"retriever": {"_target_": "house_of_mine.system", "command": "x"}}, "run r1")
    with pytest.raises(InputError, match=r"names 'os\.system'"):
        # Of the whole tree nothing is imported while any of it is not trusted.
        trust.refuse_other({"a": {"_target_": "house_of_mine.Mine"}, "b": {"_target_": "os.system"}}, "run r1")


@pytest.mark.parametrize("value", ["os", "subprocess", "builtins", "a b", "../x", "os.path", "x;y"])
def test_no_part_of_python_can_be_trusted(value: str) -> None:
    with pytest.raises(ConfigError, match=r"^trust: "):
        Trust.parse(value)


def test_what_the_shipped_configuration_names_is_what_the_program_offers() -> None:
    named = {
        str(node["_target_"])
        for path in conf_directory().rglob("*.yaml")
        for _, node in nodes(yaml.safe_load(path.read_text("utf-8")))
    }
    assert named == Trust.of().targets
    assert {target.partition(".")[0] for target in named} == {"retrievers", "runner"}
    assert len(named) > 15


def test_a_stored_setting_trusts_nothing(office: Office, desk: Desk) -> None:
    run_id = office.log(double("Counting"))
    tamper(office, run_id, put("trust", ["engine_doubles"]))
    assert desk(rerun.main, run_id, office.place).status == 2


@pytest.mark.parametrize(
    "rule",
    [
        {"name": "r", "metric": "harmful_at_import.Metric", "min": 0.5},
        {"name": "r", "kind": "ratio", "metric": "harmful_at_import.Metric(p=1)@5", "min": 0.5},
        {"name": "r", "_target_": "harmful_at_import.Rule"},
    ],
)
def test_a_rule_of_a_stored_gate_imports_nothing(office: Office, mark: Path, rule: dict[str, Any]) -> None:
    settings = office.settings(bm25()).model_dump(mode="json")
    settings["gate"] = {"name": "theirs", "rules": [rule]}
    (mark.parent / "config.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    run = StoredRun("r1", "bm25", "0", {}, {}, {}, mark.parent)
    assert run.settings.gate is not None
    with pytest.raises(InputError, match=r"^run r1: gate\.rules\.0\S* names 'harmful_at_import\."):
        run.buildable(Trust.of())
    assert not mark.exists()
    assert "harmful_at_import" not in sys.modules
