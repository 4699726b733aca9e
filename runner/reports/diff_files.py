"""A difference as Markdown and as JSON, complete."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from runner.alignment.difference import Difference
from runner.alignment.impact import QueryImpact
from runner.alignment.passage_change import PassageChange
from runner.files.atomic import replace_files
from runner.files.strict_json import json_text
from runner.rendering.markdown import bullets, code, document, escape, markdown_table
from runner.reports.diff import PROPOSALS, count_words, similarity_text
from runner.reports.wording import as_markdown, wording_of
from runner.snapshots import Snapshot
from runner.suites import Suite

_AROUND, _LONGEST = 80, 4000


def write_files(difference: Difference, labels: tuple[str, str], folder: Path) -> None:
    """Write diff.md and diff.json into a folder, each whole or not at all."""
    values = json_text(difference_values(difference, labels))
    replace_files(folder, {"diff.md": difference_markdown(difference, labels), "diff.json": values})


def difference_markdown(difference: Difference, labels: tuple[str, str]) -> str:
    """Everything that changed, with its wording."""
    parts = [f"# {escape(labels[0])} to {escape(labels[1])}"]
    counts = [("documents", difference.document_counts), ("passages", difference.counts)]
    parts.append(markdown_table(("what", "how many"), [(what, count_words(found)) for what, found in counts]))
    for suite, impacts in difference.impacts:
        parts += _suite_parts(suite, impacts)
    parts += _document_parts(difference)
    for kind in PROPOSALS:
        changes = difference.of_kind(kind)
        if changes:
            parts.append(f"## Passages {kind}: {len(changes)}")
            parts += [_proposal(difference, change) for change in changes]
    for move in difference.moves():
        where = f"within {code(move.old)}" if move.old == move.new else f"{code(move.old)} to {code(move.new)}"
        lines = [f"{code(old)} to {code(new)}" for old, new in move.passages]
        parts += [f"## Moved {where}: {len(lines)}", bullets(lines)]
    for kind in ("gone", "added"):
        ids = [id_ for change in difference.of_kind(kind) for id_ in (*change.old, *change.new)]
        if ids:
            parts += [f"## Passages {kind}: {len(ids)}", bullets(map(code, ids))]
    return document(parts)


def difference_values(difference: Difference, labels: tuple[str, str]) -> dict[str, Any]:
    """The difference as JSON values; passages that are unchanged are counted only."""
    documents = difference.documents
    return {
        "old": _snapshot_values(difference.old, labels[0]),
        "new": _snapshot_values(difference.new, labels[1]),
        "documents": {
            "counts": dict(difference.document_counts),
            "changed": list(documents.changed),
            "renamed": dict(documents.renamed),
            "removed": list(documents.removed),
            "added": list(documents.added),
        },
        "passages": {
            "counts": dict(difference.counts),
            "changes": [_change_values(difference, each) for each in difference.passages if each.kind != "unchanged"],
        },
        "suites": [
            {
                "name": suite.name,
                "revision": suite.revision,
                "unit": suite.unit,
                "queries": len(suite.queries),
                "touched": [_touched_values(each) for each in impacts],
            }
            for suite, impacts in difference.impacts
        ],
    }


def _snapshot_values(snapshot: Snapshot, label: str) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "label": label,
        "documents": len(snapshot.documents),
        "passages": len(snapshot.passages),
        "settings": snapshot.settings,
    }


def _change_values(difference: Difference, change: PassageChange) -> dict[str, Any]:
    values: dict[str, Any] = {
        "kind": change.kind,
        "old": list(change.old),
        "new": list(change.new),
        "similarity": round(change.similarity, 6),
    }
    if change.kind in PROPOSALS:
        values["wording"] = [{"kind": run.kind, "text": run.text} for run in difference.wording(change)]
    return values


def _touched_values(impacts: QueryImpact) -> dict[str, Any]:
    return {
        "query_id": impacts.query.id,
        "text": impacts.query.text,
        "judgments": [
            {
                "id": impact.id,
                "grade": impact.grade,
                "kind": impact.kind,
                "new": list(impact.new),
                "similarity": round(impact.similarity, 6),
                "stands": impact.stands,
            }
            for impact in impacts.judgments_hit
        ],
    }


def _suite_parts(suite: Suite, impacts: Sequence[QueryImpact]) -> Iterator[str]:
    yield f"## Suite {escape(suite.name)}: {len(impacts)} of {len(suite.queries)} queries touched"
    rows = []
    for each in impacts:
        for impact in each.judgments_hit:
            new = ", ".join(map(code, impact.new)) if impact.new != (impact.id,) else "there"
            rows.append(
                (code(each.query.id), escape(each.query.text), code(impact.id), str(impact.grade), impact.kind, new)
            )
    if rows:
        yield markdown_table(("query", "text", "judged", "grade", "what became of it", "now"), rows)


def _document_parts(difference: Difference) -> Iterator[str]:
    documents = difference.documents
    renamed = [f"{code(old)} to {code(new)}" for old, new in documents.renamed.items()]
    for kind in ("changed", "removed", "added"):
        ids = getattr(documents, kind)
        if ids:
            yield f"## Documents {kind}: {len(ids)}"
            yield bullets(map(code, ids))
    if renamed:
        yield f"## Documents renamed: {len(renamed)}"
        yield bullets(renamed)


def _proposal(difference: Difference, change: PassageChange) -> str:
    old, new = (" + ".join(map(code, ids)) for ids in (change.old, change.new))
    where = old if old == new else f"{old} to {new}"
    changed = as_markdown(wording_of(difference, change, _AROUND, _LONGEST))
    return f"- {where} ({similarity_text(change.similarity)})\n\n  {changed}"
