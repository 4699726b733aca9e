"""The sweep's own run: its table, what it computed, and recall against k for each slice, one line a retriever."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.engine.scored import Scored
from runner.engine.workers import Counts
from runner.rendering.console import shown
from runner.rendering.figures import recall_by_slice, recall_curve
from runner.rendering.redaction import redacted
from runner.rendering.visible import visible
from runner.reports.html_report import MOST_PANELS, REPORT, render_report
from runner.reports.sweep_table import Row, as_text, sweep_markdown, worst_lines
from runner.scoring.slices import CROSSING
from runner.tracking.names import key_part
from runner.tracking.provenance import git_state
from runner.tracking.sweeps import RUNS
from runner.tracking.tracker import RunRecord, RunStore
from runner.tracking.ui_links import kept_view

# So many sweeps of one suite go without a warning.
_MOST_LOOKS = 50
_SCORED = "yes"


def log_summary(
    tracker: RunStore,
    sweep: str,
    scored: Sequence[Scored],
    rows: Sequence[Row],
    failures: Sequence[tuple[Any, str | None]],
    counts: Counts,
    folder: Path,
    tags: Mapping[str, str] | None = None,
) -> str:
    """Log the run of kind `sweep` and return its id; tags are those of every run of the sweep."""
    folder.mkdir(exist_ok=True)
    given = tags or {}
    failed = [f"- {job.name}: {error}" for job, error in failures]
    whole, note = (_text(sweep, rows, failed, narrow) for narrow in (False, True))
    (folder / "table.md").write_text(whole + "\n", "utf-8")
    (folder / RUNS).write_text(json.dumps([row.run_id for row in rows]), "utf-8")
    if rows:
        (folder / "table.txt").write_text(as_text(rows), "utf-8")
    notes = _notes(tracker, scored, given)
    page = render_report(sweep, rows, scored, [(job.name, redacted(str(error))) for job, error in failures], notes)
    (folder / REPORT).write_text(visible(page), "utf-8")
    metrics = {
        "jobs": len(rows) + len(failures),
        "jobs_failed": len(failures),
        "rankings_computed": counts.rankings.total(),
        "texts_embedded": counts.embedded,
        "pairs_scored": counts.pairs,
        "indexes_built": counts.indexes,
    }
    metrics |= {f"rankings_computed/{key_part(name)}": count for name, count in counts.rankings.items()}
    own = {"kind": "sweep", "sweep": sweep, "mlflow.note.content": note, "mlflow.source.name": "runner", **git_state()}
    own |= {_scored_tag(name): _SCORED for name in dict.fromkeys(each.job.judged.suite.name for each in scored)}
    record = RunRecord(
        f"sweep {sweep}",
        {"runs": len(rows)},
        metrics,
        {**own, **given},
        files=folder,
        views=kept_view(sweep, len(rows)),
    )
    return tracker.log_soon(record)()


def _text(sweep: str, rows: Sequence[Row], failed: Sequence[str], narrow: bool) -> str:
    """The sweep in Markdown; narrow: as the page of its run shows it, below its name and in a narrow column."""
    parts = [] if narrow else [f"# Sweep {sweep}"]
    parts.append(sweep_markdown(rows, narrow) if rows else "no run finished")
    if narrow and rows:
        parts.append(f"Intervals, latency, curves, slices and failing queries: {REPORT} among the artifacts.")
    parts.append("\n".join(worst_lines(rows)))
    return shown("\n\n".join([*parts, *(["## Failed jobs", "\n".join(failed)] if failed else [])]))


def _notes(tracker: RunStore, scored: Sequence[Scored], tags: Mapping[str, str]) -> dict[str, list[str]]:
    """By suite, how often it was looked at: sweeps are counted, since a search that reads all their runs is slow."""
    notes: dict[str, list[str]] = {}
    for suite in dict.fromkeys(each.job.judged.suite.name for each in scored):
        earlier = tracker.count({"kind": "sweep", _scored_tag(suite): _SCORED}, _MOST_LOOKS)
        times = "1 earlier sweep" if earlier == 1 else f"{earlier} earlier sweeps"
        text = f"Suite {suite} was scored by {times} of this experiment."
        if earlier >= _MOST_LOOKS:
            text = (
                f"Suite {suite} was scored by at least {earlier} earlier sweeps of this experiment: what was tuned on "
                "it may fit it by chance."
            )
        look = tags.get(f"holdout_look.{key_part(suite)}")
        notes[suite] = [text, *([f"This is look {look} at this holdout suite."] if look else [])]
    return notes


def _scored_tag(suite: str) -> str:
    return f"scored_suite.{key_part(suite)}"


def draw_summary(scored: Sequence[Scored], folder: Path) -> None:
    """Draw the figures of the summary run into its folder, before the runs themselves are written."""
    folder.mkdir(exist_ok=True)
    by_set: dict[tuple[str, str, str], dict[str, Scored]] = defaultdict(dict)
    for each in scored:
        job = each.job
        # k is only a cut: one line serves all of a retriever's jobs.
        line = job.name_at_any_k
        by_set[job.judged.suite.name, job.judged.suite.revision, job.stage.snapshot.id].setdefault(line, each)
    revisions = {(suite, revision) for suite, revision, _ in by_set}
    for (suite, revision, snapshot), lines in by_set.items():
        alone = sum(name == suite for name, _ in revisions) == 1
        named = key_part(suite) if alone else f"{key_part(suite)}-{revision[:8]}"
        prefix = "" if len(by_set) == 1 else f"{named}-{snapshot[:8]}-"
        _plot_set(lines, folder / "plots", prefix)


def _plot_set(lines: Mapping[str, Scored], folder: Path, prefix: str) -> None:
    folder.mkdir(exist_ok=True)
    ks = sorted(set.intersection(*(set(each.evaluation.ks) for each in lines.values())))
    any_of = next(iter(lines.values())).evaluation.judged
    overall = {name: each.evaluation.cut_at(each.evaluation.curve["recall"], ks) for name, each in lines.items()}
    recall_curve(folder / f"{prefix}recall_at_k.png", "recall at k", ks, overall, len(any_of.scored))
    fields: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(any_of.slices.names):
        fields[name.partition(".")[0]].append(number)
    sizes = any_of.slices.sizes()
    for field, numbers in fields.items():
        if CROSSING in field:
            continue
        largest = sorted(numbers, key=lambda number: -sizes[number])[:MOST_PANELS]
        groups = {
            any_of.slices.names[number].partition(".")[2]: (
                int(sizes[number]),
                {
                    name: each.evaluation.cut_at(each.evaluation.slice_recall[number], ks)
                    for name, each in lines.items()
                },
            )
            for number in largest
        }
        recall_by_slice(folder / f"{prefix}recall_at_k.{key_part(field)}.png", f"recall at k by {field}", ks, groups)
