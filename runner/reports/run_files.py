"""The files that a run carries: what it takes to read it query by query, and to repeat it."""

import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import yaml

from runner.engine.plan import Job, Stage
from runner.engine.scored import Scored
from runner.files.strict_json import json_text
from runner.rendering.figures import recall_curve
from runner.rendering.redaction import without_secrets, yaml_without_secrets
from runner.reports.failures import failures_markdown
from runner.reports.per_query import per_query_table
from runner.suite_formats.own import write_own
from runner.tracking.artifacts import (
    CONFIG,
    DOCUMENTS,
    FAILURES,
    FILE_INDEX,
    FILES,
    OVERRIDES,
    PER_QUERY,
    SOURCE,
    SUITE,
)
from runner.tracking.manifest import write_logged, write_manifest
from runner.tracking.names import long_names
from runner.tracking.provenance import environment
from runner.tracking.run_record import metrics_of, name_pairs, params_of
from runner.tracking.tracker import printed

# The hashes of more documents stand only with the snapshot, once for all runs.
_MOST_DOCUMENTS = 10_000


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
        (folder / "measured.json").write_text(json_text(measured), "utf-8")
        (folder / FAILURES).write_text(failures_markdown(scored), "utf-8")
        cut = long_names(name_pairs(evaluation))
        if cut:
            (folder / "names.json").write_text(json_text(cut), "utf-8")
        _write_per_query(folder / PER_QUERY, scored)
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
                job.stage.component.name,
                evaluation.ks,
                {job.stage.component.name: evaluation.curve["recall"]},
                len(job.judged.scored),
            ),
        )
        shutil.copy(curve.with_suffix(".png"), folder / "recall_at_k.png")
        _copy_files(job, folder / FILES)
        params = {key: printed(without_secrets(value, key)) for key, value in params_of(job).items()}
        write_logged(folder, params, metrics_of(scored))
        return folder, write_manifest(folder)

    def _once(self, key: tuple[str, ...], write: Callable[[Path], object]) -> Path:
        if key not in self._shared:
            path = self.directory / f"shared-{len(self._shared)}"
            write(path)
            self._shared[key] = path
        return self._shared[key]


def _write_per_query(path: Path, scored: Scored) -> None:
    import pyarrow.parquet as pq

    pq.write_table(per_query_table(scored), path, compression="zstd", write_page_checksum=True)


def _copy_files(job: Job, folder: Path) -> None:
    """Copy the user's files that the retriever reads, and say in an index which parameter named which."""
    index: dict[str, str] = {}
    for component in job.stage.component.walk():
        for parameter, path in component.declared.files().items():
            folder.mkdir(exist_ok=True)
            name = f"{len(index)}-{Path(path).name}"
            shutil.copy(path, folder / name)
            index[f"{component.path}.{parameter}"] = name
    if index:
        (folder / FILE_INDEX).write_text(json_text(index), "utf-8")


def config_text(job: Job) -> str:
    """The resolved configuration as YAML, without the secrets in it."""
    values = without_secrets(job.settings.model_dump(mode="json"))
    return yaml.safe_dump(values, allow_unicode=True, sort_keys=False)


def _write_documents(path: Path, stage: Stage) -> None:
    lines = (f"{document.id}\t{document.sha256}\n" for document in stage.snapshot.documents)
    path.write_text("".join(lines), "utf-8")
