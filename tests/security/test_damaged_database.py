"""A damaged database of runs is one line that names it, in every command, never a traceback or a wrong verdict."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from decide_office import RULES, Desk, Office, write_policy
from engine_world import bm25

from runner.cli import accept, choose, compare, gate, judgments, rerun, trend

# Each leaves a byte behind that is no UTF-8, as a flipped bit does, or a value of another kind.
DAMAGE = {
    "a metric's name": "UPDATE latest_metrics SET key = CAST(x'726563ff6c6c' AS TEXT) WHERE key = 'recall'",
    "a parameter's value": "UPDATE params SET value = CAST(x'33ff' AS TEXT) WHERE key = 'min_grade'",
    "a tag": "UPDATE tags SET value = CAST(x'ff' AS TEXT) WHERE key = 'fingerprint'",
    "a number": "UPDATE latest_metrics SET value = 'x1' WHERE key = 'recall'",
    "the name of the tag of checksums": "UPDATE tags SET key = 'files_rha256' WHERE key = 'files_sha256'",
    "a parameter's name": "UPDATE params SET key = 'dgpth' WHERE key = 'depth'",
    "a parameter's digit": "UPDATE params SET value = 'q' WHERE key = 'k'",
    "a run's suite": "UPDATE params SET key = 'suhte' WHERE key = 'suite'",
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_database_is_said_in_one_line(shared_office: Office, desk: Desk, tmp_path: Path, damage: str) -> None:
    office = shared_office.named(f"damaged {list(DAMAGE).index(damage)}")
    office.go(bm25(), bm25(k1=0.7), sweep=True)
    first, second = (run.info.run_id for run in office.search("tags.kind = 'run'"))
    sweep = office.client.get_run(first).data.tags["sweep"]
    policy = write_policy(tmp_path, *RULES)
    assert desk(accept.main, first, office.place).status == 0
    copy = tmp_path / "store"
    shutil.copytree(office.store, copy)
    with closing(sqlite3.connect(copy / "mlflow.db")) as connection:
        connection.execute(DAMAGE[damage])
        connection.commit()
    place = f"store={copy}"
    for main, words in (
        (rerun.main, [first]),
        (compare.main, [first, second]),
        (gate.main, [second, policy]),
        (choose.main, [sweep, policy]),
        (trend.main, [f"suite={office.suite_name}"]),
        (judgments.main, ["candidates", "--failures", first]),
        (accept.main, [second, "--why", "x"]),
    ):
        done = desk(main, *words, place)
        assert "Traceback" not in done.err
        if done.status:
            assert [line for line in done.err.splitlines() if line.startswith("error: ")], (words, done)
            assert done.err.count("\n") <= 2, (words, done)
        if main in (rerun.main, compare.main, gate.main) and damage not in ("a tag",):
            assert done.status, (words, done)
