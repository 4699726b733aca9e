"""A trend as a person and as a machine reads it: terminal, Markdown, CSV, JSON."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from runner.decisions.trend import Trend, TrendPoint, short
from runner.files.atomic import replace_files
from runner.files.strict_json import json_text
from runner.rendering.console import console
from runner.rendering.markdown import bullets, code, document, escape, markdown_table
from runner.reports.trend_plot import draw_trend

_HEADER = ("accepted", "run", "id", "revision", "snapshot", "documents", "n", "value", "interval", "gate", "")
_RIGHT = ("n", "value")
_MOST_NAMED = 3
PLOT, TABLE, VALUES, MARKDOWN = "trend.png", "trend.csv", "trend.json", "trend.md"


def write_reports(trend: Trend, folder: Path) -> None:
    """Write trend.md, trend.csv, trend.json and trend.png into a folder, each whole or not at all."""
    plot = io.BytesIO()
    draw_trend(trend, plot)
    texts = {MARKDOWN: trend_markdown(trend), TABLE: trend_csv(trend), VALUES: json_text(trend_values(trend))}
    replace_files(folder, {**texts, PLOT: plot.getvalue()})


def print_trend(trend: Trend, stream: TextIO) -> None:
    """Print one line a run, with a rule that names what changed wherever two runs are not to be joined."""
    from rich.cells import cell_len
    from rich.text import Text

    terminal = console(stream, color_system="auto")
    rows = [_cells(trend, point) for point in trend.points]
    widths = [max(map(cell_len, column)) for column in zip(_HEADER, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for name, cell, width in zip(_HEADER, cells, widths, strict=True):
            space = " " * (width - cell_len(cell))
            padded.append(space + cell if name in _RIGHT else cell + space)
        return "  ".join(padded).rstrip()

    terminal.print(headline(trend), soft_wrap=True)
    terminal.print(line(_HEADER), style="bold", soft_wrap=True)
    for point, cells in zip(trend.points, rows, strict=True):
        if point.changes:
            terminal.print(f"-- {_changes(point)} --", style="dim", soft_wrap=True)
        terminal.print(Text(line(cells), style="strike" if point.accepted.undone else ""), soft_wrap=True)
    for remark in _remarks(trend):
        terminal.print(f"note: {remark}", soft_wrap=True)


def headline(trend: Trend) -> str:
    """What is shown."""
    runs = "1 accepted run" if len(trend.points) == 1 else f"{len(trend.points)} accepted runs"
    return f"suite {trend.suite}: {trend.measure}; {runs}, interval at {trend.measure.level:.0%}"


def trend_markdown(trend: Trend) -> str:
    """The table as Markdown; what was taken back is struck."""
    rows = []
    for point in trend.points:
        if point.changes:
            rows.append([f"**{escape(_changes(point))}**", *[""] * (len(_HEADER) - 1)])
        cells = _cells(trend, point)
        shown = [code(cell) if name == "id" else escape(cell) for name, cell in zip(_HEADER, cells, strict=True)]
        rows.append([f"~~{cell}~~" if cell else "" for cell in shown] if point.accepted.undone else shown)
    notes = bullets(map(escape, _remarks(trend)))
    return document([f"## {escape(headline(trend))}", markdown_table(_HEADER, rows), notes])


def trend_csv(trend: Trend) -> str:
    """One line a point, under the names of `trend_values`."""
    rows = trend_values(trend)["points"]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "changes": "; ".join(row["changes"])} for row in rows)
    return out.getvalue()


def trend_values(trend: Trend) -> dict[str, Any]:
    """The whole trend as JSON values. segment: points of another number are never to be joined."""
    measure = trend.measure
    return {
        "suite": trend.suite,
        "metric": measure.metric,
        "k": measure.depth_of_cut,
        "slice": measure.group or None,
        "level": measure.level,
        "seed": measure.seed,
        "resamples": measure.resamples,
        "points": [_values(point, segment) for point, segment in zip(trend.points, trend.segment_numbers, strict=True)],
    }


def _values(point: TrendPoint, segment: int) -> dict[str, Any]:
    params, run, value = point.params, point.accepted.run, point.value
    return {
        "accepted": point.accepted.at,
        "taken_back": point.accepted.undone,
        "run": run.info.run_id,
        "name": run.info.run_name,
        "suite_revision": params["suite_revision"],
        "snapshot": params["snapshot"],
        "documents_sha256": params["documents_sha256"],
        "documents_changed": point.documents_changed,
        "unit": params["unit"],
        "metrics_version": params["metrics_version"],
        "segment": segment,
        "changes": [str(change) for change in point.changes],
        "n": point.n,
        "value": value.value if value else None,
        "low": value.low if value else None,
        "high": value.high if value else None,
        "gate": point.accepted.verdict,
        "missing": point.missing or None,
    }


def _cells(trend: Trend, point: TrendPoint) -> tuple[str, ...]:
    params, info, value = point.params, point.accepted.run.info, point.value
    documents = {None: "", True: "changed", False: "same"}[point.documents_changed]
    undone = f"taken back {_when(point.accepted.undone)}" if point.accepted.undone else ""
    return (
        _when(point.accepted.at),
        str(info.run_name),
        short(info.run_id),
        short(params["suite_revision"]),
        short(params["snapshot"]),
        documents,
        str(point.n),
        f"{value.value:.3f}" if value else "-",
        f"[{value.low:.3f}, {value.high:.3f}]" if value else "",
        point.accepted.verdict,
        undone or ("no value, see below" if point.missing else ""),
    )


def _when(at: str) -> str:
    return at[:16].replace("T", " ")


def _changes(point: TrendPoint) -> str:
    return "; ".join(map(str, point.changes))


def _remarks(trend: Trend) -> Iterable[str]:
    lacking: dict[str, list[str]] = {}
    for point in trend.points:
        if point.missing:
            info = point.accepted.run.info
            lacking.setdefault(point.missing, []).append(f"{info.run_name} ({short(info.run_id)})")
    for reason, runs in lacking.items():
        more = f" and {len(runs) - _MOST_NAMED} more" if len(runs) > _MOST_NAMED else ""
        yield f"{', '.join(runs[:_MOST_NAMED])}{more}: {reason}"
    if trend.segment_numbers[-1]:
        yield (
            "runs on either side of a rule are scores of different questions, documents or definitions: no difference "
            "between them is a trend; python -m runner gate repeats the older one on the newer's"
        )
