"""A drill as a person and as a machine reads it: terminal, Markdown, JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from runner.files.atomic import replace_files
from runner.files.strict_json import json_text
from runner.rendering.markdown import bullets, code, document, escape, markdown_table
from runner.rendering.terminal import show, terminal_table
from runner.selftest.check import FAILED, FOR_EACH_SLICE, NOT_APPLICABLE, NOTICED, UPDATE, Check, Drill

if TYPE_CHECKING:
    from rich.table import Table

_SLICES = ("slice", "n", "recall", "removed", "again", *FOR_EACH_SLICE)
_ONCE = ("exercise", "n", "before", "after", "verdict", "what was seen")
_NUMBERS = ("n", "recall", "removed", "again", "before", "after")
_SHORT = {NOTICED: "noticed", FAILED: "FAILED", NOT_APPLICABLE: "-"}


def write_reports(drill: Drill, folder: Path) -> None:
    """Write drill.md and drill.json into a folder."""
    replace_files(folder, {"drill.md": drill_markdown(drill), "drill.json": json_text(drill_values(drill))})


def drill_values(drill: Drill) -> dict[str, Any]:
    """The whole drill as JSON values."""
    counts = {"noticed": NOTICED, "failed": FAILED, "not_applicable": NOT_APPLICABLE}
    values = asdict(drill)
    values["exercises"] = values.pop("checks")
    return {**values, **{name: drill.count(verdict) for name, verdict in counts.items()}}


def print_drill(drill: Drill, stream: TextIO) -> None:
    """Print one row a slice, one row for each check done once, and in full what failed or could not be done."""
    show(_shown(drill), stream)


def _shown(drill: Drill) -> "Iterator[str | Table]":
    yield _title(drill)
    for header, rows in ((_SLICES, _slice_rows(drill)), (_ONCE, _once_rows(drill))):
        texts = [name for name in header if name not in _NUMBERS]
        failed = [number for number, cells in enumerate(rows) if _SHORT[FAILED] in cells]
        yield terminal_table(header, rows, left=texts, fold=texts, bold=failed)
    yield from _notes(drill)
    yield summary(drill)


def summary(drill: Drill) -> str:
    """The last line: how many checks ended how."""
    counts = (
        f"{drill.count(NOTICED)} noticed, {drill.count(FAILED)} failed, {drill.count(NOT_APPLICABLE)} not applicable"
    )
    if drill.count(FAILED):
        return f"{counts}: the instrument did not notice everything"
    return counts if drill.count(NOTICED) else f"{counts}: nothing was proved"


def drill_markdown(drill: Drill) -> str:
    """The whole drill as Markdown, with what was seen in every check."""
    return document(
        [
            f"# {escape(_title(drill))}",
            escape(summary(drill)),
            bullets(map(escape, _notes(drill))),
            markdown_table(_SLICES, [list(map(escape, cells)) for cells in _slice_rows(drill)]),
            markdown_table(_ONCE, [list(map(escape, cells)) for cells in _once_rows(drill)]),
            "## What was seen",
            bullets(_sentence(each) for each in drill.checks if each.name in FOR_EACH_SLICE),
        ]
    )


def _title(drill: Drill) -> str:
    return (
        f"drill of {drill.retriever} ({drill.retriever_hash}), suite {drill.suite} {drill.revision} ({drill.unit}s), "
        f"snapshot {drill.snapshot}, k={drill.k}"
    )


def _slice_rows(drill: Drill) -> list[list[str]]:
    return [_slice_cells(drill, group) for group in drill.slices]


def _once_rows(drill: Drill) -> list[list[str]]:
    return [_once_cells(each) for each in drill.checks if each.name not in FOR_EACH_SLICE]


def _slice_cells(drill: Drill, group: str) -> list[str]:
    found = drill.of_slice(group)
    first, last = found["remove"], found[UPDATE]
    scores = [_number(first.before), _number(first.after), _number(last.after)]
    return [group, str(first.n), *scores, *(_SHORT[found[name].verdict] for name in FOR_EACH_SLICE)]


def _once_cells(each: Check) -> list[str]:
    named = f"{each.name} {each.group}".strip()
    n = str(each.n) if each.n else ""
    return [named, n, _number(each.before), _number(each.after), _SHORT[each.verdict], each.reason]


def _notes(drill: Drill) -> list[str]:
    """What failed, and why something could not be done, each reason once."""
    lines = [
        f"FAILED {' '.join(filter(None, [each.name, each.group]))}: {each.reason}"
        for each in drill.checks
        if each.verdict == FAILED and each.name in FOR_EACH_SLICE
    ]
    reasons: dict[str, list[str]] = {}
    for each in drill.checks:
        if each.verdict == NOT_APPLICABLE and each.name in FOR_EACH_SLICE:
            reasons.setdefault(each.reason, []).append(each.group)
    return lines + [f"- {', '.join(dict.fromkeys(groups))}: {reason}" for reason, groups in reasons.items()]


def _sentence(each: Check) -> str:
    numbers = "" if each.after is None else f" {_number(each.before)} → {_number(each.after)} (n={each.n})"
    what = ", ".join(code(id_) for id_ in each.what[:3]) + (
        f" and {len(each.what) - 3} more" if len(each.what) > 3 else ""
    )
    named = f"{each.name} {escape(each.group)}{numbers}: {each.verdict}. {escape(each.reason)}"
    return f"{named}{f' [{what}]' if what else ''}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
