"""Files of rankings: TREC runs, and JSON arrays of cases."""

import json
import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from retrievers.base import RetrievalError
from retrievers.script import same_id
from retrievers.text_file import NotText, text_bytes

_log = logging.getLogger(__name__)
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One retrieved name with its score; `line` is where it stands in the file, `place` says it in words."""

    name: str
    score: float
    rank: float
    line: int
    place: str


def read_run(path: str) -> dict[str, tuple[Entry, ...]]:
    """Read a file's rankings by query id, scores strictly descending where the file tells places apart.

    In a TREC run the score decides, as in trec_eval. Among equal scores the rank column decides, so that
    a system that writes no real scores keeps its order: the later ones are lowered by the smallest
    step a number can take. In JSON the order of `retrieved` is the ranking.

    Raises RetrievalError listing every malformed line (the first 20, then a count), or for a file without rankings.
    """
    try:
        raw = text_bytes(path)
    except NotText as error:
        raise RetrievalError(f"{path}: {error}; expected a TREC run or a JSON array of cases") from None
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RetrievalError(f"{path}:{line}: found bytes that are not UTF-8; save the file as UTF-8") from error
    if not text.strip():
        raise RetrievalError(f"{path}: found no ranking, expected a TREC run or a JSON array of cases")
    return _read_json(path, text) if text.lstrip().startswith("[") else _read_trec(path, text)


def tag_of(path: str) -> str | None:
    """The tag in the first line of a TREC run, "" for a JSON array of cases, None for any other file."""
    try:
        text = text_bytes(path).decode("utf-8", "replace").lstrip()
    except (NotText, OSError):
        return None
    if text.startswith("["):
        return ""
    fields = _fields(text.partition("\n")[0])
    return fields[5] if len(fields) == 6 and _number(fields[3]) is not None and _number(fields[4]) is not None else None


def listed(problems: list[str]) -> str:
    """Join problems, the first 20 and a count of the others."""
    more = [f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
    return "\n".join(problems[:_SHOWN] + more)


def _read_trec(path: str, text: str) -> dict[str, tuple[Entry, ...]]:
    found: dict[str, list[Entry]] = {}
    lines: dict[tuple[str, str], int] = {}
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        fields = _fields(line)
        place = f"{path}:{number}"
        if len(fields) != 6:
            problems.append(
                f"{place}: found {len(fields)} fields, expected 6: query Q0 document rank score tag"
                " (separate them by tabs where a name holds spaces)"
            )
            continue
        query, _, name, rank, score, _ = fields
        query, name = same_id(query), same_id(name)
        numbers = _number(rank), _number(score)
        if None in numbers:
            problems.append(f"{place}: found rank {rank!r} and score {score!r}, expected two finite numbers")
            continue
        first = lines.setdefault((query, name), number)
        if first != number:
            problems.append(f"{place}: found {name!r} again for query {query!r}, first in line {first}; keep one")
            continue
        found.setdefault(query, []).append(Entry(name, numbers[1] or 0.0, numbers[0] or 0.0, number, place))
    if problems:
        raise RetrievalError(listed(problems))
    return {query: tuple(_in_order(path, query, entries)) for query, entries in found.items()}


def _fields(line: str) -> list[str]:
    # Tabs, where they are the separators, let names hold spaces.
    return [field.strip() for field in line.split("\t")] if line.count("\t") == 5 else line.split()


def _in_order(path: str, query: str, entries: list[Entry]) -> Iterator[Entry]:
    ordered = sorted(entries, key=lambda entry: (-entry.score, entry.rank))
    against = [(above, below) for above, below in pairwise(ordered) if above.rank > below.rank]
    if any(above.score > below.score for above, below in against):
        _log.warning(
            "%s: query %s has better scores at worse ranks; the scores decide (are they distances?)", path, query
        )
    ceiling = math.inf
    for _, group in groupby(ordered, key=lambda entry: (entry.score, entry.rank)):
        alike = list(group)
        score = min(alike[0].score, ceiling)
        yield from (Entry(entry.name, score, entry.rank, entry.line, entry.place) for entry in alike)
        ceiling = math.nextafter(score, -math.inf)


def _read_json(path: str, text: str) -> dict[str, tuple[Entry, ...]]:
    found: dict[str, tuple[Entry, ...]] = {}
    problems: list[str] = []
    for line, case in _cases(path, text):
        place = f"{path}:{line}"
        if not isinstance(case, dict):
            problems.append(f"{place}: found {case!r:.60}, expected an object with query_id and retrieved")
            continue
        query, names = case.get("query_id"), case.get("retrieved")
        if not _is_name(query):
            problems.append(f"{place}: query_id is {query!r:.60}, expected a text or a whole number")
        elif not isinstance(names, list) or not all(map(_is_name, names)):
            problems.append(f"{place}: retrieved of {query} is {names!r:.60}, expected a list of names, best first")
        elif same_id(str(query)) in found:
            problems.append(f"{place}: found query {query} again; keep one entry a query")
        else:
            found[same_id(str(query))] = tuple(
                Entry(name, float(len(names) - index), index + 1, line, f"{place}: place {index + 1} of {query}")
                for index, name in enumerate(map(same_id, map(str, names)))
            )
    if problems:
        raise RetrievalError(listed(problems))
    if not found:
        raise RetrievalError(f"{path}: found an empty array, expected a case for each query")
    return found


def _cases(path: str, text: str) -> Iterator[tuple[int, Any]]:
    """Yield the array's elements with the line each starts on, which json.loads does not tell."""
    decoder = json.JSONDecoder()
    place, line, seen = text.index("[") + 1, 1, 0
    separator = ""
    while True:
        place = _past_space(text, place)
        line, seen = line + text.count("\n", seen, place), place
        if text[place : place + 1] == "]" and separator != ",":
            break
        try:
            case, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise RetrievalError(f"{path}:{error.lineno}: is not JSON: {error.msg} at column {error.colno}") from error
        except (RecursionError, ValueError):
            fault = "nested too deeply, or with a number of too many digits"
            raise RetrievalError(f"{path}:{line}: is not JSON that can be read: {fault}") from None
        yield line, case
        place = _past_space(text, place)
        separator = text[place : place + 1]
        if separator == ",":
            place += 1
        elif separator != "]":
            at = line + text.count("\n", seen, place)
            raise RetrievalError(f"{path}:{at}: is not JSON: expected a comma or the end of the array")
    rest = _past_space(text, place + 1)
    if rest < len(text):
        at = line + text.count("\n", seen, rest)
        raise RetrievalError(f"{path}:{at}: is not JSON: found more after the end of the array")


def _past_space(text: str, place: int) -> int:
    while text[place : place + 1].isspace():
        place += 1
    return place


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_name(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
