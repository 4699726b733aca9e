"""An MLflow client that waits, for a while, for a server that has stopped answering."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from runner.errors import StoreGone

# MLflow's client of runs, or that of traces.
Client = TypeVar("Client")

# How MLflow begins to tell that a request got no answer, or one that says to try again.
_UNANSWERED = "API request to "
_PAUSE_SECONDS = 1.0
_LONGEST_REASON = 200


def patient(client: Client, uri: str, seconds: float) -> Client:
    """The client of a server, each call repeated until it is answered; StoreGone when that takes too long.

    MLflow's own repetitions would take minutes a call, without a word, and forget that a run may have been begun.
    """
    return cast("Client", _Patient(client, uri, seconds))


class _Patient:
    def __init__(self, client: Any, uri: str, seconds: float) -> None:
        self._client, self._uri, self._seconds = client, uri, seconds
        self._gone: StoreGone | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not callable(found):
            return found
        return lambda *positional, **named: self._call(name, *positional, **named)

    def _call(self, name: str, *positional: Any, **named: Any) -> Any:
        from mlflow.exceptions import MlflowException

        begun, failed = time.monotonic(), 0
        while True:
            if self._gone is not None:
                raise self._gone
            try:
                with request_limits(0, max(1, round(self._seconds))):
                    if failed and name == "create_run":
                        found = self._begun(positional[0], named["tags"]["process"])
                        if found is not None:
                            return found
                    answer = getattr(self._client, name)(*positional, **named)
            except MlflowException as error:
                if not error.message.startswith(_UNANSWERED):
                    raise
                failed += 1
                self._wait(failed, time.monotonic() - begun, error.message)
                continue
            if failed > 1:
                print(f"the MLflow server {self._uri} answers again", file=sys.stderr, flush=True)
            return answer

    def _wait(self, failed: int, waited: float, reason: str) -> None:
        if waited >= self._seconds:
            self._gone = StoreGone(
                f"the MLflow server {self._uri} has not answered for {waited:.0f} s (tracking.patience); "
                f"{_in_short(reason)}. What was computed is in the cache, and the same command with resume=true "
                "writes the runs that are missing"
            )
            raise self._gone
        if failed == 2:  # the first may only have met a connection that had been idle for too long
            print(
                f"the MLflow server {self._uri} does not answer; waiting for up to {self._seconds:g} s",
                file=sys.stderr,
                flush=True,
            )
        time.sleep(min(_PAUSE_SECONDS, self._seconds - waited))

    def _begun(self, experiment_id: str, process: str) -> Any:
        """The run that was made by a call whose answer was lost: a process writes one at a time."""
        query = f"attributes.status = 'RUNNING' and tags.process = '{process}'"
        return next(iter(self._client.search_runs([experiment_id], query, max_results=1)), None)


def _in_short(reason: str) -> str:
    """The cause that stands innermost in what requests and urllib3 say."""
    return reason.rsplit("Caused by ", 1)[-1].strip("() ")[:_LONGEST_REASON]


@contextmanager
def request_limits(retries: int, seconds: int) -> Iterator[None]:
    """Meanwhile, how often MLflow repeats a request and how long it waits for an answer, unless its user has said."""
    limits = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": str(retries), "MLFLOW_HTTP_REQUEST_TIMEOUT": str(seconds)}
    unsaid = {name: value for name, value in limits.items() if name not in os.environ}
    os.environ.update(unsaid)
    try:
        yield
    finally:
        for name in unsaid:
            os.environ.pop(name, None)
