"""A server that stops answering while runs are logged: for a while, or for good."""

import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from kill_world import FIRST, Ground
from mlflow_server import Server

from runner.configuration.settings import TrackingSettings
from runner.engine.run_name import run_name
from runner.errors import StoreGone
from runner.tracking.tracker import RunRecord, Tracker

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.kill()


def tracker(address: str, patience: float = 5, experiment: str = "e") -> Tracker:
    return Tracker(TrackingSettings(uri=address, experiment=experiment, patience=patience))


def record(name: str, folder: Path) -> RunRecord:
    folder.mkdir(exist_ok=True)
    (folder / "查詢.txt").write_text("額度", "utf-8")
    return RunRecord(name, {"k": 1}, {"recall": 0.5}, {"kind": "run"}, files=folder)


def runs(address: str, experiment: str = "e") -> dict[str, list[str]]:
    """The statuses of an experiment's runs, by their names."""
    client = tracker(address).client
    found = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    names = sorted(str(run.info.run_name) for run in found)
    return {name: [run.info.status for run in found if run.info.run_name == name] for name in names}


def test_one_that_comes_back_costs_nothing(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = tracker(server.address, patience=300, experiment="back")
    writer.log(record("before", tmp_path / "files"))
    server.kill()
    returning = threading.Timer(3, server.start)
    returning.start()
    run_id = writer.log(record("after", tmp_path / "files"))
    returning.join()
    assert runs(server.address, "back") == {"after": ["FINISHED"], "before": ["FINISHED"]}
    assert [each.path for each in writer.client.list_artifacts(run_id)] == ["查詢.txt"]
    told = capsys.readouterr().err.splitlines()
    assert [line.rsplit(server.address)[1] for line in told] == [
        " does not answer; waiting for up to 300 s",
        " answers again",
    ]


def test_one_that_stays_away_is_waited_for_once(server: Server, tmp_path: Path) -> None:
    writer = tracker(server.address, patience=3, experiment="away")
    writer.log(record("before", tmp_path / "files"))
    server.kill()
    try:
        with pytest.raises(StoreGone, match=r"has not answered for \d s .*resume=true") as first:
            writer.log(record("after", tmp_path / "files"))
        with pytest.raises(StoreGone) as second:
            writer.log(record("later", tmp_path / "files"))
        assert second.value is first.value
    finally:
        server.start()
    assert runs(server.address, "away") == {"before": ["FINISHED"]}


class Forgetful(BaseHTTPRequestHandler):
    """Passes requests on to a server, and keeps its first answer about a new run to itself."""

    port: ClassVar[int]
    kept: ClassVar[list[str]] = []
    protocol_version = "HTTP/1.1"

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        there = http.client.HTTPConnection("127.0.0.1", self.port)
        there.request(self.command, self.path, body, dict(self.headers))
        answer = there.getresponse()
        text = answer.read()
        there.close()
        if self.path.endswith("runs/create") and not self.kept:
            self.kept.append(self.path)
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type") or "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = _pass_on

    def log_message(self, *_: Any) -> None:
        pass


def test_a_run_whose_making_was_not_confirmed_is_not_made_twice(server: Server, tmp_path: Path) -> None:
    Forgetful.port = int(server.address.rsplit(":", 1)[1])
    between = ThreadingHTTPServer(("127.0.0.1", 0), Forgetful)
    serving = threading.Thread(target=between.serve_forever)
    serving.start()
    try:
        address = f"http://127.0.0.1:{between.server_address[1]}"
        writer = tracker(address, experiment="once")
        writer.log(record("bm25 k=1", tmp_path / "files"))
        writer._client = None  # lets go of its connections
    finally:
        between.shutdown()
        between.server_close()
        serving.join()
    assert Forgetful.kept
    assert runs(server.address, "once") == {"bm25 k=1": ["FINISHED"]}


def test_a_sweep_ends_with_one_line_and_is_resumed_when_the_server_is_back(server: Server, tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    sweep = (*FIRST, f"tracking.uri={server.address}", "tracking.experiment=sweep", "tracking.patience=2")
    done = ground.start(*sweep)
    try:
        while not _has_finished(server.address):
            assert done.poll() is None, ground.error_text()
        server.kill()
        assert done.wait(240) == 1, ground.error_text()
    finally:
        server.kill()
        done.kill()
        server.start()
    text = ground.error_text()
    assert [line for line in text.splitlines() if "error" in line or "failed" in line] == [
        line for line in text.splitlines() if line.startswith(f"error: the MLflow server {server.address} has not")
    ]
    assert "resume=true" in text
    assert "Traceback" not in text
    ground.resume(sweep)
    by_name = runs(server.address, "sweep")
    names = [run_name(retriever, k) for retriever in ("bm25", "hybrid") for k in (1, 3)]
    assert {name: by_name[name].count("FINISHED") for name in names} == dict.fromkeys(names, 1)
    assert {status for statuses in by_name.values() for status in statuses} <= {"FINISHED", "KILLED", "FAILED"}


def _has_finished(address: str) -> bool:
    client = tracker(address).client
    found = client.get_experiment_by_name("sweep")
    return found is not None and bool(client.search_runs([found.experiment_id], "attributes.status = 'FINISHED'"))
