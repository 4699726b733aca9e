"""One pair of a question and a passage that a person should look at, with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from runner.suites import SOURCES, FieldValue, JudgedQuery

Kind = Literal["failing", "pooled", "clicked"]
KINDS: tuple[Kind, ...] = ("failing", "pooled", "clicked")
PRIORITY_DECIMALS = 6


@dataclass(frozen=True)
class Candidate:
    """id: the passage, or the document for a suite of documents; None where the question itself needs a look.

    source: the least trusted of where the question and what is known of the pair come from. kind: the stronger reason
    where there are several. priority: 0 to 1. why: one sentence. evidence: by kind. rules: anonymising rules that
    changed the text. raw: whether the text stands as users wrote it, still to be anonymised.
    """

    query_id: str
    text: str
    history: tuple[str, ...]
    id: str | None
    source: str
    kind: Kind
    priority: float
    why: str
    evidence: Mapping[str, Any]
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    raw: bool = False

    @classmethod
    def about(
        cls,
        query: JudgedQuery,
        id_: str | None,
        label: str | None,
        kind: Kind,
        priority: float,
        why: str,
        evidence: Mapping[str, Any],
    ) -> "Candidate":
        """A candidate for a query of a suite; label: the source of a judgment of this pair that no person has made."""
        source = max(query.source, label or query.source, key=SOURCES.index)
        told = {**evidence, "label": label} if label else evidence
        return cls(
            query.id, query.text, query.history, id_, source, kind, round(priority, PRIORITY_DECIMALS), why,
            {kind: told}, dict(query.fields),
            raw=query.source == "click",
        )  # fmt: skip

    def row(self) -> dict[str, Any]:
        """The candidate as JSON values."""
        return {
            "query_id": self.query_id,
            "text": self.text,
            "history": list(self.history),
            "id": self.id,
            "source": self.source,
            "kind": self.kind,
            "priority": self.priority,
            "why": self.why,
            "evidence": dict(self.evidence),
            "fields": dict(self.fields),
            "rules": list(self.rules),
        }
