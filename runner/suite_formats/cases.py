"""Ready-made cases, an array of `{query_id, relevant, retrieved}`: judgments and rankings scored as they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.errors import InputError, Problem
from runner.files.reading import id_fault, kind_of, read_array
from runner.suite_formats.head import names_in, refuse_bad_settings, slice_faults, suite_of
from runner.suite_formats.own import collect_queries
from runner.suite_formats.qrels import names
from runner.suite_formats.query_row import RowRules
from runner.suites import Suite


@dataclass(frozen=True)
class CasesSuite:
    """path: the JSON array. Each case may have the keys of the own format as well; a text is not needed.

    What was retrieved is checked here and ranked by the retriever that reads the same file.
    """

    path: str | Path
    name: str | None = None
    role: str = "development"
    unit: str = "document"
    min_grade: int = 1
    snapshot: str | None = None
    slices: Sequence[str] = ()
    fields: Sequence[str] = ()
    missing: str = "error"

    def read(self) -> Suite:
        """Return the suite, queries sorted by id; raises InputError listing every fault with the line of its case."""
        path, slices = Path(self.path), names(self.slices)
        name = self.name or path.stem
        refuse_bad_settings(self, name, slices=slices, fields=names(self.fields))
        problems: list[Problem] = []
        field_names = (*names_in(slices), *names(self.fields))
        rules = RowRules(self.min_grade, field_names, needs_text=False, more_keys=("retrieved",))
        queries = collect_queries(_checked(path, problems), rules, problems)
        if not problems:
            problems.extend(Problem(None, fault) for fault in slice_faults(slices, queries))
        if problems:
            raise InputError.of(path, problems)
        return suite_of(self, name, queries, path, slices)


def _checked(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, case in read_array(path, problems, "a JSON array of {query_id, relevant, retrieved}"):
        problems.extend(Problem(line, fault) for fault in _retrieved_faults(case))
        yield line, case


def _retrieved_faults(case: Mapping[str, Any]) -> list[str]:
    if "retrieved" not in case:
        return ["retrieved is missing; write [] if nothing was returned"]
    items = case["retrieved"]
    if not isinstance(items, list):
        return [f"retrieved: found {kind_of(items)}, expected a list of ids, best first"]
    faults = []
    for rank, item in enumerate(items, 1):
        if fault := id_fault(item.get("id") if isinstance(item, dict) else item):
            faults.append(f"retrieved: id at rank {rank} {fault}")
    return faults
