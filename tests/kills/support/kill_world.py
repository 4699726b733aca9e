"""Real sweeps in processes of their own, blows dealt to them, and an account of everything they left."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

_SWEEP = ("-m", "retriever=bm25,hybrid", "hydra.launcher.n_jobs=2", "curve=[1,5]", "intervals.resamples=200")
FIRST = (*_SWEEP, "k=1,3")
# Ranked from the cache that the first has filled, so that little but the logging is left.
SECOND = (*_SWEEP, "k=5,10")
# Long to be logged.
LOGGED = (*_SWEEP, "k=1,2,3,4,5,6,7,8,9,10")
# However busy the machine is.
PATIENCE = 240.0
# How long what is left of a killed sweep may take to notice.
GONE_SECONDS = 30.0
# Taken anew by every computation.
_MEASURED = ("latency_", "peak_memory_", "index_build_")

Values = Mapping[str, float]


def sweep_processes(home: Path) -> dict[int, str]:
    """Processes that descend from a command on this home, by id, with their command lines; all inherit it."""
    mark = f"RUNNER_HOME={home}\0".encode()
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
    return found


@dataclass
class Blow:
    """Something done to a sweep. to: what it hits. status: what the sweep then ends with, None for anything."""

    name: str
    number: signal.Signals
    to: str
    status: int | None = None

    def fall(self, process: "subprocess.Popen[bytes]", home: Path) -> bool:
        """Strike; whether there was anything to hit."""
        if process.poll() is not None:
            return False
        if self.to == "group":
            os.killpg(process.pid, self.number)
            return True
        if self.to == "parent":
            process.send_signal(self.number)
            return True
        words = {"worker": "popen_loky_posix", "writer": "spawn_main", "tracker": "resource_tracker"}[self.to]
        hit = [pid for pid, line in sorted(sweep_processes(home).items()) if words in line]
        for pid in hit[:1]:
            try:
                os.kill(pid, self.number)
            except ProcessLookupError:
                return False
        return bool(hit)


KILLED = Blow("SIGKILL of the sweep", signal.SIGKILL, "parent", -signal.SIGKILL)
TERMINATED = Blow("SIGTERM of the sweep", signal.SIGTERM, "parent", 143)
GROUP_TERMINATED = Blow("SIGTERM of its group", signal.SIGTERM, "group", 143)
INTERRUPTED = Blow("Ctrl-C at its terminal", signal.SIGINT, "group", 130)
PARENT_INTERRUPTED = Blow("SIGINT of the sweep", signal.SIGINT, "parent", 130)
WORKER_KILLED = Blow("SIGKILL of a worker", signal.SIGKILL, "worker")
WRITER_KILLED = Blow("SIGKILL of the writer", signal.SIGKILL, "writer")
TRACKER_KILLED = Blow("SIGKILL of a resource tracker", signal.SIGKILL, "tracker")


@dataclass
class Ground:
    """A home with a store of its own, and a temporary directory that nothing else uses.

    experiment: where its sweeps log to. status, lingered: how the last sweep that was struck ended, and how many
    seconds later the last of its processes had gone.
    """

    folder: Path
    experiment: str = "demo"
    status: int = 0
    lingered: float = 0.0

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def database(self) -> Path:
        return self.home / "mlruns/mlflow.db"

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """A command in a group of its own, as a shell starts it."""
        self.temporary.mkdir(parents=True, exist_ok=True)
        variables = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("RUNNER_", "HYDRA_", "MLFLOW_"))},
            "RUNNER_HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "JOBLIB_TEMP_FOLDER": str(self.temporary),
        }
        with (self.folder / "out").open("wb") as out, (self.folder / "err").open("wb") as err:
            return subprocess.Popen(
                [sys.executable, "-m", "runner", f"tracking.experiment={self.experiment}", *arguments],
                env=variables,
                stdout=out,
                stderr=err,
                cwd=self.folder,
                start_new_session=True,
            )

    def error_text(self) -> str:
        return (self.folder / "err").read_text("utf-8", "replace")

    def struck(self, arguments: tuple[str, ...], blow: Blow, when: Callable[[], bool]) -> bool:
        """Start a sweep, strike as soon as the moment has come, and see it end; whether the blow hit anything."""
        process = self.start(*arguments)
        try:
            hit, end = False, time.monotonic() + PATIENCE
            while not hit and process.poll() is None:
                assert time.monotonic() < end, "the moment never came"
                hit = when() and blow.fall(process, self.home)
                time.sleep(0.01)
            process.wait(PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            self.status = status = process.wait()
        text = self.error_text()
        if hit and blow.status is not None:
            # It may fall when everything is done and told.
            told = "compare these runs" in (self.folder / "out").read_text("utf-8", "replace")
            assert status == blow.status or (status == 0 and told), f"{blow.name}: status {status}\n{text}"
        # Python's tracker, begun anew, says with a traceback of its own what it has not heard of.
        assert "Traceback" not in text or blow.to == "tracker", f"{blow.name}\n{text}"
        self.expect_no_process(blow.name)
        return hit

    def expect_no_process(self, after: str) -> None:
        begun = time.monotonic()
        while left := sweep_processes(self.home):
            assert time.monotonic() - begun < GONE_SECONDS, f"{after}: {left}"
            time.sleep(0.1)
        self.lingered = time.monotonic() - begun

    def run(self, arguments: tuple[str, ...]) -> None:
        """A sweep that nobody disturbs; it must end well."""
        process = self.start(*arguments)
        try:
            assert process.wait(PATIENCE) == 0, self.error_text()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def resume(self, arguments: tuple[str, ...]) -> None:
        """Start the same sweep again; it must end well and leave nothing."""
        self.run((*arguments, "resume=true"))
        self.expect_no_process("the sweep after")
        assert self.leavings() == []

    def leavings(self) -> list[str]:
        """What is kept nowhere on purpose, and is there all the same."""
        kept = (self.home / "mlruns").rglob("*")
        drafts = [path for path in kept if path.name.startswith((".making-", ".mlflow.db"))]
        return sorted(map(str, [*self.temporary.iterdir(), *drafts]))

    def rows(self, query: str, *values: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=60)) as connection:
            return connection.execute(query, values).fetchall()

    def statuses(self) -> set[str]:
        """Of all runs of the store."""
        return {status for (status,) in self.rows("SELECT DISTINCT status FROM runs")}

    def begun(self) -> int:
        """How many runs the experiment has, finished or not."""
        if not self.database.exists():
            return 0
        query = "SELECT count(*) FROM runs JOIN experiments USING (experiment_id) WHERE experiments.name = ?"
        return int(self.rows(query, self.experiment)[0][0])

    def values(self) -> dict[str, Values]:
        """What every finished job scored, by name; each must have exactly one finished run, with its files."""
        found = self.rows(
            "SELECT run_uuid, runs.name, artifact_uri FROM runs JOIN tags USING (run_uuid) "
            "JOIN experiments USING (experiment_id) WHERE experiments.name = ? "
            "AND status = 'FINISHED' AND key = 'kind' AND value = 'run'",
            self.experiment,
        )
        names = [name for _, name, _ in found]
        assert len(names) == len(set(names)), f"jobs with several finished runs: {sorted(names)}"
        for _, name, place in found:
            files = {path.name for path in Path(place.removeprefix("file://")).iterdir()}
            assert {"per_query.parquet", "config.yaml", "documents.tsv"} <= files, (name, files)
        return {name: self._metrics(run_id) for run_id, name, _ in found}

    def _metrics(self, run_id: str) -> Values:
        rows = self.rows("SELECT key, value FROM latest_metrics WHERE run_uuid = ?", run_id)
        return {key: float(value) for key, value in rows if not key.startswith(_MEASURED)}


def undisturbed(ground: Ground) -> tuple[dict[str, Values], list[float]]:
    """What both sweeps score on a ground when nobody disturbs them, and how many seconds each takes."""
    seconds = []
    for arguments in (FIRST, SECOND):
        begun = time.monotonic()
        ground.run(arguments)
        seconds.append(time.monotonic() - begun)
    return ground.values(), seconds
