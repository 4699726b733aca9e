"""Runs on a real MLflow server: logged through it, and repeated from it where the local store is gone."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mlflow_server import Server

from runner.tracking.tracker import open_client


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a store of its own, which ends with the tests."""
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    try:
        yield server.address
    finally:
        server.kill()


@dataclass(frozen=True)
class Remote:
    """A job that was logged on the server, and its repetition after the local store was deleted."""

    desk: Any
    server: str
    logged: Any
    runs: list[Any]
    repeated: Any


@pytest.fixture(scope="module")
def remote(server: str, new_desk: Callable[[], Any]) -> Remote:
    desk = new_desk()
    logged = desk.team("k=2", f"tracking.uri={server}")
    client = open_client(server)
    experiment = client.get_experiment_by_name("manual").experiment_id
    (run,) = client.search_runs([experiment])
    shutil.rmtree(desk.store)
    shutil.rmtree(desk.folder / "manual")
    repeated = desk.rerun(run.info.run_id, f"tracking.uri={server}")
    return Remote(desk, server, logged, client.search_runs([experiment])[::-1], repeated)


def test_the_run_and_its_files_are_on_the_server(remote: Remote, tmp_path: Path) -> None:
    run = remote.runs[0]
    assert run.info.status == "FINISHED"
    assert run.info.artifact_uri.startswith("mlflow-artifacts:")
    assert remote.server in remote.logged.out
    names = {each.path for each in open_client(remote.server).list_artifacts(run.info.run_id)}
    assert {"config.yaml", "per_query.parquet", "suite", "documents.tsv"} <= names


def test_it_is_repeated_from_the_server_alone(remote: Remote) -> None:
    assert remote.repeated.status == 0, remote.repeated.err
    assert "identical: 7 rankings and every metric" in remote.repeated.out


def test_the_repetition_is_logged_on_the_server_too(remote: Remote) -> None:
    first, second = remote.runs
    assert second.data.tags["rerun_of"] == first.info.run_id
    assert second.data.params == first.data.params
    assert not (remote.desk.store / "mlflow.db").exists()


def test_the_snapshot_is_kept_once_beside_the_runs(remote: Remote) -> None:
    client = open_client(remote.server)
    experiment = client.get_experiment_by_name("snapshots").experiment_id
    (kept,) = client.search_runs([experiment])
    assert kept.data.tags["snapshot"] == remote.runs[0].data.params["snapshot"]


def test_failing_queries_are_traced_on_the_server_too(server: str, new_desk: Callable[[], Any]) -> None:
    done = new_desk().team(
        "--config-dir", "conf", "retriever=overlap", "k=1", "trace=failures", "tracking.experiment=traced",
        f"tracking.uri={server}",
    )  # fmt: skip
    client = open_client(server)
    experiment = client.get_experiment_by_name("traced").experiment_id
    (run,) = client.search_runs([experiment])
    found = client.search_traces(locations=[experiment], run_id=run.info.run_id)
    assert len(found) == run.data.metrics["failing"] > 0, done.err
    assert [span.name.partition(":")[0] for span in found[0].data.spans] == ["overlap k=1", "expected", "overlap"]
