"""One thread for everything that computes: OpenMP, BLAS, torch and onnxruntime, once their libraries are loaded."""

import gc
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from threadpoolctl import threadpool_info, threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold what is loaded by now to one thread, and give the threads back; what is loaded later is not held."""
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        if torch := sys.modules.get("torch"):
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(1)
        for session in _sessions():
            stack.enter_context(_single(session))
        yield


def threads_seen() -> int:
    """The most threads that any loaded library would use now."""
    counts: list[int] = [1, *(pool["num_threads"] for pool in threadpool_info())]
    if torch := sys.modules.get("torch"):
        counts.append(torch.get_num_threads())
    counts += [session.get_session_options().intra_op_num_threads or sys.maxsize for session in _sessions()]
    return max(min(count, _processors()) for count in counts)


def _processors() -> int:
    from joblib import cpu_count

    return int(cpu_count())


def _sessions() -> list[Any]:
    """The onnxruntime sessions there are, wherever code keeps them."""
    onnxruntime = sys.modules.get("onnxruntime")
    kind = getattr(onnxruntime, "InferenceSession", None)
    return [each for each in gc.get_objects() if type(each) is kind] if kind else []


@contextmanager
def _single(session: Any) -> Iterator[None]:
    """Make a session anew with one thread: its number of threads cannot change while it lives."""
    options = session.get_session_options()
    before = options.intra_op_num_threads, options.inter_op_num_threads
    if before == (1, 1):
        yield
        return
    _remake(session, options, (1, 1))
    try:
        yield
    finally:
        _remake(session, options, before)


def _remake(session: Any, options: Any, threads: tuple[int, int]) -> None:
    options.intra_op_num_threads, options.inter_op_num_threads = threads
    # set_providers makes the session again from these, which are the defaults where its maker gave none.
    session._sess_options_initial = options
    session.set_providers(session.get_providers(), list(session.get_provider_options().values()))
