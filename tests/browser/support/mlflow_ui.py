"""A sweep of the demo as a person starts it, and MLflow's UI as the sweep says to open it."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

WAIT = 180.0


@dataclass(frozen=True)
class Sweep:
    """What the command printed, and where the UI is that shows its runs."""

    out: str
    address: str

    def link(self, label: str) -> str:
        """The address of the page that the command named."""
        found = re.search(rf"^{label}:\s+(/#/\S+)$", self.out, re.M)
        assert found, self.out
        return self.address + found[1]

    def run_id(self, name: str) -> str:
        found = re.search(rf"^run ([0-9a-f]{{32}})  {re.escape(name)}$", self.out, re.M)
        assert found, self.out
        return found[1]


@contextmanager
def swept(home: Path, *arguments: str) -> Iterator[Sweep]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("RUNNER_", "HYDRA_", "MLFLOW_"))}
    done = subprocess.run(
        [sys.executable, "-m", "runner", "-m", *arguments],
        cwd=home,
        env={**kept, "RUNNER_HOME": str(home), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    shown = re.search(r"^look at the runs:\s+mlflow (ui .+)$", done.stdout, re.M)
    assert shown, done.stdout
    with _served(home, shlex.split(shown[1]), kept) as address:
        yield Sweep(done.stdout, address)


@contextmanager
def _served(home: Path, command: list[str], variables: dict[str, str]) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, log = f"http://127.0.0.1:{port}", home / "ui.log"
    with log.open("wb") as out:
        # In a group of its own: the server starts processes, and all of them have to end.
        process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", *command, "--port", str(port), "--workers", "1"],
            cwd=home,
            env={**variables, "MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + WAIT
        while not _answers(address):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        yield address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False
