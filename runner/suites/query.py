"""One judged question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from runner.suites.judgment import SOURCES, Judgment, settle
from runner.suites.span import Span

FieldValue = str | int | float | bool | None | list[str]


@dataclass(frozen=True)
class JudgedQuery:
    """One question. grades: judged id -> the grade that holds, 0 for judged and not relevant.

    answerable False: nothing in the documents answers it, and it enters no recall mean. judged False: nobody has looked
    yet, or what was said waits for review, and it enters no mean at all. history: the turns before a follow-up, oldest
    first. lines: where each judgment stands in its file. judgments: every single one, where more is known of any than
    its grade. spans: what the ids of a suite of spans stand for.
    """

    id: str
    text: str
    grades: Mapping[str, int]
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    answerable: bool = True
    judged: bool = True
    source: str = "human"
    added: str | None = None
    history: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    judgments: tuple[Judgment, ...] = ()
    spans: Mapping[str, Span] = field(default_factory=dict)

    @classmethod
    def of_judgments(
        cls,
        id_: str,
        text: str,
        judgments: tuple[Judgment, ...],
        *,
        source: str = "human",
        spans: Mapping[str, Span] | None = None,
        **rest: Any,
    ) -> "JudgedQuery":
        """Make a query whose grades are what its judgments settle; they are kept only where they say more."""
        grades = settle(judgments).grades
        telling = len(grades) < len(judgments) or any(judgment.provenance(source) for judgment in judgments)
        return cls(id_, text, grades, source=source, judgments=judgments if telling else (), spans=spans or {}, **rest)

    @property
    def every_judgment(self) -> tuple[Judgment, ...]:
        """All that was said about this query, one by one."""
        return self.judgments or tuple(Judgment(id_, grade, self.source) for id_, grade in self.grades.items())

    @cached_property
    def disputed(self) -> tuple[str, ...]:
        """Judged ids on which annotators disagree and nobody has adjudicated, sorted."""
        return settle(self.judgments).disputed

    @cached_property
    def weakest_source(self) -> str:
        """Where the least trusted judgment that holds comes from; without any, where the question does.

        A question out of a click log is as good as any other once people have said what answers it.
        """
        by_id: dict[str, set[str]] = {}
        for judgment in self.every_judgment:
            by_id.setdefault(judgment.id, set()).add(judgment.source)
        sources = [source for said in by_id.values() for source in {"human"} & said or said]
        return max(sources or [self.source], key=SOURCES.index)

    def content(self) -> dict[str, Any]:
        """Everything that makes this query what it is, as JSON values."""
        values: dict[str, Any] = {
            "query_id": self.id,
            "text": self.text,
            "grades": dict(self.grades),
            "fields": dict(self.fields),
            "answerable": self.answerable,
            "judged": self.judged,
            "source": self.source,
            "added": self.added,
            "history": list(self.history),
        }
        # Only where there are any: a suite without them keeps the revision it had before they existed.
        if self.judgments:
            values["judgments"] = [
                {"id": each.id, "grade": each.grade, **each.provenance(self.source)} for each in self.judgments
            ]
        if self.spans:
            values["spans"] = {id_: span.content() for id_, span in sorted(self.spans.items())}
        return values

    def row(self) -> dict[str, Any]:
        """The query as one object of the own format; reading it back gives an equal query."""
        row = self.content()
        for key in ("grades", "judgments", "spans"):
            row.pop(key, None)
        row["relevant"] = [
            {
                **(self.spans[each.id].content() if each.id in self.spans else {"id": each.id}),
                "grade": each.grade,
                **each.provenance(self.source),
            }
            for each in self.every_judgment
        ]
        return row
