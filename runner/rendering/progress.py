"""Bars of progress on the standard error: where that is a terminal, unless somebody asks for all or for none."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
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


class Bars:
    """Bars shown one below the other. Each has a key, a label and the units of work it counts."""

    def __init__(self, work: Iterable[tuple[Hashable, str, int]]) -> None:
        self._bars: dict[Hashable, Any] = {
            key: progress_bar(total=total, desc=label, position=position, leave=True)
            for position, (key, label, total) in enumerate(work)
        }

    def __enter__(self) -> "Bars":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for bar in self._bars.values():
            bar.close()

    def advance(self, key: Hashable, units: int) -> None:
        """Count units of work as done."""
        self._bars[key].update(units)
