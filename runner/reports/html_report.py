"""The sweep's report: one page that needs nothing but itself, with every text escaped."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from runner.engine.scored import Scored
from runner.rendering.svg_curves import Panel, draw, mark
from runner.reports.html_failures import FailingOf, FailingQuery, failing_queries, only_here
from runner.reports.html_slices import SMALL, HeatRow, PowerRow, heat_map, power_metrics, power_table
from runner.reports.sweep_table import NOISY, Row, table_cells
from runner.reports.variants import variants_of
from runner.scoring.judgments import Floats
from runner.scoring.slices import CROSSING
from runner.tracking.provenance import program_version
from runner.tracking.run_record import params_of
from runner.tracking.tracker import printed

if TYPE_CHECKING:
    from jinja2 import Template

REPORT = "report.html"
# Of all variants together: a page of more can no longer be opened with ease.
_MOST_FAILURES = 2000
MOST_PANELS = 12
_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class SuiteSection:
    """What the page says of one suite: facts, curves, slices, failing queries, what is found alone, power, notes.

    variants: name of each, with its k (the largest of the sweep), which the heat map's columns follow. k_alone:
    the largest k that all variants have.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    variants: tuple[tuple[str, int], ...]
    curve: Panel
    by_field: Mapping[str, Sequence[Panel]]
    ks: tuple[int, ...]
    numbers: tuple[tuple[str, tuple[str, ...]], ...]
    heat: Mapping[str, Sequence[HeatRow]]
    failing: Sequence[FailingOf]
    k_alone: int
    alone: Mapping[str, Sequence[FailingQuery]]
    power_of: str
    power_metrics: tuple[str, ...]
    power: Sequence[PowerRow]
    notes: tuple[str, ...]


def render_report(
    sweep: str,
    rows: Sequence[Row],
    scored: Sequence[Scored],
    failures: Sequence[tuple[str, str]] = (),
    notes: Mapping[str, Sequence[str]] | None = None,
    when: str = "",
) -> str:
    """Render the page of a sweep.

    rows: every run; scored: those scored just now, from which all but the table is made. failures: job and error.
    notes: by suite name, what else a reader should know. when: defaults to now.
    """
    header, body = table_cells(rows) if rows else ([], [])
    by_suite: dict[tuple[str, str, str], list[Scored]] = defaultdict(list)
    for each in scored:
        suite, documents = each.job.judged.suite, each.job.stage.snapshot.documents_sha256
        by_suite[suite.name, suite.revision, documents].append(each)
    sections = [_section(group, (notes or {}).get(name, ())) for (name, _, _), group in by_suite.items()]
    return _template().render(
        sweep=sweep,
        when=when or f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}",
        version=program_version(),
        header=header,
        body=body,
        noisy=any(NOISY in value for cells in body for value, _ in cells),
        failures=failures,
        earlier=len(rows) - len(scored),
        sections=sections,
        small=SMALL,
        mark=mark,
    )


@cache
def _template() -> "Template":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template(REPORT)


def _section(scored: Sequence[Scored], notes: Sequence[str]) -> SuiteSection:
    params = [{key: printed(value) for key, value in params_of(each.job).items()} for each in scored]
    variants = variants_of(params, [each.job.variant for each in scored])
    # One job a variant, at its largest k: the others are cuts of the same rankings.
    named = {variant.name: scored[variant.by_k[max(variant.by_k)]] for variant in variants}
    suite, first = scored[0].job.judged.suite, scored[0].evaluation
    ks = tuple(sorted(set.intersection(*(set(each.evaluation.ks) for each in named.values()))))
    overall = {name: each.evaluation.cut_at(each.evaluation.curve["recall"], ks) for name, each in named.items()}
    n = len(first.judged.scored)
    best = max(named, key=lambda name: named[name].evaluation.overall.get("recall", 0.0))
    k_alone = min(each.job.settings.k for each in named.values())
    snapshots = {each.job.stage.snapshot.id: each.job.stage.snapshot for each in scored}
    facts = [
        ("suite", suite.name),
        ("revision", suite.revision),
        ("role", suite.role),
        ("unit", suite.unit),
        ("scored queries (n)", str(n)),
        ("unanswerable", str(len(first.judged.unanswerable))),
        ("not judged yet", str(first.judged.unjudged)),
        *([("judged, not in the snapshot", str(first.judged.missing))] if first.judged.missing else []),
        *(
            ("snapshot", f"{id_} ({len(each.documents):,} documents, {len(each.passages):,} passages)")
            for id_, each in snapshots.items()
        ),
    ]
    most = max(1, min(200, _MOST_FAILURES // len(named)))
    return SuiteSection(
        suite.name,
        tuple(facts),
        tuple((name, each.job.settings.k) for name, each in named.items()),
        draw("all queries", n, ks, overall, 640, 320),
        _panels(named, ks),
        ks,
        tuple((name, tuple(f"{value:.3f}" for value in values)) for name, values in overall.items()),
        heat_map(list(named.values())),
        failing_queries(named, most),
        k_alone,
        only_here(named, k_alone) if len(named) > 1 and n else {},
        best,
        tuple(map(str, power_metrics(named[best]))),
        power_table(named[best]) if n else [],
        (*_notes(suite.role, n), *notes),
    )


def _panels(named: Mapping[str, Scored], ks: Sequence[int]) -> dict[str, list[Panel]]:
    """Small charts by field; each slice shows the variants whose queries have it."""
    sizes: dict[str, int] = {}
    lines: dict[str, dict[str, Floats | None]] = defaultdict(dict)
    for name, each in named.items():
        slices = each.evaluation.judged.slices
        for row, (group, n) in enumerate(zip(slices.names, slices.sizes().tolist(), strict=True)):
            sizes.setdefault(group, n)
            lines[group][name] = each.evaluation.cut_at(each.evaluation.slice_recall[row], ks)
    fields: dict[str, list[str]] = defaultdict(list)
    for group in sizes:
        field = group.partition(".")[0]
        if CROSSING not in field:
            fields[field].append(group)
    return {
        field: [
            draw(group.partition(".")[2], sizes[group], ks, dict.fromkeys(named) | lines[group])
            for group in sorted(groups, key=lambda group: -sizes[group])[:MOST_PANELS]
        ]
        for field, groups in fields.items()
    }


def _notes(role: str, n: int) -> list[str]:
    notes = []
    if n < SMALL:
        notes.append(f"With {n} queries one query moves a mean by {1 / n:.3f}." if n else "No query was scored.")
    if role == "holdout":
        notes.append("This is a holdout suite: every look makes it less of one.")
    return notes
