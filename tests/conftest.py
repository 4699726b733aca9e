"""What holds for every test."""

import signal


def pytest_configure() -> None:
    """Have interrupts reach the commands that tests start, also where the tests run as a background job.

    A shell starts background jobs with SIGINT ignored, and a process hands that down to those it starts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
