"""The files that a run carries: what it takes to read it query by query, and to repeat it."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml
from numpy.typing import NDArray

from runner.engine.plan import Job, Stage
from runner.rendering.figures import recall_curve
from runner.rendering.redaction import without_secrets, yaml_without_secrets
from runner.rendering.visible import one_line, visible
from runner.scoring.evaluate import Evaluation
from runner.scoring.relevance import Relevance
from runner.suite_formats.own import write_own
from runner.tracking.manifest import write_logged, write_manifest
from runner.tracking.names import long_names
from runner.tracking.provenance import environment
from runner.tracking.run_record import Scored, metrics_of, name_pairs, params_of
from runner.tracking.tracker import printed

if TYPE_CHECKING:
    import pyarrow as pa

CONFIG = "config.yaml"
SOURCE = "config.source.yaml"
OVERRIDES = "overrides.yaml"
PER_QUERY = "per_query.parquet"
SUITE = "suite"
FILES = "files"
FILE_INDEX = "index.json"
DOCUMENTS = "documents.tsv"
# The hashes of more documents stand only with the snapshot, once for all runs.
_MOST_DOCUMENTS = 10_000
_MOST_FAILURES = 200
_MOST_RANKED = 5


def import_libraries() -> None:
    """Import what writing files takes, and read what is installed, so that it is there when it is needed."""
    import pandas  # noqa: F401  (pyarrow imports it at its first array)
    import pyarrow.parquet  # noqa: F401

    environment()


class ArtifactWriter:
    """Writes each run's files into a folder of its own; what several runs share is made once."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._shared: dict[tuple[str, ...], Path] = {}

    def write(self, scored: Scored) -> tuple[Path, str]:
        """Make the folder of one run, and return it with the hash of the checksums of its files."""
        job, evaluation = scored.job, scored.evaluation
        folder = self.directory / f"run-{job.key}"
        folder.mkdir(parents=True)
        (folder / CONFIG).write_text(config_text(job), "utf-8")
        (folder / SOURCE).write_text(yaml_without_secrets(job.source), "utf-8")
        asked = without_secrets([list(job.overrides), *map(list, job.also)])
        (folder / OVERRIDES).write_text(yaml.safe_dump(asked, allow_unicode=True), "utf-8")
        (folder / "environment.txt").write_text(environment(), "utf-8")
        measured = {name: asdict(each) for name, each in scored.measured.items()}
        (folder / "measured.json").write_text(json.dumps(measured, ensure_ascii=False, indent=1), "utf-8")
        (folder / "failures.md").write_text(failures_text(scored), "utf-8")
        cut = long_names(name_pairs(evaluation))
        if cut:
            (folder / "names.json").write_text(json.dumps(cut, ensure_ascii=False, indent=1), "utf-8")
        self._write_per_query(folder / PER_QUERY, scored)
        suite = self._once(
            ("suite", job.judged.suite.name, job.judged.suite.revision, *job.judged.suite.slices),
            lambda path: write_own(job.judged.suite, path),
        )
        shutil.copytree(suite, folder / SUITE)
        snapshot = job.stage.snapshot
        if len(snapshot.documents) <= _MOST_DOCUMENTS:
            documents = self._once(("documents", snapshot.id), lambda path: _write_documents(path, job.stage))
            shutil.copy(documents, folder / DOCUMENTS)
        curve = self._once(
            ("curve", str(id(job.stage)), job.judged.suite.revision, *map(str, evaluation.ks)),
            lambda path: recall_curve(
                path.with_suffix(".png"),
                job.stage.part.name,
                evaluation.ks,
                {job.stage.part.name: evaluation.curve["recall"]},
                len(job.judged.scored),
            ),
        )
        shutil.copy(curve.with_suffix(".png"), folder / "recall_at_k.png")
        _copy_files(job, folder / FILES)
        params = {key: printed(without_secrets(value, key)) for key, value in params_of(job).items()}
        write_logged(folder, params, metrics_of(scored))
        return folder, write_manifest(folder)

    def _once(self, key: tuple[str, ...], write: Any) -> Path:
        if key not in self._shared:
            path = self.directory / f"shared-{len(self._shared)}"
            write(path)
            self._shared[key] = path
        return self._shared[key]

    def _write_per_query(self, path: Path, scored: Scored) -> None:
        import pyarrow.parquet as pq

        pq.write_table(per_query_table(scored), path, compression="zstd", write_page_checksum=True)


def _copy_files(job: Job, folder: Path) -> None:
    """Copy the user's files that the retriever reads, and say in an index which parameter named which."""
    index: dict[str, str] = {}
    for part in job.stage.part.walk():
        for parameter, path in getattr(part.object, "files", dict)().items():
            folder.mkdir(exist_ok=True)
            name = f"{len(index)}-{Path(path).name}"
            shutil.copy(path, folder / name)
            index[f"{part.path}.{parameter}"] = name
    if index:
        (folder / FILE_INDEX).write_text(json.dumps(index, ensure_ascii=False, indent=1), "utf-8")


def config_text(job: Job) -> str:
    """The resolved configuration as YAML, without the secrets in it."""
    values = without_secrets(job.settings.model_dump(mode="json"))
    return yaml.safe_dump(values, allow_unicode=True, sort_keys=False)


def per_query_table(scored: Scored) -> "pa.Table":
    """One row a ranked query: text, slices, ranked ids with scores, ranks, each metric, cause of a miss."""
    import pyarrow as pa

    job, evaluation = scored.job, scored.evaluation
    judged = job.judged
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    unanswerable = len(judged.unanswerable)
    slices = [judged.slices.names[row] for row in np.nonzero(judged.slices.members.T)[1]]
    sizes = np.concatenate(([0], np.cumsum(judged.slices.members.sum(axis=0))))
    sizes = np.concatenate((sizes, np.full(unanswerable, sizes[-1])))
    # Each id that is ranked is stored once, and 100 ranks a query as numbers.
    ids = job.stage.snapshot.passages_for_retrieval().ids
    shown, numbers = np.unique(rankings.rows, return_inverse=True)
    ranked = pa.DictionaryArray.from_arrays(
        pa.array(numbers, pa.int32()), pa.array([ids[row] for row in shown.tolist()], pa.string())
    )
    columns: dict[str, Any] = {
        "query_id": [query.id for query in judged.ranked],
        "text": [query.text for query in job.queries],
        "source": [query.weakest_source for query in judged.ranked],
        "settled": [not query.disputed for query in judged.ranked],
        "answerable": [True] * len(judged.scored) + [False] * unanswerable,
        "slices": pa.ListArray.from_arrays(pa.array(sizes, pa.int32()), pa.array(slices, pa.string())),
        "relevant": [_relevant(query.grades, judged.suite.min_grade) for query in judged.ranked],
        "ranked": pa.ListArray.from_arrays(pa.array(rankings.offsets, pa.int32()), ranked),
        "scores": pa.ListArray.from_arrays(pa.array(rankings.offsets, pa.int32()), pa.array(rankings.scores)),
        **_relevance_columns(evaluation.found, unanswerable),
        "first_relevant_rank": _padded([int(rank) or None for rank in evaluation.found.first_rank], unanswerable),
        **{name: _padded(values.tolist(), unanswerable) for name, values in evaluation.values.items()},
        "lost_in": _padded([cause or None for cause in evaluation.cause], unanswerable),
    }
    if judged.suite.unit == "document":
        units = judged.collapsed(rankings)
        shown, numbers = np.unique(judged.unit_of_row[units.rows], return_inverse=True)
        documents = pa.DictionaryArray.from_arrays(
            pa.array(numbers, pa.int32()), pa.array([judged.units[row] for row in shown.tolist()], pa.string())
        )
        columns["ranked_units"] = pa.ListArray.from_arrays(pa.array(units.offsets, pa.int32()), documents)
    return pa.table(columns)


def _relevance_columns(found: Relevance, extra: int) -> dict[str, Any]:
    """With these any metric can be computed again at any k, without documents or suite."""
    gained = found.gains > 0
    places = np.broadcast_to(_counted(found.gains), found.gains.shape)
    ideal = found.judgments.ideal_gains.astype(np.int64)
    columns = {
        "found_ranks": _ragged(gained, places if found.ranks is None else found.ranks, extra),
        "found_grades": _ragged(gained, found.gains, extra),
        "judged_ranks": _ragged(found.judged, np.broadcast_to(_counted(found.judged), found.judged.shape), extra),
        "judged_grades": _ragged(ideal > 0, ideal, extra),
    }
    if found.answers is not None:
        queries, at = np.nonzero(found.answers)
        times = found.answers[queries, at]
        columns["answer_ranks"] = _lists(np.repeat(queries, times), np.repeat(at + 1, times), len(found.length), extra)
    return columns


def _counted(table: NDArray[Any]) -> NDArray[np.int64]:
    return np.arange(1, table.shape[1] + 1)


def _ragged(wanted: NDArray[np.bool_], values: NDArray[np.int64], extra: int) -> "pa.ListArray":
    """The wanted values of each row, and empty lists for the extra rows."""
    rows, columns = np.nonzero(wanted)
    return _lists(rows, values[rows, columns], len(wanted), extra)


def _lists(rows: NDArray[np.int64], values: NDArray[np.int64], n_rows: int, extra: int) -> "pa.ListArray":
    import pyarrow as pa

    offsets = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows))))
    offsets = np.concatenate((offsets, np.full(extra, offsets[-1])))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values, pa.int32()))


def _relevant(grades: Mapping[str, int], min_grade: int) -> list[str]:
    return sorted(id_ for id_, grade in grades.items() if grade >= min_grade)


def _padded(values: Sequence[Any], extra: int) -> list[Any]:
    return [*values, *([None] * extra)]


def failures_text(scored: Scored) -> str:
    """The queries with nothing relevant in the first k, as Markdown, hardest first."""
    evaluation, job = scored.evaluation, scored.job
    failing = [number for number, cause in enumerate(evaluation.cause) if cause]
    ranks = evaluation.found.first_rank
    failing.sort(key=lambda number: (evaluation.cause[number] != "pool", ranks[number] > 0, -int(ranks[number])))
    lines = [
        f"# Failing queries of {job.name}",
        "",
        f"{len(failing)} of {len(job.judged.scored)} queries have nothing relevant in the first {job.settings.k}.",
        "",
    ]
    ids = job.stage.snapshot.passages_for_retrieval().ids
    shown = failing[:_MOST_FAILURES]
    rankings = job.stage.rankings([job.queries[number] for number in shown], _MOST_RANKED)
    for position, number in enumerate(shown):
        lines += _failure(evaluation, job, number, ids, rankings.one(position))
    if len(failing) > _MOST_FAILURES:
        lines.append(f"... and {len(failing) - _MOST_FAILURES} more in {PER_QUERY}.")
    return "\n".join(lines) + "\n"


def _failure(evaluation: Evaluation, job: Job, number: int, ids: Sequence[str], ranked: Any) -> list[str]:
    query = job.judged.scored[number]
    rank = int(evaluation.found.first_rank[number])
    where = f"first relevant at rank {rank}" if rank else "nothing relevant in the ranking"
    relevant = ", ".join(code(id_) for id_ in _relevant(query.grades, job.judged.suite.min_grade))
    rows, scores = ranked
    return [
        f"## {escape(query.id)}: {escape(job.queries[number].text)}",
        "",
        f"- lost in the {evaluation.cause[number]}; {where}",
        f"- relevant: {relevant}",
        *(f"{n}. {code(ids[row])} {score:.4g}" for n, (row, score) in enumerate(zip(rows, scores, strict=True), 1)),
        "",
    ]


def escape(text: str) -> str:
    """Text as Markdown shows it unchanged, on one line."""
    flat = one_line(text)
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>#|!&~$" else character for character in flat)


def code(id_: str) -> str:
    """An id as code, fenced by more backticks than it holds in a row."""
    fence = "`" * (1 + max(map(len, re.findall("`+", id_)), default=0))
    pad = " " if id_.startswith("`") or id_.endswith("`") else ""
    return f"{fence}{pad}{visible(id_)}{pad}{fence}"


def _write_documents(path: Path, stage: Stage) -> None:
    lines = (f"{document.id}\t{document.sha256}\n" for document in stage.snapshot.documents)
    path.write_text("".join(lines), "utf-8")
