"""A comparison as a person and as a machine reads it: terminal, Markdown, JSON."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from runner.decisions.comparison import Comparison, ComparisonRow, Failure, Pair
from runner.decisions.explain import causes, sentence
from runner.files.atomic import replace_files
from runner.files.strict_json import json_text
from runner.rendering.markdown import bullets, code, document, escape, markdown_table
from runner.rendering.terminal import show, terminal_table

if TYPE_CHECKING:
    from rich.table import Table

_MOST_SLICES = 12
_MOST_FAILURES = 10
_HEADER = ("metric", "slice", "n", "A", "B", "B - A", "interval", "p", "p Holm", "won/tied/lost", "detectable")


def write_reports(comparison: Comparison, folder: Path) -> None:
    """Write compare.md and compare.json into a folder."""
    values = json_text(comparison_values(comparison))
    replace_files(folder, {"compare.md": comparison_markdown(comparison), "compare.json": values})


def print_comparison(comparison: Comparison, metric: str, stream: TextIO) -> None:
    """Print each pair: all metrics over all queries, the slices of one metric that moved most, and what failed."""
    for pair in comparison.pairs:
        show(_shown(comparison, pair, metric), stream)


def _shown(comparison: Comparison, pair: Pair, metric: str) -> "Iterator[str | Table]":
    yield _title(comparison, pair)
    yield terminal_table(_HEADER, map(_cells, _chosen(pair, metric)), left=_HEADER[:2])
    left_out = sum(line.metric == metric and bool(line.group) for line in pair.lines) - _MOST_SLICES
    if left_out > 0:
        yield f"... and {left_out} more slices in the reports (out=FOLDER)"
    yield from _effects(pair, metric)
    yield from _explanation(comparison, pair, metric)
    yield from _failure_lines(comparison, pair)
    yield from pair.unjudged.lines()
    yield from (f"note: {note}" for note in pair.notes)


def comparison_markdown(comparison: Comparison, metric: str = "recall") -> str:
    """The whole comparison as Markdown."""
    parts = []
    for pair in comparison.pairs:
        lines = [line for line in pair.lines if not line.group or line.metric == metric]
        rows = [list(map(escape, _cells(line))) for line in lines]
        parts += [f"## {escape(_title(comparison, pair))}", markdown_table(_HEADER, rows)]
        parts.append(
            "\n".join(escape(line) for line in [*_effects(pair, metric), *_explanation(comparison, pair, metric)])
        )
        for title, failures in _failure_sets(pair):
            found = [f"{code(each.query_id)} {escape(each.text)}: {_ranks(each)}" for each in failures]
            parts += [f"### Failing in {title}: {len(failures)}", bullets(found)]
        parts.append("  \n".join(map(escape, pair.unjudged.lines())))
        parts.append(bullets(map(escape, pair.notes)))
    return document(parts)


def comparison_values(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison as JSON values."""
    return {
        "k": comparison.k,
        "options": asdict(comparison.options),
        "first": comparison.first.run.id,
        "pairs": [
            {
                "second": pair.second.run.id,
                "lines": [_line_values(line) for line in pair.lines],
                "changed": {key: list(values) for key, values in pair.changed.items()},
                "causes": [asdict(cause) for cause in causes(comparison.first.run, pair.second.run)],
                "failing": {title: [asdict(each) for each in failures] for title, failures in _failure_sets(pair)},
                "unjudged": asdict(pair.unjudged),
                "notes": list(pair.notes),
            }
            for pair in comparison.pairs
        ],
    }


def _line_values(line: ComparisonRow) -> dict[str, Any]:
    # JSON has no infinity: too few queries to show any difference.
    detectable = line.detectable if isfinite(line.detectable) else None
    return asdict(line) | {"difference": line.difference, "detectable": detectable}


def _title(comparison: Comparison, pair: Pair) -> str:
    first, second = comparison.first.run, pair.second.run
    return (
        f"A = {first.name} ({first.id}), B = {second.name} ({second.id}): suite {first.params['suite']} "
        f"{first.params['suite_revision']}, {len(comparison.first.query_ids)} queries, k={comparison.k}"
    )


def _chosen(pair: Pair, metric: str) -> list[ComparisonRow]:
    overall = [line for line in pair.lines if not line.group]
    slices = sorted(
        (line for line in pair.lines if line.group and line.metric == metric),
        key=lambda line: (line.p, -abs(line.difference), line.group),
    )
    return [*overall, *slices[:_MOST_SLICES]]


def _cells(line: ComparisonRow) -> tuple[str, ...]:
    small = " (below one query)" if line.below_one_query else ""
    return (
        line.metric,
        line.group or "all",
        str(line.n),
        f"{line.first:.3f}",
        f"{line.second:.3f}",
        f"{line.difference:+.3f}{small}",
        f"[{line.low:+.3f}, {line.high:+.3f}]",
        f"{line.p:.4f}",
        f"{line.adjusted:.4f}",
        f"{line.wins}/{line.ties}/{line.losses}",
        f"{line.detectable:.3f}" if isfinite(line.detectable) else "none",
    )


def _effects(pair: Pair, metric: str) -> list[str]:
    line = next(line for line in pair.lines if line.metric == metric and not line.group)
    effect = f"{metric} {line.difference:+.3f} [{line.low:+.3f}, {line.high:+.3f}]"
    if not pair.changed:
        return ["no setting differs"]
    if len(pair.changed) == 1:
        key, (before, after) = next(iter(pair.changed.items()))
        return [f"effect of {key} {before} -> {after}: {effect}"]
    return [f"settings that differ, {effect} together:", *_grouped(pair.changed)]


def _grouped(changed: Mapping[str, tuple[str, str]]) -> list[str]:
    """One line a setting; a stage, or a library, that only one run has is one line in all."""
    one_sided: Counter[tuple[str, str]] = Counter()
    lines = []
    for key, (before, after) in changed.items():
        only = "A" if after == "-" else "B" if before == "-" else ""
        if only and key.startswith(("stage.", "version.")):
            kind, name = key.split(".")[:2]
            one_sided[only, f"{kind} {name}"] += 1
        else:
            lines.append(f"  {key}: {before} -> {after}")
    lines += [
        f"  only in {only}: {what} ({count} {'setting' if count == 1 else 'settings'})"
        for (only, what), count in sorted(one_sided.items())
    ]
    return lines


def _explanation(comparison: Comparison, pair: Pair, metric: str) -> list[str]:
    """Where the two are the same configuration at heart, say which input moved."""
    before, after = comparison.first.run, pair.second.run
    line = next(line for line in pair.lines if line.metric == metric and not line.group)
    found = causes(before, after)
    if before.params["retriever"] != after.params["retriever"] or any(cause.kind == "settings" for cause in found):
        return []
    return [sentence(metric, line.first, line.second, found)]


def _failure_sets(pair: Pair) -> tuple[tuple[str, Sequence[Failure]], ...]:
    return (("both", pair.both_fail), ("A only", pair.only_first_fails), ("B only", pair.only_second_fails))


def _failure_lines(comparison: Comparison, pair: Pair) -> list[str]:
    counts = ", ".join(f"{title} {len(failures)}" for title, failures in _failure_sets(pair))
    lines = [f"queries with nothing relevant in the first {comparison.k}: {counts}"]
    for title, failures in _failure_sets(pair)[1:]:
        for each in failures[:_MOST_FAILURES]:
            lines.append(f"  {title}: {each.query_id} {each.text!r}: {_ranks(each)}")
        if len(failures) > _MOST_FAILURES:
            lines.append(f"  {title}: ... and {len(failures) - _MOST_FAILURES} more")
    return lines


def _ranks(failure: Failure) -> str:
    return f"A {_rank(failure.first_rank, failure.first_lost)}, B {_rank(failure.second_rank, failure.second_lost)}"


def _rank(rank: int, lost: str) -> str:
    where = f"rank {rank}" if rank else "not found"
    return f"{where} (lost in the {lost})" if lost else where
