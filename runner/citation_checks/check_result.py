"""What a check found of one citation (it holds, it fails, or it cannot be made), and all of them as a table."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from runner.citation_checks.answer_file import Citation, ServedAnswer

if TYPE_CHECKING:
    import pyarrow as pa

Check = Literal["existence", "containment", "quotation", "freshness"]
CHECKS: tuple[Check, ...] = ("existence", "containment", "quotation", "freshness")


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """reason: why it fails or cannot be made, the same words for the same cause. found: what there was instead.

    similarity: of a quotation to the nearest text, 0 to 1; None where it was not looked for.
    """

    outcome: Literal["held", "failed", "unchecked"]
    reason: str = ""
    found: str = ""
    similarity: float | None = None


HELD = CheckFinding("held")


def failed(reason: str, found: str = "", similarity: float | None = None) -> CheckFinding:
    """A check that does not hold."""
    return CheckFinding("failed", reason, found, similarity)


def unchecked(reason: str, found: str = "") -> CheckFinding:
    """A check that cannot be made: it counts in no denominator."""
    return CheckFinding("unchecked", reason, found)


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """snapshot: the full id of the one it was checked in, None if that is not stored."""

    answer: ServedAnswer
    citation: Citation
    snapshot: str | None
    findings: Mapping[Check, CheckFinding]


@dataclass(frozen=True)
class CheckedAnswers:
    """All answers and their citations, in file order.

    snapshots: full ids that were cited from, sorted. retrieved_unknown: retrieved ids, over all answers, that the
    answer's snapshot does not hold. impossible: answers whose record contradicts itself, and how.
    """

    answers: tuple[ServedAnswer, ...]
    citations: tuple[CheckedCitation, ...]
    snapshots: tuple[str, ...]
    retrieved_unknown: int
    impossible: tuple[tuple[ServedAnswer, str], ...]

    @property
    def without_citation(self) -> int:
        """How many answers cite nothing."""
        return sum(not answer.citations for answer in self.answers)

    @property
    def repeated(self) -> int:
        """How many citations said what another one of the same answer had said."""
        return sum(answer.repeated for answer in self.answers)


def citation_table(citations: Sequence[CheckedCitation]) -> "pa.Table":
    """One row a citation: where it is, what it says, and outcome, reason and evidence of every check."""
    import pyarrow as pa

    text = pa.string()
    answers = [each.answer for each in citations]
    columns = {
        "line": pa.array([answer.line for answer in answers], pa.int64()),
        "answer_id": pa.array([answer.id for answer in answers], text),
        "query_id": pa.array([answer.query_id for answer in answers], text),
        "kind": pa.array([answer.kind for answer in answers], text),
        "at": pa.array([answer.at for answer in answers], pa.timestamp("us", "UTC")),
        "snapshot": pa.array([each.snapshot or each.answer.snapshot for each in citations], text),
        "cited": pa.array([each.citation.id for each in citations], text),
        "quotation": pa.array([each.citation.quotation for each in citations], text),
    }
    for check in CHECKS:
        findings = [each.findings[check] for each in citations]
        columns[check] = pa.array([each.outcome for each in findings], text)
        columns[f"{check}_reason"] = pa.array([each.reason for each in findings], text)
        columns[f"{check}_found"] = pa.array([each.found for each in findings], text)
    columns["similarity"] = pa.array([each.findings["quotation"].similarity for each in citations], pa.float64())
    fields = [json.dumps(dict(answer.fields), ensure_ascii=False) for answer in answers]
    columns["fields"] = pa.array(fields, text)
    return pa.table(columns)
