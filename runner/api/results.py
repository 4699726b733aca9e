"""Results of runs and sweeps, as frozen records that a notebook shows as tables."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from runner.rendering.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

    from runner.decisions.gating import GateResult
    from runner.tracking.location import StoreLocation

_SHOWN = ("hit", "recall", "mrr", "ndcg", "pool_recall", "n")
_NAMED = ("retriever", "k", "pool", "suite", "snapshot")


@dataclass(frozen=True, repr=False)
class RunResult(Tabular):
    """One scored run, logged or not.

    metrics: what is logged of it, by name: `recall`, `recall/change_type.removed` of a slice, `recall.low` of an
    interval. params: what decided it, as text. run_id: its id in MLflow, None where it was not logged. overrides: what
    it was asked by.
    """

    name: str
    metrics: Mapping[str, float]
    params: Mapping[str, str]
    run_id: str | None = None
    overrides: tuple[str, ...] = ()
    place: "StoreLocation | None" = field(default=None, compare=False)
    _queries: "Callable[[], Any]" = field(default=lambda: None, compare=False)

    @property
    def title(self) -> str:
        """Its name, and its id if it has one."""
        return f"{self.name} (run {self.run_id})" if self.run_id else f"{self.name} (not logged)"

    @cached_property
    def per_query(self) -> "pd.DataFrame":
        """One row a ranked query, by its id: text, slices, ranked ids with scores, each metric, cause of a miss.

        Raises InputError where the run is stored and its files cannot be read.
        """
        frame: pd.DataFrame = self._queries().to_pandas()
        return frame.set_index("query_id")

    @property
    def table(self) -> "pd.DataFrame":
        """The means over all queries, one row a metric: value, and its interval where there is one."""
        import pandas as pd

        rows = {
            name: {
                key: self.metrics.get(f"{name}{end}") for key, end in (("mean", ""), ("low", ".low"), ("high", ".high"))
            }
            for name in self.metrics
            if "/" not in name and not name.endswith((".low", ".high"))
        }
        return pd.DataFrame.from_dict(rows, orient="index", dtype=float)

    @property
    def slices(self) -> "pd.DataFrame":
        """One row a slice, `change_type.removed`, and one column a metric; n is how many queries it holds."""
        import pandas as pd

        from runner.tracking.names import read_key_part

        rows: dict[str, dict[str, float]] = {}
        groups = {key.removeprefix("n/") for key in self.metrics if key.startswith("n/")}
        for key, value in self.metrics.items():
            metric, _, group = key.partition("/")
            if group in groups:
                rows.setdefault(read_key_part(group), {})[metric] = value
        return pd.DataFrame.from_dict(rows, orient="index", dtype=float)

    def _shown(self) -> "pd.DataFrame":
        frame = self.table
        return frame.loc[[name for name in _SHOWN if name in frame.index]].dropna(axis="columns", how="all")


@dataclass(frozen=True)
class FailedJob:
    """A job of a sweep that came to nothing: what it was asked by, why in one line, and where, for who mends it."""

    name: str
    overrides: tuple[str, ...]
    error: str
    trace: str = field(default="", repr=False)


@dataclass(frozen=True, repr=False)
class SweepResult(Tabular):
    """The runs of a sweep in their order: `result[0]`, `len(result)`, `for run in result`.

    failures: the jobs that came to nothing; the others are not theirs to bear. name: what MLflow knows the sweep by,
    None where nothing was logged. gates: the verdicts on the runs whose settings name a policy.
    """

    runs: tuple[RunResult, ...]
    failures: tuple[FailedJob, ...] = ()
    name: str | None = None
    gates: "tuple[GateResult, ...]" = ()

    @property
    def title(self) -> str:
        """How many runs there are, and how many jobs failed."""
        count = f"{len(self.runs)} run{'' if len(self.runs) == 1 else 's'}"
        failed = f", {len(self.failures)} failed: {self.failures[0].error}" if self.failures else ""
        return f"{f'sweep {self.name}: ' if self.name else ''}{count}{failed}"

    @property
    def table(self) -> "pd.DataFrame":
        """One row a run: its id, its name, what it varied in and every mean over all queries."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "run_id": run.run_id,
                    "name": run.name,
                    **{key: run.params[key] for key in _NAMED if key in run.params},
                    "k": int(run.params["k"]),
                    **{key: value for key, value in run.metrics.items() if "/" not in key},
                }
                for run in self.runs
            ]
        )

    def _shown(self) -> "pd.DataFrame":
        frame = self.table
        return frame[[name for name in ("name", *_SHOWN) if name in frame]] if len(frame) else frame

    @overload
    def __getitem__(self, which: int) -> RunResult: ...

    @overload
    def __getitem__(self, which: slice) -> tuple[RunResult, ...]: ...

    def __getitem__(self, which: int | slice) -> RunResult | tuple[RunResult, ...]:
        return self.runs[which]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[RunResult]:
        return iter(self.runs)


@dataclass(frozen=True, repr=False)
class RerunResult(Tabular):
    """A run of the past and its repetition.

    rankings and metrics: one line each that is not exactly as it was. causes: what was asked to be changed, and the
    inputs that are no longer what they were.
    """

    run: RunResult
    source_id: str
    rankings: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether every ranking and every metric is exactly as it was."""
        return not (self.rankings or self.metrics)

    @property
    def title(self) -> str:
        """Whether it is identical, and by how much it is not."""
        found = "identical" if self.identical else f"{len(self.rankings)} rankings, {len(self.metrics)} metrics differ"
        return f"{self.run.name} repeated from run {self.source_id}: {found}"

    @property
    def table(self) -> "pd.DataFrame":
        """One row a ranking, metric or cause."""
        import pandas as pd

        parts = (("ranking", self.rankings), ("metric", self.metrics), ("cause", self.causes))
        return pd.DataFrame([{"what": what, "difference": line} for what, lines in parts for line in lines])


def by_name(logged: Mapping[str, float]) -> dict[str, float]:
    """Values under the names of their metrics, `rbp(p=0.8)`, of which MLflow takes not every character."""
    from runner.tracking.names import read_key_part

    split = ((key.partition("/"), value) for key, value in logged.items())
    return {f"{read_key_part(metric)}{slash}{group}": value for (metric, slash, group), value in split}
