"""Files of judged pairs for other tools: JSONL, CSV for spreadsheets, and Label Studio's JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.annotation.exchange.label_studio import Annotations, read_tasks, tasks
from runner.annotation.exchange.pair_row import PairRow, pair_row
from runner.annotation.exchange.spreadsheet import read_csv, to_csv
from runner.errors import ConfigError, InputError, Problem
from runner.files.atomic import replace_file
from runner.files.reading import json_lines, numbered_lines, read_bytes

SUFFIXES = (".jsonl", ".csv", ".json")


@dataclass(frozen=True)
class PairFile:
    """rows: in the order of the file. skipped: annotations that their annotator skipped. people: Label Studio's."""

    rows: tuple[PairRow, ...]
    skipped: int = 0
    people: tuple[str, ...] = ()


def write_pairs(rows: Sequence[PairRow], path: Path) -> None:
    """Write rows in the form that the name's end asks for, all or nothing. Raises ConfigError for another end."""
    refuse_suffix(path)
    if path.suffix == ".csv":
        data = to_csv(rows)
    elif path.suffix == ".json":
        data = (json.dumps(tasks(rows), ensure_ascii=False, indent=1) + "\n").encode()
    else:
        data = "".join(json.dumps(row.values(), ensure_ascii=False) + "\n" for row in rows).encode()
    replace_file(path, data)


def read_pairs(path: Path) -> PairFile:
    """Read rows in the form that the name's end says.

    Raises ConfigError for another end, InputError listing every fault of the file by line.
    """
    refuse_suffix(path)
    problems: list[Problem] = []
    found = Annotations()
    rows = tuple(read_tasks(path, problems, found) if path.suffix == ".json" else _plain(path, problems))
    if not rows and not problems:
        problems.append(Problem(None, "holds no row; expected at least one pair of query_id and id"))
    if problems:
        raise InputError.of(path, problems)
    return PairFile(rows, found.skipped, tuple(sorted(found.people)))


def refuse_suffix(path: Path) -> None:
    """Raise ConfigError unless the name says which form the file has."""
    if path.suffix not in SUFFIXES:
        raise ConfigError(
            f"{path}: the form of a file of pairs is the end of its name: .jsonl, .csv, or .json for Label Studio"
        )


def _plain(path: Path, problems: list[Problem]) -> Iterator[PairRow]:
    numbered: Iterator[tuple[int, dict[str, Any]]]
    if path.suffix == ".csv":
        numbered = read_csv(path, problems)
    else:
        data = read_bytes(path, "a file of judged pairs, one JSON object a line")
        numbered = json_lines(numbered_lines(data, problems), problems)
    first = True
    for line, values in numbered:
        faults: list[str] = []
        if "relevant" in values:
            faults.append("is a query of a suite, expected a row {query_id, id, grade}; give the suite's YAML head")
            if first:
                # The others would only say so again.
                raise InputError.of(path, [Problem(line, faults[0])])
        first = False
        row = pair_row(values, line, faults) if not faults else None
        problems.extend(Problem(line, fault) for fault in faults)
        if row:
            yield row
