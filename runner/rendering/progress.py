"""Bars of progress on the standard error: where that is a terminal, unless somebody asks for all or for none."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_asked: ContextVar[bool | None] = ContextVar("progress", default=None)


@contextmanager
def progress(shown: bool | None) -> Iterator[None]:
    """Meanwhile, in this thread, show every bar or none; None: those that a terminal shows."""
    token = _asked.set(shown)
    try:
        yield
    finally:
        _asked.reset(token)


def progress_bar(*arguments: Any, **settings: Any) -> Any:
    """A bar of tqdm, of whose arguments these are."""
    from tqdm import tqdm

    shown = _asked.get()
    made: Any = tqdm(*arguments, disable=None if shown is None else not shown, **settings)  # type: ignore[call-overload]
    return made
