"""Ctrl-C and SIGTERM: obeyed once, wherever they fall, and told apart from a wish that is passed on twice."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from runner import stopping

CHILD = """
import os, signal, sys, time, weakref
from runner import stopping

class Slow:
    pass

class Last:
    def __del__(self, kill=os.kill, process=os.getpid(), number=signal.SIGTERM):
        kill(process, number)

def swallowed(_):
    print("in a finalizer", flush=True)
    time.sleep(30)

def work():
    if sys.argv[1] == "finalizer":
        slow = Slow()
        kept = weakref.ref(slow, swallowed)
        del slow
    elif sys.argv[1] == "guarded":
        try:
            print("guarded", flush=True)
            time.sleep(30)
        except:
            pass
        stopping.obey()
    elif sys.argv[1] == "stuck":
        try:
            print("working", flush=True)
            time.sleep(30)
        except KeyboardInterrupt:
            print("stopping", flush=True)
    elif sys.argv[1] == "ending":
        print("ending", flush=True)
        sys.kept = Last()  # until the interpreter has given up its handlers
        raise SystemExit(3)
    time.sleep(30)

with stopping.watched(to_the_end=True):
    try:
        work()
    except KeyboardInterrupt:
        raise SystemExit(stopping.status())
"""


def start(how: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


@pytest.fixture(autouse=True)
def _unmasked() -> Iterator[None]:
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("how", ["finalizer", "guarded"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_wish_to_stop_is_not_lost_where_it_is_swallowed(how: str, number: signal.Signals, status: int) -> None:
    process = start(how)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == status
    assert err == ""


def test_a_second_signal_ends_the_process_at_once() -> None:
    process = start("stuck")
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert process.stdout.readline() == "stopping\n"
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130


def test_one_wish_that_arrives_twice_is_one() -> None:
    process = start("guarded")
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 143
    assert err == ""


def test_the_status_of_a_process_that_has_come_to_its_end_is_its_own() -> None:
    process = start("ending")
    _, err = process.communicate(timeout=20)
    assert process.returncode == 3
    assert err == ""


@pytest.mark.parametrize("threads", [0, 2])
def test_what_is_held_back_comes_through_afterwards(threads: int) -> None:
    """Also when another thread, begun before, is handed the signal."""
    over = threading.Event()
    for _ in range(threads):
        threading.Thread(target=over.wait, daemon=True).start()
    with stopping.watched(), pytest.raises(KeyboardInterrupt):
        with stopping.held_back():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)  # until the other thread has had it
            reached = True
        pytest.fail("it did not come through")
    over.set()
    assert reached
