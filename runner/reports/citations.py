"""What was found of citations as a person and as a machine reads it: terminal, Markdown, JSON, a table of all."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from runner.citation_checks.check_result import CHECKS, CheckedAnswers, citation_table
from runner.citation_checks.rates import ALL, Rate
from runner.errors import MOST_LISTED
from runner.files.atomic import replace_files
from runner.files.strict_json import json_text
from runner.rendering.markdown import bullets, document, escape, markdown_table
from runner.rendering.terminal import show, terminal_table
from runner.reports.citation_failures import failing, failure_groups, marked_line, plain_line

if TYPE_CHECKING:
    from rich.table import Table

_HEADER = ("check", "slice", "holds", "n", "rate", "95% interval", "not checked")
# The terminal shows so many slices of the lowest rates; the files hold all.
_MOST_SLICES = 12


@dataclass(frozen=True)
class Report:
    """file: the name of the records' file. unmet: a sentence for every demand that is not met."""

    file: str
    checked: CheckedAnswers
    rates: tuple[Rate, ...]
    unmet: tuple[str, ...] = ()


def print_report(report: Report, stream: TextIO) -> None:
    """Print the counts, the rates and, by check, the first failing citations."""
    show(_shown(report), stream)


def _shown(report: Report) -> "Iterator[str | Table]":
    yield _headline(report)
    overall = [rate for rate in report.rates if rate.slice == ALL]
    slices = [rate for rate in report.rates if rate.slice != ALL and rate.value is not None and rate.value < 1]
    slices.sort(key=lambda rate: (rate.value or 0.0, rate.slice))
    yield terminal_table(_HEADER, map(_cells, [*overall, *slices[:_MOST_SLICES]]), left=_HEADER[:2])
    if len(slices) > _MOST_SLICES:
        yield f"... and {len(slices) - _MOST_SLICES} more slices below 1 in the files (out=FOLDER)"
    yield from _reason_lines(overall)
    yield from _notes(report)
    for title, lines in failure_groups(report.checked, plain_line):
        yield f"{title}:"
        yield from (f"  {line}" for line in lines)
    yield from (f"NOT MET {sentence}" for sentence in report.unmet)


def write_report(report: Report, folder: Path) -> None:
    """Write lineage.md, lineage.json and citations.parquet into a folder; each appears whole or not at all."""
    import pyarrow.parquet as pq

    table = io.BytesIO()
    pq.write_table(citation_table(report.checked.citations), table, compression="zstd")
    texts = {"lineage.md": report_markdown(report), "lineage.json": json_text(report_values(report))}
    replace_files(folder, {**texts, "citations.parquet": table.getvalue()})


def report_markdown(report: Report) -> str:
    """The whole report as Markdown."""
    parts = [f"## Lineage of citations: {escape(report.file)}", f"{escape(_headline(report))}."]
    parts.append(markdown_table(_HEADER, [list(map(escape, _cells(rate))) for rate in report.rates]))
    overall = [rate for rate in report.rates if rate.slice == ALL]
    notes = [*_reason_lines(overall), *_notes(report), *(f"NOT MET {sentence}" for sentence in report.unmet)]
    parts.append(bullets(map(escape, notes)))
    for title, lines in failure_groups(report.checked, marked_line):
        parts += [f"### {escape(title)}", bullets(lines)]
    return document(parts)


def report_values(report: Report) -> dict[str, Any]:
    """The whole report as JSON values; failing citations: the first 20 of each check."""
    checked = report.checked
    return {
        "file": report.file,
        "snapshots": list(checked.snapshots),
        "counts": counts_of(checked),
        "rates": [asdict(rate) | {"value": rate.value} for rate in report.rates],
        "unmet": list(report.unmet),
        "failing": {
            check: [
                {
                    "line": each.answer.line,
                    "answer_id": each.answer.id,
                    "query_id": each.answer.query_id,
                    "snapshot": each.snapshot or each.answer.snapshot,
                    "cited": each.citation.id,
                    "quotation": each.citation.quotation,
                    **asdict(each.findings[check]),
                }
                for each in failing(checked, check)[:MOST_LISTED]
            ]
            for check in CHECKS
        },
        "impossible": [
            {"line": answer.line, "answer_id": answer.id, "query_id": answer.query_id, "fault": fault}
            for answer, fault in checked.impossible[:MOST_LISTED]
        ],
    }


def counts_of(checked: CheckedAnswers) -> dict[str, int]:
    """How many there are of everything that is no rate."""
    return {
        "answers": len(checked.answers),
        "alerts": sum(answer.kind == "alert" for answer in checked.answers),
        "without_citation": checked.without_citation,
        "citations": len(checked.citations),
        "repeated_citations": checked.repeated,
        "retrieved_unknown": checked.retrieved_unknown,
        "from_the_future": len(checked.impossible),
    }


def _headline(report: Report) -> str:
    checked = report.checked
    alerts = sum(answer.kind == "alert" for answer in checked.answers)
    of_them = f", {_n(alerts, 'alert')} among them" if alerts else ""
    return (
        f"{report.file}: {_n(len(checked.answers), 'answer')}{of_them}, {checked.without_citation} without a "
        f"citation; {_n(len(checked.citations), 'citation')} from {_n(len(checked.snapshots), 'stored snapshot')}"
    )


def _n(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _cells(rate: Rate) -> tuple[str, ...]:
    value = "-" if rate.value is None else _share(rate.value)
    interval = "-" if rate.value is None else f"[{rate.low:.3f}, {rate.high:.3f}]"
    return (
        rate.check,
        rate.slice or "all",
        str(rate.held),
        str(rate.n),
        value,
        interval,
        str(sum(rate.unchecked.values())),
    )


def _share(value: float) -> str:
    """Four decimals; what is not all must not look like all."""
    return "<1.0000" if value < 1 and f"{value:.4f}" == "1.0000" else f"{value:.4f}"


def _reason_lines(rates: Sequence[Rate]) -> list[str]:
    return [
        f"{rate.check} not checked: " + "; ".join(f"{count} {reason}" for reason, count in rate.unchecked.items())
        for rate in rates
        if rate.unchecked
    ]


def _notes(report: Report) -> Iterator[str]:
    checked = report.checked
    if checked.repeated:
        yield f"note: {_n(checked.repeated, 'citation')} said the same as another of their answer and counted once"
    if stranger := _stranger(checked):
        yield f"note: not one id of the file is in the snapshot of its answer (such as {stranger!r}); is it their file?"
    elif checked.retrieved_unknown:
        unknown = _n(checked.retrieved_unknown, "retrieved id")
        yield f"note: {unknown} not in the answer's snapshot; was it really the one that was searched?"


def _stranger(checked: CheckedAnswers) -> str | None:
    """The first id, where the snapshots are stored and hold not one of all that are cited or were retrieved."""
    retrieved = [id_ for answer in checked.answers for id_ in answer.retrieved]
    if checked.retrieved_unknown < len(retrieved):
        return None
    if any(each.snapshot is None or each.findings["existence"].outcome != "failed" for each in checked.citations):
        return None
    return next(iter([*(each.citation.id for each in checked.citations), *retrieved]), None)
