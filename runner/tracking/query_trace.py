"""What became of single queries of a run, written as MLflow traces that belong to it."""

import base64
import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runner.rendering.redaction import redacted, without_secrets

if TYPE_CHECKING:
    from mlflow.entities import Span, TraceInfo
    from mlflow.tracing.client import TracingClient

# Of the text that a table of traces shows.
_LONGEST_PREVIEW = 1000
# MLflow keeps so much of a name or a tag.
_LONGEST_TAG = 250
# So many spans are written in one piece.
_SPANS_A_BATCH = 100


@dataclass(frozen=True)
class TraceSpan:
    """One stage, or the whole, of a query's way. kind: MLflow's type of span; milliseconds: None where not timed."""

    name: str
    kind: str
    inputs: Mapping[str, Any]
    outputs: Any
    attributes: Mapping[str, Any]
    milliseconds: float | None = None


@dataclass(frozen=True)
class QueryTrace:
    """name: the same for this query in every run, as is the tag `query`. result: what came of it, in a sentence."""

    name: str
    question: str
    result: str
    tags: Mapping[str, str]
    whole: TraceSpan
    stages: tuple[TraceSpan, ...]


def log_traces(client: "TracingClient", experiment_id: str, run_id: str, traces: Sequence[QueryTrace]) -> None:
    """Write traces, the first one as the newest, which is where MLflow's list begins."""
    now = time.time_ns()
    spans: list[Span] = []
    for number, trace in enumerate(traces):
        digits, begun = secrets.token_hex(16), now - number * 1_000_000
        made = list(_spans(trace, digits, begun))
        client.start_trace(_info(trace, f"tr-{digits}", experiment_id, run_id, made))
        spans += made
        if len(spans) >= _SPANS_A_BATCH or number == len(traces) - 1:
            client.log_spans(experiment_id, spans)
            spans = []


def _info(trace: QueryTrace, id_: str, experiment_id: str, run_id: str, spans: Sequence["Span"]) -> "TraceInfo":
    from mlflow.entities import TraceInfo, TraceLocation, TraceState
    from mlflow.tracing.constant import (
        TRACE_SCHEMA_VERSION,
        TRACE_SCHEMA_VERSION_KEY,
        SpansLocation,
        TraceMetadataKey,
        TraceTagKey,
    )

    tags = {
        **{key: redacted(value)[:_LONGEST_TAG] for key, value in trace.tags.items()},
        TraceTagKey.TRACE_NAME: redacted(trace.name)[:_LONGEST_TAG],
        TraceTagKey.SPANS_LOCATION: SpansLocation.TRACKING_STORE.value,
    }
    root = spans[0]
    return TraceInfo(
        id_,
        TraceLocation.from_experiment_id(experiment_id),
        root.start_time_ns // 1_000_000,
        TraceState.OK,
        redacted(trace.question)[:_LONGEST_PREVIEW],
        redacted(trace.result)[:_LONGEST_PREVIEW],
        execution_duration=((root.end_time_ns or root.start_time_ns) - root.start_time_ns) // 1_000_000,
        trace_metadata={TRACE_SCHEMA_VERSION_KEY: str(TRACE_SCHEMA_VERSION), TraceMetadataKey.SOURCE_RUN: run_id},
        tags=tags,
    )


def _spans(trace: QueryTrace, digits: str, begun: int) -> Iterator["Span"]:
    """The whole and its stages one after the other, each as long as it was measured to take."""
    root = secrets.token_hex(8)
    parts, at = [], begun
    for stage in trace.stages:
        ends = at + round((stage.milliseconds or 0) * 1e6)
        parts.append(_span(stage, digits, secrets.token_hex(8), root, at, ends))
        # What took no time still comes after what it builds on.
        at = max(ends, at + 1)
    yield _span(trace.whole, digits, root, "", begun, at)
    yield from parts


def _span(span: TraceSpan, digits: str, id_: str, parent: str, begun: int, ended: int) -> "Span":
    from mlflow.entities import Span
    from mlflow.tracing.constant import SpanAttributeKey

    attributes = {
        SpanAttributeKey.REQUEST_ID: f"tr-{digits}",
        SpanAttributeKey.SPAN_TYPE: span.kind,
        SpanAttributeKey.INPUTS: without_secrets(dict(span.inputs)),
        SpanAttributeKey.OUTPUTS: without_secrets(span.outputs),
        **without_secrets(dict(span.attributes)),
    }
    return Span.from_dict(
        {
            "trace_id": _encoded(digits),
            "span_id": _encoded(id_),
            "parent_span_id": _encoded(parent),
            "name": redacted(span.name),
            "start_time_unix_nano": begun,
            "end_time_unix_nano": ended,
            "events": [],
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {key: json.dumps(value, ensure_ascii=False) for key, value in attributes.items()},
        }
    )


def _encoded(digits: str) -> str:
    return base64.b64encode(bytes.fromhex(digits)).decode()
