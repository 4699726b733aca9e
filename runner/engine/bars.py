"""One tqdm bar a stage; silent where there is no terminal."""

from collections.abc import Hashable, Iterable
from types import TracebackType
from typing import Any

from runner.rendering.progress import progress_bar


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
