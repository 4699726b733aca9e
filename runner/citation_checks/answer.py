"""A served answer or alert, with what it cites."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Kind = Literal["answer", "alert"]
KINDS: tuple[Kind, ...] = ("answer", "alert")


@dataclass(frozen=True, slots=True)
class Citation:
    """id: of a passage, or of a whole page. quotation: the words said to stand there, None if none were given."""

    id: str
    quotation: str | None = None


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """One record: the line it is on, and what was served.

    id: None if the record has none. snapshot: as it was written: a full id, the beginning of one, or a name.
    at: when it was served, in UTC; None if unknown. retrieved: ids that the answer could be made from.
    citations: none of them twice; repeated: how many more there were that say the same.
    """

    line: int
    id: str | None
    query_id: str
    snapshot: str
    at: datetime | None
    retrieved: tuple[str, ...]
    citations: tuple[Citation, ...]
    repeated: int = 0
    kind: Kind = "answer"
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the answer is called in a report."""
        return f"{self.kind} {self.id}" if self.id is not None else f"{self.kind} to {self.query_id}"
