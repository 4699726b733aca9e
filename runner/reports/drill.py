"""A drill as a person and as a machine reads it: terminal, Markdown, JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from runner.rendering.console import console
from runner.selftest.check import FAILED, FOR_EACH_SLICE, NOT_APPLICABLE, NOTICED, UPDATE, Check, Drill
from runner.tracking.artifacts import code, escape

if TYPE_CHECKING:
    from rich.table import Table

_PAPER = 1000
_SLICES = ("slice", "n", "recall", "removed", "again", *FOR_EACH_SLICE)
_ONCE = ("exercise", "n", "before", "after", "verdict", "what was seen")
_SHORT = {NOTICED: "noticed", FAILED: "FAILED", NOT_APPLICABLE: "-"}


def write_reports(drill: Drill, folder: Path) -> None:
    """Write drill.md and drill.json into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "drill.md").write_text(drill_markdown(drill), "utf-8")
    values = json.dumps(drill_values(drill), ensure_ascii=False, indent=1, allow_nan=False)
    (folder / "drill.json").write_text(values + "\n", "utf-8")


def drill_values(drill: Drill) -> dict[str, Any]:
    """The whole drill as JSON values."""
    counts = {"noticed": NOTICED, "failed": FAILED, "not_applicable": NOT_APPLICABLE}
    return {**asdict(drill), **{name: drill.count(verdict) for name, verdict in counts.items()}}


def print_drill(drill: Drill, stream: TextIO) -> None:
    """Print one row a slice, one row for each exercise done once, and in full what failed or could not be done."""
    width = None if stream.isatty() else _PAPER
    terminal = console(stream, width=width)
    terminal.print(_title(drill), soft_wrap=True)
    terminal.print(_table(_SLICES, [_slice_cells(drill, group) for group in drill.slices]))
    once = [each for each in drill.exercises if each.name not in FOR_EACH_SLICE]
    terminal.print(_table(_ONCE, [_once_cells(each) for each in once], 2))
    for line in [*_notes(drill), summary(drill)]:
        terminal.print(line, soft_wrap=True)


def summary(drill: Drill) -> str:
    """The last line: how many exercises ended how."""
    counts = (
        f"{drill.count(NOTICED)} noticed, {drill.count(FAILED)} failed, {drill.count(NOT_APPLICABLE)} not applicable"
    )
    if drill.count(FAILED):
        return f"{counts}: the instrument did not notice everything"
    return counts if drill.count(NOTICED) else f"{counts}: nothing was proved"


def drill_markdown(drill: Drill) -> str:
    """The whole drill as Markdown, with what was seen in every exercise."""
    slices = [[escape(cell) for cell in _slice_cells(drill, group)] for group in drill.slices]
    once = [[escape(cell) for cell in _once_cells(each)] for each in drill.exercises if each.name not in FOR_EACH_SLICE]
    seen = [_sentence(each) for each in drill.exercises if each.name in FOR_EACH_SLICE]
    notes = "\n".join(f"- {escape(note)}" for note in _notes(drill))
    parts = [
        f"# {escape(_title(drill))}",
        escape(summary(drill)),
        notes,
        _markdown(_SLICES, slices),
        _markdown(_ONCE, once),
    ]
    return "\n\n".join(part for part in [*parts, "## What was seen", "\n".join(seen)] if part) + "\n"


def _title(drill: Drill) -> str:
    return (
        f"drill of {drill.retriever} ({drill.retriever_hash}), suite {drill.suite} {drill.revision} ({drill.unit}s), "
        f"snapshot {drill.snapshot}, k={drill.k}"
    )


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
        for each in drill.exercises
        if each.verdict == FAILED and each.name in FOR_EACH_SLICE
    ]
    reasons: dict[str, list[str]] = {}
    for each in drill.exercises:
        if each.verdict == NOT_APPLICABLE and each.name in FOR_EACH_SLICE:
            reasons.setdefault(each.reason, []).append(each.group)
    return lines + [f"- {', '.join(dict.fromkeys(groups))}: {reason}" for reason, groups in reasons.items()]


def _sentence(each: Check) -> str:
    numbers = "" if each.after is None else f" {_number(each.before)} → {_number(each.after)} (n={each.n})"
    what = ", ".join(code(id_) for id_ in each.what[:3]) + (
        f" and {len(each.what) - 3} more" if len(each.what) > 3 else ""
    )
    named = f"{each.name} {escape(each.group)}{numbers}: {each.verdict}. {escape(each.reason)}"
    return f"- {named}{f' [{what}]' if what else ''}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(cells) + " |" for cells in rows)])


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in header:
        numeric = name in ("n", "recall", "removed", "again", "before", "after")
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for cells in rows:
        style = "bold" if _SHORT[FAILED] in cells else ""
        table.add_row(*(Text(cell, style=style) for cell in cells))
    return table
