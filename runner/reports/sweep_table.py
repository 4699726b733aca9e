"""The result of a sweep as a person reads it: a table, the worst slices, the failures by cause."""

import io
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from runner.rendering.console import PAPER, console
from runner.rendering.markdown import markdown_table
from runner.rendering.terminal import terminal_table
from runner.scoring.metric_names import DEFAULT_NAMES, POOL_RECALL
from runner.tracking.names import metric_key, read_key_part
from runner.tracking.run_record import MUCH_UNJUDGED

if TYPE_CHECKING:
    from rich.table import Table

# A slice of fewer queries is shown as worst only where no larger one exists.
LEAST_IN_SLICE = 5
SCORES = ("hit", "recall", "mrr", "ndcg", "pool_recall")
LATENCIES = ("latency_p50_ms", "latency_p95_ms")
# Stands behind a latency that cannot be trusted.
NOISY = "~"


@dataclass(frozen=True)
class Row:
    """One run as the table shows it, read from what was logged, so that a skipped run looks like a new one.

    documents and judgments: which documents were searched and by which judgments they were scored. chosen: the
    metrics it was logged with.
    """

    run_id: str
    name: str
    retriever: str
    k: int
    pool: str
    suite: str
    snapshot: str
    variant: str
    metrics: Mapping[str, float]
    documents: str = ""
    judgments: str = ""
    chosen: tuple[str, ...] = DEFAULT_NAMES

    def rivals(self, rows: "Sequence[Row]") -> "list[Row]":
        """The runs that this one is measured against: same k, judgments and documents, however these were cut."""
        return [other for other in rows if other._world == self._world]

    @property
    def _world(self) -> tuple[object, ...]:
        return self.k, self.suite, self.judgments, self.documents or self.snapshot

    def worst_slice(self) -> tuple[str, float, int] | None:
        """Name, recall and n of the slice with the lowest recall."""
        rows = [
            (value, read_key_part(key.removeprefix("recall/")), int(self.metrics[f"n/{key.removeprefix('recall/')}"]))
            for key, value in self.metrics.items()
            if key.startswith("recall/")
        ]
        rows = [row for row in rows if row[2] >= LEAST_IN_SLICE] or rows
        if not rows:
            return None
        value, name, n = min(rows)
        return name, value, n


def print_table(rows: Sequence[Row], stream: TextIO | None = None) -> None:
    """Print the table, the worst slice of each retriever and, beneath, what the marks mean.

    In a narrow terminal the columns of time and failures are left out, and said to be.
    """
    target = console(stream or sys.stdout)
    full, narrow = _table(rows), _table(rows, narrow=True)
    # Measured as on paper: on a narrow console rich would cut the numbers themselves.
    wide = target.options.update(width=PAPER)
    fits = target.measure(full, options=wide).maximum <= target.width
    shown = full if fits else narrow
    target.print(shown, width=target.measure(shown, options=wide).maximum, crop=False, soft_wrap=True)
    if fits:
        target.print(
            "* best at this k    lost in pool, in ranking: queries with nothing relevant in the first k, by cause"
        )
        if any(map(_is_noisy, rows)):
            target.print(
                f"{NOISY} noisy: a repeat took more than twice or less than half as long, or several threads worked; "
                "measured again by the next sweep",
                soft_wrap=True,
            )
    else:
        target.print(
            "* best at this k; a wider terminal also shows intervals, latency and lost queries", soft_wrap=True
        )
    for line in [*worst_lines(rows), *unjudged_lines(rows)]:
        target.print(line, soft_wrap=True)


def sweep_markdown(rows: Sequence[Row], narrow: bool = False) -> str:
    """The same table as Markdown."""
    header, body = table_cells(rows, narrow)
    return markdown_table(header, [[text + ("*" if best else "") for text, best in cells] for cells in body])


def worst_lines(rows: Sequence[Row]) -> list[str]:
    """One line a retriever, at its largest k: the slice with the lowest recall."""
    largest: dict[tuple[str, ...], Row] = {}
    for row in rows:
        key = (row.retriever, row.pool, row.variant, row.suite, row.judgments, row.snapshot)
        if key not in largest or row.k > largest[key].k:
            largest[key] = row
    lines = []
    for row in largest.values():
        worst = row.worst_slice()
        if worst and worst[1] < row.metrics["recall"] and worst[2] < row.metrics.get("n", math.inf):
            name, value, n = worst
            lines.append(
                f"worst slice of {row.name}: {name}  recall {value:.3f} (n={n}; all {row.metrics['recall']:.3f})"
            )
    return lines


def unjudged_lines(rows: Sequence[Row]) -> list[str]:
    """One line where much of what runs show is unjudged, so that their scores lean on what nobody has looked at."""
    shares = {row.name: 1 - row.metrics["judged"] for row in rows if "judged" in row.metrics}
    if not shares or max(shares.values()) <= MUCH_UNJUDGED:
        return []
    least, most = min(shares.values()), max(shares, key=lambda name: shares[name])
    span = f"{shares[most]:.0%}" if f"{least:.0%}" == f"{shares[most]:.0%}" else f"{least:.0%} to {shares[most]:.0%}"
    one = "" if len({row.snapshot for row in rows}) == 1 else ", of runs on one snapshot"
    named = f" (most: {most})" if len(shares) > 1 else ""
    return [
        f"unjudged, counted as not relevant: {span} of the first k{named}; what is worth judging{one}: "
        "python -m runner judgments candidates pool=RUN_ID,RUN_ID"
    ]


def as_text(rows: Sequence[Row]) -> str:
    """What `print_table` prints, as text."""
    stream = io.StringIO()
    print_table(rows, stream)
    return stream.getvalue()


def _table(rows: Sequence[Row], narrow: bool = False) -> "Table":
    from rich.text import Text

    header, body = table_cells(rows, narrow)
    texts = [
        [Text(text + ("*" if best else " "), style="bold" if best else "") for text, best in cells] for cells in body
    ]
    return terminal_table(header, texts, left=header[:1])


def table_cells(rows: Sequence[Row], narrow: bool = False) -> tuple[list[str], list[list[tuple[str, bool]]]]:
    """Headings, and for each row its cells with whether they are the best at its k."""
    several = {name: len({getattr(row, name) for row in rows}) > 1 for name in ("pool", "variant", "suite", "snapshot")}
    extra = [name for name, more in several.items() if more]
    # Where passages differ in length, what k of them cost to read belongs beside what they find.
    cut = ["tokens"] if several["snapshot"] and len({row.documents for row in rows}) == 1 else []
    scores = _scores(rows)
    header = ["retriever", *extra, "k", *scores, "n", *cut]
    header += [] if narrow else ["p50 ms", "p95 ms", "lost in pool", "in ranking"]
    body = []
    for row in rows:
        rivals = row.rivals(rows)
        cells = [(row.retriever, False), *((getattr(row, name) or "-", False) for name in extra), (str(row.k), False)]
        for name in scores:
            text, best = _marked(row, rivals, metric_key(name), "{:.3f}", max)
            cells.append((text + ("" if narrow else _beside(row, name)), best))
        cells.append((f"{row.metrics.get('n', 0):.0f}", False))
        cells += [_marked(row, rivals, "context_tokens", "{:.0f}", min) for _ in cut]
        if not narrow:
            form = "{:.2f}" + (NOISY if _is_noisy(row) else "")
            cells += [_marked(row, rivals, name, form, min) for name in LATENCIES]
            cells += [(f"{row.metrics.get(f'failing_lost_in_{where}', 0):.0f}", False) for where in ("pool", "ranking")]
        body.append(cells)
    return header, body


def _scores(rows: Sequence[Row]) -> list[str]:
    """The scores to show: of the usual ones those that any run has, then what was chosen besides."""
    usual = [name for name in SCORES if any(name in (*row.chosen, POOL_RECALL) for row in rows)]
    return list(dict.fromkeys([*usual, *(name for row in rows for name in row.chosen if name not in DEFAULT_NAMES)]))


def _is_noisy(row: Row) -> bool:
    return bool(row.metrics.get("latency_noisy"))


def _beside(row: Row, metric: str) -> str:
    """What belongs beside the two scores people decide by: interval, numerator and denominator."""
    metrics = row.metrics
    if metric == "hit" and "hit.low" in metrics:
        return f" [{metrics['hit.low']:.2f}, {metrics['hit.high']:.2f}] {metrics['hit_queries']:.0f}/{metrics['n']:.0f}"
    if metric == "recall" and "recall.low" in metrics:
        found, of = metrics["recall_hits"], metrics["recall_relevant"]
        return f" [{metrics['recall.low']:.2f}, {metrics['recall.high']:.2f}] {found:.0f}/{of:.0f}"
    return ""


def _marked(row: Row, rivals: Sequence[Row], metric: str, form: str, choose: object) -> tuple[str, bool]:
    value = row.metrics.get(metric)
    if value is None:
        return "-", False
    values = [rival.metrics[metric] for rival in rivals if metric in rival.metrics]
    best = max(values) if choose is max else min(values)
    return form.format(value), len(set(values)) > 1 and value == best
