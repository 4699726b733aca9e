"""Rankings and judgments as people have them: mappings, sequences, arrays, and files in the public layouts."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retrievers.base import RetrievalError
from retrievers.run_file import read_run as read_run_file
from runner.errors import InputError, Problem
from runner.files.reading import decode, read_bytes
from runner.files.strict_json import parse_json

# By query id, scores by document id or document ids in order; a file; or an array of ids.
Ranked = str | Path | Mapping[str, Mapping[str, float] | Sequence[str]] | Sequence[Any] | np.ndarray[Any, Any]
# By query id, grades by document id or the relevant ids; a file; or a sequence of these, or of one relevant id.
Judged = str | Path | Mapping[str, Mapping[str, int] | Iterable[str]] | Sequence[Any] | np.ndarray[Any, Any]
_NOTHING = -1


def read_run(given: Ranked) -> dict[str, tuple[str, ...]]:
    """Ranked document ids by query id. Raises InputError for what cannot be read, and for a score that is no number."""
    if isinstance(given, str | Path):
        values = _json_of(given, "a TREC run, or JSON of rankings by query id")
        if values is not None:
            return read_run(values)
        try:
            entries = read_run_file(str(given))
        except RetrievalError as error:
            raise InputError(str(error)) from None
        return {query: tuple(entry.name for entry in ranking) for query, ranking in entries.items()}
    return {query: tuple(_ranked(query, ranking)) for query, ranking in _by_query(given, "run")}


def read_qrels(given: Judged) -> dict[str, dict[str, int]]:
    """Grades by query and document id. Raises InputError for what cannot be read, and for a grade that is no number."""
    if isinstance(given, str | Path):
        values = _json_of(given, "judgments in TREC's columns or BEIR's, or JSON of grades by query id")
        if values is not None:
            return read_qrels(values)
        # It brings every format of a suite with it, which mappings and arrays need not wait for.
        from runner.suite_formats.qrels import BEIR_LAYOUT, TREC_LAYOUT
        from runner.suite_formats.qrels import read_qrels as read_qrels_file

        problems: list[Problem] = []
        path = Path(given)
        layout = BEIR_LAYOUT if _columns(path) == len(BEIR_LAYOUT.columns) else TREC_LAYOUT
        found = read_qrels_file(path, layout, "zero", problems)
        if problems:
            raise InputError.of(path, problems)
        return {query: dict(judged.grades) for query, judged in found.items()}
    return {query: _grades(query, grades) for query, grades in _by_query(given, "qrels")}


def _by_query(given: Any, what: str) -> Iterator[tuple[str, Any]]:
    if isinstance(given, Mapping):
        yield from ((_id(query), value) for query, value in given.items())
    elif isinstance(given, Sequence | np.ndarray):
        yield from ((str(number), value) for number, value in enumerate(given))
    else:
        raise InputError(f"{what}: expected a file, a mapping by query id, or a sequence, found {type(given).__name__}")


def _ranked(query: str, ranking: Any) -> Iterator[str]:
    if isinstance(ranking, Mapping):
        scores = {_id(id_): _finite(score, f"run: query {query!r}, document {id_!r}") for id_, score in ranking.items()}
        yield from sorted(scores, key=lambda id_: (-scores[id_], id_))
    elif isinstance(ranking, str | set | frozenset) or not isinstance(ranking, Iterable):
        raise InputError(
            f"run: query {query!r}: expected scores by document id, or ids in order, found {ranking!r:.60}"
        )
    else:
        yield from (_id(id_) for id_ in ranking if not _is_nothing(id_))


def _grades(query: str, grades: Any) -> dict[str, int]:
    if isinstance(grades, Mapping):
        found = {}
        for id_, grade in grades.items():
            number = _finite(grade, f"qrels: query {query!r}, document {id_!r}")
            if number != int(number):
                raise InputError(f"qrels: query {query!r}, document {id_!r}: expected a whole grade, found {grade!r}")
            found[_id(id_)] = max(int(number), 0)
        return found
    alone = isinstance(grades, str) or not isinstance(grades, Iterable)
    return {_id(id_): 1 for id_ in ([grades] if alone else grades) if not _is_nothing(id_)}


def _finite(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: expected a finite number, found {value!r:.60}")
    return number


def _id(given: Any) -> str:
    value = given.item() if isinstance(given, np.generic) else given
    if not isinstance(value, str | int):
        raise InputError(
            f"expected an id, text or a whole number, found {value!r:.60}; pairs of id and score are a mapping"
        )
    return str(value)


def _is_nothing(given: Any) -> bool:
    """Whether it is what vector indexes fill their rows with."""
    return not isinstance(given, str) and given == _NOTHING


def _json_of(path: str | Path, expected: str) -> Any:
    """The values of a JSON object in a file; None for any other file."""
    problems: list[Problem] = []
    text = decode(read_bytes(Path(path), expected), problems)
    if problems or text is None:
        raise InputError.of(path, problems)
    if not text.lstrip().startswith("{"):
        return None
    try:
        return parse_json(text.encode())
    except ValueError as error:
        raise InputError(f"{path}: cannot be read as JSON ({error})") from None


def _columns(path: Path) -> int:
    first = next((line for line in path.read_text("utf-8-sig").splitlines() if line.strip()), "")
    return len(first.split("\t"))
