"""Why two runs differ: which of their inputs moved, down to the documents and the judgments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.errors import RunnerError
from runner.suites import JudgedQuery
from runner.tracking.stored_run import StoredRun

_MOST_NAMED = 5
# Kind of input -> the beginnings of the parameters that tell of it. The first that fits counts.
_KINDS: Sequence[tuple[str, tuple[str, ...]]] = (
    ("documents", ("documents_sha256",)),
    ("chunking", ("chunker", "stage.chunker.", "normalization.")),
    ("suite", ("suite", "unit", "min_grade", "history")),
    ("program version", ("program_version", "metrics_version")),
    ("library versions", ("version.",)),
)
# These follow from what else moved, or move no score: of two runs, the first one's slices are looked at.
_DERIVED = ("metrics", "snapshot", "snapshot.documents", "snapshot.passages", "retriever_hash", "dataset", "suite_role")
_SLICING = "slicing."


@dataclass(frozen=True)
class Cause:
    """One kind of input that is not what it was, and in what."""

    kind: str
    details: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind} ({'; '.join(self.details)})" if self.details else self.kind


def causes(before: StoredRun, after: StoredRun) -> list[Cause]:
    """Every kind of input that differs between two runs, most telling first; empty if none that is recorded."""
    moved: dict[str, list[str]] = {}
    for key in sorted(before.params.keys() | after.params.keys()):
        pair = before.params.get(key, "-"), after.params.get(key, "-")
        if pair[0] != pair[1] and key not in _DERIVED and not key.startswith(_SLICING):
            moved.setdefault(_kind(key), []).append(f"{key}: {_short(pair[0])} -> {_short(pair[1])}")
    if "documents" in moved:
        moved["documents"] = document_changes(before.documents_list(), after.documents_list())
    if any(detail.startswith("suite_revision") for detail in moved.get("suite", ())):
        rest = [detail for detail in moved["suite"] if not detail.startswith("suite_revision")]
        moved["suite"] = rest + suite_changes(before, after)
    code = before.tags.get("git_commit", "-"), after.tags.get("git_commit", "-")
    if code[0] != code[1]:
        moved.setdefault("program version", []).append(f"commit {code[0][:10]} -> {code[1][:10]}")
    for run in (before, after):
        if run.tags.get("git_dirty") == "true":
            moved.setdefault("program version", []).append(f"uncommitted changes when {run.id} was made")
    order = [
        *(kind for kind, _ in _KINDS[:3]),
        "model content",
        "lexicon",
        "settings",
        "library versions",
        "program version",
    ]
    return [Cause(kind, tuple(moved[kind])) for kind in order if kind in moved]


def _kind(key: str) -> str:
    for kind, beginnings in _KINDS:
        if key.startswith(beginnings):
            return kind
    if key.endswith("_sha256"):
        return "lexicon" if "lexicon" in key else "model content"
    return "settings"


def sentence(metric: str, before: float, after: float, found: Sequence[Cause]) -> str:
    """Say in one sentence what became of a metric and why."""
    if before == after:
        although = f", although these moved: {', '.join(map(str, found))}" if found else "; no recorded input moved"
        return f"{metric} stayed at {before:.3f}{although}."
    change = f"{metric} {'fell' if after < before else 'rose'} from {before:.3f} to {after:.3f}"
    if not found:
        return f"{change}; no recorded input moved, so the retriever is not repeatable or the store was edited."
    if len(found) == 1:
        return f"{change} because the {found[0]} moved."
    return f"{change}; the causes that remain are: {', '.join(map(str, found))}."


def document_changes(before: Path | None, after: Path | None) -> list[str]:
    """Documents added, removed and changed between two lists of `id<TAB>sha256` lines; none if one is not here."""
    if before is None or after is None:
        return []
    old, new = _hashes(before), _hashes(after)
    changed = sorted(id_ for id_ in old.keys() & new.keys() if old[id_] != new[id_])
    kinds = (
        ("changed", changed),
        ("added", sorted(new.keys() - old.keys())),
        ("removed", sorted(old.keys() - new.keys())),
    )
    return [f"{len(ids)} {what}: {_named(ids)}" for what, ids in kinds if ids]


def _hashes(path: Path) -> Mapping[str, str]:
    rows = (line.rpartition("\t") for line in path.read_text("utf-8").splitlines())
    return {id_: digest for id_, _, digest in rows}


def suite_changes(before: StoredRun, after: StoredRun) -> list[str]:
    """Queries added, removed and reworded, and judgments changed, between the suites of two runs."""
    try:
        old = {query.id: query for query in before.suite().queries}
        new = {query.id: query for query in after.suite().queries}
    except RunnerError as error:
        return [f"the suites cannot be read ({error})"]
    shared = sorted(old.keys() & new.keys())
    kinds = (
        ("added", sorted(new.keys() - old.keys())),
        ("removed", sorted(old.keys() - new.keys())),
        ("reworded", [id_ for id_ in shared if (old[id_].text, old[id_].history) != (new[id_].text, new[id_].history)]),
        ("judged otherwise", [id_ for id_ in shared if _judgment(old[id_]) != _judgment(new[id_])]),
        ("judged alike by other people or in other words", [id_ for id_ in shared if _only_said(old[id_], new[id_])]),
        ("with other fields", [id_ for id_ in shared if _about(old[id_]) != _about(new[id_])]),
    )
    found = [
        f"{len(ids)} {'query' if len(ids) == 1 else 'queries'} {what}: {_named(ids)}" for what, ids in kinds if ids
    ]
    return found or ["no query or judgment, only what the suite says of all of them"]


def _judgment(query: JudgedQuery) -> tuple[object, ...]:
    return dict(query.grades), query.answerable, query.judged, query.source


def _only_said(before: JudgedQuery, after: JudgedQuery) -> bool:
    return before.judgments != after.judgments and _judgment(before) == _judgment(after)


def _about(query: JudgedQuery) -> tuple[object, ...]:
    return dict(query.fields), query.added


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return ", ".join(ids[:_MOST_NAMED]) + more


def _short(value: str) -> str:
    return value[:12] if len(value) == 64 else value
