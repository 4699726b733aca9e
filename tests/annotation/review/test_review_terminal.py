"""A review at a real terminal: single keys, and a kill in the middle."""

import codecs
import os
import pty
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from review_world import TOKENS, World, 權杖

PATIENCE = 30.0


class Terminal:
    """A review in a process of its own behind a pseudo terminal."""

    def __init__(self, world: World, *arguments: str) -> None:
        self.master, self._slave = pty.openpty()
        self.before = termios.tcgetattr(self._slave)
        words = world.words("review", world.head, "--annotator", "bo", *arguments)
        self.process = subprocess.Popen(
            words, stdin=self._slave, stdout=self._slave, stderr=self._slave, env=world.environment()
        )
        self.shown = ""
        self._seen = 0
        self._decode = codecs.getincrementaldecoder("utf-8")().decode

    def wait_for(self, text: str) -> None:
        """Read until the screen has shown a text anew."""
        end = time.monotonic() + PATIENCE
        while text not in self.shown[self._seen :]:
            left = end - time.monotonic()
            assert left > 0, f"{text!r} did not appear in {self.shown[self._seen :]}"
            self._read(left)
        self._seen = self.shown.index(text, self._seen) + len(text)

    def _read(self, patience: float) -> None:
        if select.select([self.master], [], [], patience)[0]:
            self.shown += self._decode(os.read(self.master, 65536))

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def finished(self) -> int:
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"the review has not ended after {self.shown[self._seen :]}"
            self._read(0.1)
        self._read(0)
        return self.process.returncode

    def settings(self) -> list[object]:
        return termios.tcgetattr(self._slave)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self._slave)


@contextmanager
def terminal(world: World, *arguments: str) -> Iterator[Terminal]:
    opened = Terminal(world, *arguments)
    try:
        yield opened
    finally:
        opened.close()


def test_single_keys_need_no_return(world: World) -> None:
    world.migrated()
    with terminal(world) as screen:
        screen.wait_for("? help >")
        screen.press("y")
        screen.wait_for("2 of 4 · proposed")
        screen.press("\x1b[A")  # an arrow key is no answer
        screen.press("ｓ")  # of an input method
        screen.wait_for("3 of 4, 1 skipped · gone")
        screen.press("u")
        screen.wait_for("taken back: confirmed of query en-2")
        screen.wait_for("? help >")
        screen.press("e")
        screen.wait_for("note: ")
        screen.press("看過了\n")
        screen.wait_for("[note: 看過了] >")
        screen.press("1q")
        assert screen.finished() == 0
        assert "1 answered, 3 left (1 skipped)" in screen.shown
        assert screen.settings() == screen.before
    entries = world.record.entries()[4:]
    assert [(entry.what, entry.query, entry.note) for entry in entries] == [
        ("confirmed", "en-2", ""),
        ("undone", "en-2", ""),
        ("confirmed", "en-2", "看過了"),
    ]
    assert entries[-1].new[0]["grade"] == 1


def test_what_was_typed_ahead_counts(world: World) -> None:
    world.migrated()
    with terminal(world, "--only", "proposed") as screen:
        screen.press("yyq")
        assert screen.finished() == 0
    assert [entry.what for entry in world.record.entries()[4:]] == ["confirmed", "confirmed"]


@pytest.mark.parametrize("end", ["\x04", "\x03"], ids=["end of input", "interrupt"])
def test_leaving_in_the_middle_keeps_what_was_answered(world: World, end: str) -> None:
    world.migrated()
    with terminal(world) as screen:
        screen.wait_for("? help >")
        screen.press("y")
        screen.wait_for("2 of 4")
        screen.wait_for("? help >")
        screen.press(end)
        # An interrupt of the terminal goes to the group in front, which a test has none of.
        if end == "\x03":
            screen.process.send_signal(signal.SIGINT)
        assert screen.finished() == 0
        assert "1 answered, 3 left" in screen.shown
        assert screen.settings() == screen.before
    assert world.whats()[-1] == "confirmed"


def test_a_kill_in_the_middle_loses_no_answer(world: World) -> None:
    world.migrated()
    with terminal(world) as screen:
        screen.wait_for("? help >")
        screen.press("s")
        screen.wait_for("2 of 4, 1 skipped")
        screen.press("y")
        screen.wait_for("3 of 4, 1 skipped")
        screen.process.kill()
        assert screen.finished() == -signal.SIGKILL
    assert world.said("zh-2") == [(權杖, 2, "bo")]
    with terminal(world) as screen:
        # What was skipped and what was not reached is asked again, and nothing else.
        screen.wait_for("1 of 3 · proposed")
        screen.press("y")
        screen.wait_for("2 of 3 · gone")
        screen.press("n")
        screen.wait_for("3 of 3 · disputed")
        screen.press("q")
        assert screen.finished() == 0
    assert world.said("en-2") == [(TOKENS, 2, "bo")]
    assert [entry.what for entry in world.record.entries()[4:]] == ["confirmed", "confirmed", "dropped"]


def test_lines_can_be_asked_for_at_a_terminal(world: World) -> None:
    with terminal(world, "--lines") as screen:
        screen.wait_for("? help >")
        screen.press("2\n")
        screen.wait_for("nothing is left")
        screen.press("q\n")
        assert screen.finished() == 0
    assert world.whats() == ["adjudicated"]
