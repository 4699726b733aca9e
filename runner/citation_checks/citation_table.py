"""Every citation as a row of a table, whatever was found of it."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runner.citation_checks.check_result import CHECKS, CheckedCitation

if TYPE_CHECKING:
    import pyarrow as pa


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
