"""The cells of a click log's columns, each distinct one read once."""

from collections.abc import Mapping
from datetime import UTC, datetime
from math import nan

from retrievers.script import same_id
from runner.files.reading import id_fault, length_fault, nfc

REQUIRED = ("query", "passage_id", "rank", "clicked")
OPTIONAL = ("session", "at", "query_id", "snapshot")
# More is no rank of a list that somebody was shown.
_HIGHEST_RANK = 1_000_000


class Cells(dict[str, float]):
    """From a cell of one column to its number. texts: the distinct texts, where the number is a code.

    faults: where what is wrong with a cell is added, behind the name of the column.
    """

    def __init__(self, name: str, faults: list[str]) -> None:
        self.name, self.faults = name, faults
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}

    def __missing__(self, cell: str) -> float:
        try:
            value = self.read(cell)
        except ValueError as error:
            # Not kept, so that it is a fault on every line.
            self.faults.append(f"{self.name}: {error}")
            return 0
        self[cell] = value
        return value

    def read(self, cell: str) -> float:
        """The number of a cell. Raises ValueError saying what is wrong with it."""
        raise NotImplementedError

    def code(self, text: str) -> int:
        """The number of a text, a new one for a new text."""
        code = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code


class _Text(Cells):
    def read(self, cell: str) -> float:
        text = nfc(cell).strip()
        if not text:
            raise ValueError("is empty")
        if fault := length_fault(text):
            raise ValueError(fault)
        return self.code(text)


class _Id(Cells):
    def read(self, cell: str) -> float:
        if fault := id_fault(cell):
            raise ValueError(fault)
        return self.code(same_id(cell))


class _MaybeId(_Id):
    def read(self, cell: str) -> float:
        return super().read(cell) if cell else -1


class _Rank(Cells):
    def read(self, cell: str) -> float:
        word = cell.strip()
        if not (word.isascii() and word.isdecimal() and len(word) < 10 and 1 <= int(word) <= _HIGHEST_RANK):
            raise ValueError(f"found {cell!r:.60}, expected a whole number from 1, the first result")
        return int(word)


class _Clicked(Cells):
    def read(self, cell: str) -> float:
        if cell.strip() not in ("0", "1"):
            raise ValueError(f"found {cell!r}, expected 1 or 0")
        return int(cell)


class _Time(Cells):
    def read(self, cell: str) -> float:
        if not cell:
            return nan
        try:
            time = datetime.fromisoformat(cell)
        except ValueError:
            raise ValueError(f"found {cell!r}, expected a time like 2026-09-30T14:00:00+00:00") from None
        # Without an offset it is UTC: never what this machine happens to be set to.
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


READERS: Mapping[str, type[Cells]] = {
    "query": _Text,
    "passage_id": _Id,
    "rank": _Rank,
    "clicked": _Clicked,
    "session": _MaybeId,
    "at": _Time,
    "query_id": _MaybeId,
    "snapshot": _MaybeId,
}
