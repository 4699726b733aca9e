"""A click log as columns of numbers, read from a CSV with every fault by its line."""

import csv
import io
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.digest import file_digest
from retrievers.text_file import packed_or_plain
from runner.annotation.candidates.click_cells import OPTIONAL, READERS, REQUIRED, Cells
from runner.errors import InputError, Problem
from runner.files.nearest import nearest
from runner.files.reading import decode, read_bytes
from runner.rendering.progress import progress_bar

_WHAT = f"a click log, CSV with the columns {', '.join(REQUIRED)} and, if known, {', '.join(OPTIONAL)}"
_A_STEP = 50_000


@dataclass(frozen=True)
class ClickLog:
    """One row an impression.

    columns: by name, int64 [rows] each: query, passage_id, rank and clicked always; session, query_id and snapshot
    where the log has them, with -1 where a cell is empty. Texts are codes, positions in `values` of that name. at:
    seconds since 1970, float64 [rows], NaN where empty; None if the log has no such column. ignored: its other columns.
    """

    path: str
    sha256: str
    columns: dict[str, NDArray[np.int64]]
    values: dict[str, tuple[str, ...]]
    at: NDArray[np.float64] | None
    ignored: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.columns["rank"])


def read_clicks(path: Path) -> ClickLog:
    """Read a click log; a byte order mark and blank lines do no harm.

    Raises InputError listing every fault by line: bytes that are not UTF-8, missing or misspelt columns, a quotation
    that does not end, rows of another length, and cells that are not what their column holds.
    """
    data = read_bytes(path, _WHAT)
    problems: list[Problem] = []
    # The text itself is not kept: a log may be large, and is read from its bytes.
    log = _read(path, data, problems) if decode(data, problems) is not None else None
    if log is None or problems:
        raise InputError.of(path, problems)
    return log


def _read(path: Path, data: bytes, problems: list[Problem]) -> ClickLog | None:
    rows = _rows(data, problems)
    line, header = next(rows, (1, []))
    header = [name.strip() for name in header]
    problems.extend(Problem(line, fault) for fault in _header_faults(header))
    if problems:
        return None
    faults: list[str] = []
    cells_of = {name: READERS[name](name, faults) for name in header if name in READERS}
    kept = {name: array("d" if name == "at" else "q") for name in cells_of}
    takers: list[tuple[int, Cells, Callable[[Any], None]]] = [
        (header.index(name), cells, kept[name].append) for name, cells in cells_of.items()
    ]
    number = 0
    with progress_bar(desc="clicks", unit=" rows") as bar:
        for number, (line, row) in enumerate(rows, 1):
            if len(row) == len(header):
                for place, cells, take in takers:
                    take(cells[row[place]])
            else:
                faults.append(f"found {len(row)} cells, expected {len(header)}; quote a text that holds a comma")
            if faults:
                problems.extend(Problem(line, fault) for fault in faults)
                faults.clear()
            if number % _A_STEP == 0:
                bar.update(_A_STEP)
    if not problems and not number:
        problems.append(Problem(None, "holds no impression; expected one row for each result that was shown"))
    if problems:
        return None
    columns = {name: np.array(column, np.int64) for name, column in kept.items() if name != "at"}
    at = np.array(kept["at"], np.float64) if "at" in kept else None
    values = {name: tuple(cells.texts) for name, cells in cells_of.items()}
    ignored = tuple(name for name in header if name not in READERS)
    return ClickLog(str(path), file_digest(packed_or_plain(path)), columns, values, at, ignored)


def _rows(data: bytes, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank with the line on which each begins; what is no CSV is noted and ends them."""
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""), strict=True)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            problems.append(
                Problem(line, f"not CSV ({error}); a row begins here, with a quotation mark too few or many")
            )
            return
        if row is None:
            return
        if row:
            yield line, row
        line = reader.line_num + 1


def _header_faults(header: Sequence[str]) -> list[str]:
    if len(header) < 2:
        found = repr(header[0][:60]) if header else "nothing"
        return [f"found {found}, expected a header with commas: {', '.join(REQUIRED)}"]
    faults = [f"column {name!r} is given twice" for name in sorted({name for name in header if header.count(name) > 1})]
    strange = [name for name in header if name not in READERS]
    for name in REQUIRED:
        if name not in header:
            faults.append(f"column {name!r} is missing; found: {', '.join(header)}")
    return faults + [
        f"unknown column {name!r}; did you mean {meant!r}?" for name in strange if (meant := _meant(name, header))
    ]


def _meant(name: str, header: Sequence[str]) -> str | None:
    """The column that a name is a slip of; a log may well have columns of its own, so only where it is close."""
    for wanted, least in ((REQUIRED, 0.6), (OPTIONAL, 0.8)):
        absent = [each for each in wanted if each not in header]
        if close := nearest(name.casefold(), absent, least):
            return close
    return None
