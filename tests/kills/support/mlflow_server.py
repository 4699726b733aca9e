"""A real MLflow server that can be killed and started again at the same address."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

WAIT = 180.0


class Server:
    """Its store is in a folder; every start uses the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "mlflow",
            "server",
            "--host",
            "127.0.0.1",
            "--port",
            str(self._port),
            "--workers",
            "1",
            "--backend-store-uri",
            f"sqlite:///{self._folder}/server.db",
            "--artifacts-destination",
            str(self._folder / "files"),
        ]
        variables = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
        with (self._folder / "log").open("ab") as log:
            # In a group of its own: the server starts processes, and all of them have to end.
            self._process = subprocess.Popen(
                command, cwd=self._folder, env=variables, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        end = time.monotonic() + WAIT
        while not self._answers():
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < end, (self._folder / "log").read_text()
            time.sleep(0.2)

    def kill(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/health", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False
