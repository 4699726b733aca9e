"""The check of a file of answers as a run of its own in MLflow."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from runner.citation_checks.check_result import Check, CheckedAnswers
from runner.citation_checks.rates import ALL, Rate
from runner.reports.citations import counts_of
from runner.tracking.names import metric_key
from runner.tracking.provenance import git_state, program_version
from runner.tracking.tracker import DatasetInput, RunRecord


def citations_record(
    name: str,
    sha256: str,
    checked: CheckedAnswers,
    rates: tuple[Rate, ...],
    settings: Mapping[str, str],
    demands: Mapping[Check, float],
    files: Path,
) -> RunRecord:
    """What the run says. name and sha256: of the records' file. files: the folder of the reports.

    Metrics are `lineage/CHECK` with `/n`, `/held`, `/low`, `/high` and `/unchecked`, slices `lineage/CHECK/SLICE` with
    `/n`; a rate of nothing has its n = 0 and no value.
    """
    counts = counts_of(checked)
    params = {
        "answers_file": name,
        "answers_sha256": sha256,
        "snapshots": ",".join(checked.snapshots),
        **counts,
        **settings,
        **{f"min.{check}": least for check, least in demands.items()},
        "program_version": program_version(),
    }
    inputs = [DatasetInput(name, sha256[:36], f"answers:{name}", "lineage")]
    inputs += [DatasetInput("snapshot", id_, f"snapshot:{id_}", "corpus") for id_ in checked.snapshots]
    metrics = {key: value for rate in rates for key, value in _metrics(rate)}
    metrics |= {f"lineage/{key}": float(value) for key, value in counts.items()}
    tags = {"kind": "lineage", "mlflow.source.name": "runner.lineage", **git_state()}
    return RunRecord(f"lineage of {name}", params, metrics, tags, inputs=inputs, files=files)


def _metrics(rate: Rate) -> Iterator[tuple[str, float]]:
    key = f"lineage/{metric_key(rate.check, rate.slice)}"
    if rate.value is not None:
        yield key, rate.value
    yield f"{key}/n", float(rate.n)
    if rate.slice == ALL:
        yield f"{key}/held", float(rate.held)
        yield f"{key}/unchecked", float(sum(rate.unchecked.values()))
        if rate.value is not None:
            yield f"{key}/low", rate.low
            yield f"{key}/high", rate.high
