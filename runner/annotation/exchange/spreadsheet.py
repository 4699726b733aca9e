"""Rows as CSV that a spreadsheet shows as it is: Chinese readable, no cell taken for a formula, read back exactly."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from runner.annotation.exchange.pair_row import COLUMNS, PairRow
from runner.errors import Problem
from runner.files.nearest import did_you_mean
from runner.files.reading import decode, read_bytes
from runner.files.strict_json import MOST_DIGITS, parse_json

# A spreadsheet computes what begins with one of the first ones. The apostrophe that stops it would be ambiguous if
# a text of its own that begins with one were not escaped as well.
_ACTIVE = tuple("=+-@\t\r'")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0", "")
_SEPARATORS = (",", ";", "\t")


def to_csv(rows: Sequence[PairRow]) -> bytes:
    """The rows as CSV in UTF-8 with a byte order mark, without which spreadsheets garble Chinese."""
    values = [row.values() for row in rows]
    present = {key for each in values for key in each}
    columns = [name for name in COLUMNS if name in present]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([[_cell(name, each.get(name)) for name in columns] for each in values])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def read_csv(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row, JSON values) of every row that is not blank; what cannot be read is noted with its row.

    Rows are counted as a spreadsheet shows them, from 1, the header and blank ones too, however many lines a cell has.

    Reads what `to_csv` wrote, and what a spreadsheet saved of it: separated by commas, semicolons or tabs, with
    empty columns and rows. Raises InputError when the file cannot be read at all.
    """
    text = decode(read_bytes(path, "a CSV of judged pairs"), problems)
    if text is None:
        return
    csv.field_size_limit(sys.maxsize)
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_SEPARATORS, key=head.count), strict=True)
    columns: list[str] | None = None
    row_number = 0
    try:
        for row_number, cells in enumerate(reader, 1):
            if not any(cells):
                pass
            elif columns is None:
                columns = [cell.strip() for cell in cells]
                before = len(problems)
                problems.extend(Problem(row_number, fault) for fault in _column_faults(columns))
                if len(problems) > before:
                    return
            elif any(cells[len(columns) :]):
                problems.append(Problem(row_number, f"has {len(cells)} cells, the header names {len(columns)}"))
            else:
                faults: list[str] = []
                row = {name: _value(name, cell, faults) for name, cell in zip(columns, cells, strict=False) if name}
                problems.extend(Problem(row_number, fault) for fault in faults)
                if not faults:
                    yield row_number, row
    except csv.Error as error:
        fix = "a text with quotes or line ends stands in double quotes"
        problems.append(Problem(row_number + 1, f"not CSV ({error}); {fix}"))
    if columns is None and not problems:
        problems.append(Problem(1, f"is empty, expected a header: {', '.join(COLUMNS)}"))


def _column_faults(columns: Sequence[str]) -> list[str]:
    named = [name for name in columns if name]
    faults = [f"unknown column {name!r}{did_you_mean(name, COLUMNS)}" for name in named if name not in COLUMNS]
    faults += [f"column {name!r} is given twice" for name in sorted(set(named)) if named.count(name) > 1]
    if not faults and ("query_id" not in named or not {"id", "document"} & set(named)):
        faults.append("the header names no query_id, or neither id nor document")
    return faults


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in ("history", "fields"):
        text = json.dumps(value, ensure_ascii=False) if value else ""
    elif isinstance(value, bool):
        text = str(value).lower()
    else:
        text = str(value)
    return f"'{text}" if text.startswith(_ACTIVE) else text


def _value(name: str, cell: str, faults: list[str]) -> Any:
    text = cell[1:] if cell.startswith("'") and cell[1:].startswith(_ACTIVE) else cell
    if name in ("passage_text", "passage_title", "old_text", "text", "note", "quote"):
        return text or None
    text = text.strip()
    if not text:
        return None
    if name in ("grade", "start", "end"):
        return _number(name, text, faults)
    if name == "adjudicated":
        if text.lower() not in _TRUE + _FALSE:
            faults.append(f"adjudicated: found {text!r}, expected true, false or nothing")
        return text.lower() in _TRUE
    if name in ("history", "fields"):
        try:
            return parse_json(text)
        except ValueError:
            faults.append(f"{name}: not JSON; leave the cell as it was written")
            return None
    return text


def _number(name: str, text: str, faults: list[str]) -> int | None:
    # Some spreadsheets write whole numbers with a fraction.
    whole = text.removesuffix(".0")
    if whole.isascii() and whole.isdigit() and len(whole) <= MOST_DIGITS:
        return int(whole)
    faults.append(f"{name}: found {text!r:.60}, expected a whole number from 0")
    return None
