"""Every choice of conf/ is what its kind's protocol asks for: by its types, and by what it says of itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import runner.extension_points
from runner.configuration.settings import conf_directory
from runner.engine.trust import nodes

CHECKOUT = Path(__file__).parents[2]
PROTOCOLS = {
    "retriever": "Retriever",
    "embedder": "Embedder",
    "reranker": "Reranker",
    "fusion": "Fusion",
    "chunker": "Chunker",
    "corpus": "DocumentReader",
    "suite": "SuiteReader",
}


def shipped() -> list[tuple[str, str]]:
    """The protocol and the dotted name of every class that a choice of conf/ names at its top, each once."""
    found = {
        (PROTOCOLS[group], str(node["_target_"]))
        for group in PROTOCOLS
        for path in sorted((conf_directory() / group).glob("*.yaml"))
        for at, node in nodes(yaml.safe_load(path.read_text("utf-8")))
        if not at
    }
    return sorted(found)


def test_every_kind_of_component_has_a_choice() -> None:
    assert {protocol for protocol, _ in shipped()} == set(PROTOCOLS.values())


def test_the_table_names_every_kind() -> None:
    text = str(runner.extension_points.__doc__)
    assert [name for name in runner.extension_points.__all__ if name not in text] == []


def test_every_shipped_component_type_checks_against_its_protocol(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    lines = ["import runner.extension_points as points"]
    for number, (protocol, target) in enumerate(shipped()):
        module, _, name = target.rpartition(".")
        lines += [f"from {module} import {name} as C{number}", f"def f{number}(it: C{number}) -> points.{protocol}:"]
        lines += ["    return it"]
    # What is not there must be seen, or the others prove nothing.
    lines += ["def wrong(it: C0) -> points.Retriever:", "    return it"]
    assert shipped()[0][0] != "Retriever"
    (tmp_path / "assigned.py").write_text("\n".join(lines) + "\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(tmp_path / "assigned.py")],
        cwd=CHECKOUT,
        env={**os.environ, "MYPYPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
    )
    faults = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(faults) == 1, done.stdout + done.stderr
    assert f":{len(lines)}: error" in faults[0]
