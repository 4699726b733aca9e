"""Label Studio: tasks with a labelling configuration out, its JSON export in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runner.annotation.exchange.pair_row import PairRow, pair_row
from runner.errors import Problem
from runner.files.reading import kind_of, read_array
from runner.files.strict_json import MOST_DIGITS

_CHOICE, _NOTE, _OBJECT = "grade", "note", "passage"
_SAID = ("grade", "annotator", "at", "note", "source", "adjudicated")
# Made for the eye of the annotator out of the other values, which are what is read back.
_SHOWN = ("question", "passage", "was")
_WHAT = "Label Studio's JSON export: an array of tasks, each with `data` and `annotations`"


@dataclass
class Annotations:
    """What a file of Label Studio holds beside its rows: how many annotations were skipped, and who made the others."""

    skipped: int = 0
    people: set[str] = field(default_factory=set)


def tasks(rows: Sequence[PairRow]) -> list[dict[str, Any]]:
    """One task a pair. What was said of it already travels along in `data.judgments`, which annotators do not see."""
    by_pair: dict[tuple[str, str], list[PairRow]] = {}
    for row in rows:
        by_pair.setdefault((row.query_id, row.id), []).append(row)
    return [{"data": _data(same)} for same in by_pair.values()]


def _data(rows: Sequence[PairRow]) -> dict[str, Any]:
    row = rows[0]
    data = {key: value for key, value in row.values().items() if key not in _SAID}
    judgments = [{key: value for key, value in each.values().items() if key in _SAID} for each in rows if each.judgment]
    title = f"{row.passage_title}\n\n" if row.passage_title else ""
    return {
        "question": "\n".join([*row.history, row.text]) or row.query_id,
        "passage": f"{title}{row.passage_text}" or row.id,
        "was": row.old_text,
        **data,
        # Who grades what others disagree on settles it.
        **({"adjudicated": True} if row.adjudicated and not judgments else {}),
        "judgments": judgments,
    }


def label_config(grades: Iterable[int], *, old_texts: bool = False) -> str:
    """The labelling configuration for these tasks: the question, the passage, one choice a grade, and a note."""
    lines = [
        "<View>",
        '  <Header value="$question"/>',
        *(['  <Header value="It was:" size="5"/>', '  <Text name="was" value="$was"/>'] if old_texts else []),
        f'  <Text name="{_OBJECT}" value="${_OBJECT}"/>',
        f'  <Choices name="{_CHOICE}" toName="{_OBJECT}" choice="single" showInline="true" required="true">',
        *(f'    <Choice value="{grade}"{_hotkey(grade)}/>' for grade in grades),
        "  </Choices>",
        f'  <TextArea name="{_NOTE}" toName="{_OBJECT}" rows="2" maxSubmissions="1" placeholder="note"/>',
        "</View>",
    ]
    return "\n".join(lines) + "\n"


def _hotkey(grade: int) -> str:
    return f' hotkey="{grade}"' if grade < 10 else ""


def read_tasks(path: Path, problems: list[Problem], found: Annotations) -> Iterator[PairRow]:
    """Yield a row for every annotation that was submitted and for everything `data.judgments` says.

    A task with neither is a row without a grade. Skipped annotations are counted in `found`, drafts and predictions
    are nobody's answer. The annotator is the user's e-mail address where the export has it, else `user ID`.
    """
    for line, task in read_array(path, problems, _WHAT):
        faults: list[str] = []
        rows = list(_rows(task, line, faults, found))
        problems.extend(Problem(line, fault) for fault in faults)
        if not faults:
            yield from rows


def _rows(task: Mapping[str, Any], line: int, faults: list[str], found: Annotations) -> Iterator[PairRow]:
    data, annotations = task.get("data"), task.get("annotations", [])
    if not isinstance(data, dict) or not isinstance(annotations, list):
        faults.append("is no task with `data` and `annotations`; export as JSON, not as JSON-MIN")
        return
    pair = {key: value for key, value in data.items() if key not in (*_SHOWN, *_SAID, "judgments")}
    settles = {"adjudicated": True} if data.get("adjudicated") is True else {}
    judgments = [*_kept(data, faults), *({**each, **settles} for each in _annotated(annotations, faults, found))]
    for each in judgments or [settles]:
        row = pair_row({**pair, **each}, line, faults)
        if row:
            yield row


def _kept(data: Mapping[str, Any], faults: list[str]) -> list[dict[str, Any]]:
    kept = data.get("judgments") or []
    if isinstance(kept, list) and all(isinstance(each, dict) for each in kept):
        return kept
    faults.append(f"data.judgments: found {kind_of(kept)}, expected what was exported")
    return []


def _annotated(annotations: Sequence[Any], faults: list[str], found: Annotations) -> Iterator[dict[str, Any]]:
    for annotation in annotations:
        if not isinstance(annotation, dict):
            faults.append(f"annotations: found {kind_of(annotation)}, expected an object")
            continue
        results = annotation.get("result")
        if annotation.get("was_cancelled") or not results:
            found.skipped += 1
            continue
        person = _person(annotation.get("completed_by"))
        grade = _grade(results, faults)
        if grade is None:
            continue
        if person:
            found.people.add(person)
        at = annotation.get("updated_at") or annotation.get("created_at")
        yield {"grade": grade, "annotator": person, "at": at, "note": _note(results)}


def _person(value: Any) -> str | None:
    if isinstance(value, dict):
        # Whole exports name the user, others only give the number.
        value = value.get("email") or value.get("id")
    return value if isinstance(value, str) and value else None if value is None else f"user {value}"


def _grade(results: Any, faults: list[str]) -> int | None:
    chosen = [choice for value in _values(results, _CHOICE) for choice in value.get("choices", [])]
    only = chosen[0] if len(chosen) == 1 and isinstance(chosen[0], str) else ""
    if only.isascii() and only.isdigit() and len(only) <= MOST_DIGITS:
        return int(only)
    found = ", ".join(f"{choice!r:.60}" for choice in chosen) or "none"
    faults.append(f"annotation: found the choices {found}, expected one grade from the choices named {_CHOICE!r}")
    return None


def _note(results: Any) -> str:
    texts = [value.get("text", "") for value in _values(results, _NOTE)]
    lines = [line for text in texts for line in (text if isinstance(text, list) else [text])]
    return "\n".join(str(line) for line in lines)


def _values(results: Any, name: str) -> list[dict[str, Any]]:
    named = [each for each in results if isinstance(each, dict) and each.get("from_name") == name]
    return [each["value"] for each in named if isinstance(each.get("value"), dict)]
