"""`judgments review SUITE web=true` as a process of its own."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from review_world import World


@dataclass
class ReviewServer:
    process: subprocess.Popen[str]
    address: str

    def left(self, timeout: float = 30) -> tuple[int, str]:
        """The exit status and the rest of what was printed, once it has ended."""
        out, _ = self.process.communicate(timeout=timeout)
        return self.process.returncode, out

    def interrupt(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        return self.left()


@contextmanager
def reviewing(world: World, *arguments: str, annotator: str = "bo") -> Iterator[ReviewServer]:
    command = world.words("review", world.head, "web=true", f"annotator={annotator}", *arguments)
    process = subprocess.Popen(
        command, env=world.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8",
    )  # fmt: skip
    try:
        assert process.stdout
        seen = []
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/\S+/", line := process.stdout.readline())):
            seen.append(line)
            assert line, "".join(seen)
        yield ReviewServer(process, found[0])
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
