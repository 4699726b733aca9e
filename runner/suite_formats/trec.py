"""Judged questions in TREC's layout: topics (SGML or two columns) and qrels of four columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from retrievers.script import same_id
from runner.errors import ConfigError, InputError, Problem
from runner.formats.reading import decode, id_fault, length_fault, nfc, read_bytes
from runner.suite_formats.head import refuse_bad_head
from runner.suite_formats.qrels import (
    TREC_LAYOUT,
    Asked,
    join_judgments,
    note_repeated,
    read_qrels,
    refuse_bad_choices,
)
from runner.suites import Suite

_TOPIC = re.compile(r"<top>(?P<body>.*?)(?=<top>|</top>|\Z)", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(?P<tag>num|title|desc|narr)>(?P<text>[^<]*)", re.IGNORECASE)
# Labels that TREC's own files repeat after the tag.
_LABEL = re.compile(r"^\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)
_PARTS = ("title", "desc", "narr")


@dataclass(frozen=True)
class TrecSuite:
    """topics: `<top>` blocks, or lines `id<TAB>text`. qrels: lines `query iteration document grade`.

    part: which part of a `<top>` block is asked. negative, no_relevant and missing as for BEIR.
    """

    topics: str | Path
    qrels: str | Path
    name: str | None = None
    part: str = "title"
    role: str = "development"
    unit: str = "document"
    min_grade: int = 1
    snapshot: str | None = None
    negative: str = "error"
    no_relevant: str = "error"
    missing: str = "error"

    def read(self) -> Suite:
        """Return the suite, queries sorted by id; raises InputError listing every fault of both files."""
        topics_path, qrels_path = Path(self.topics), Path(self.qrels)
        name = self.name or topics_path.stem
        head = {"name": name, "role": self.role, "unit": self.unit, "min_grade": self.min_grade}
        refuse_bad_head({**head, "missing": self.missing, "snapshot": self.snapshot})
        refuse_bad_choices(self.negative, self.no_relevant)
        if self.part not in _PARTS:
            raise ConfigError(f"suite.part must be one of {', '.join(_PARTS)}, found {self.part!r}")
        problems: dict[Path, list[Problem]] = {topics_path: [], qrels_path: []}
        asked = self._topics(topics_path, problems[topics_path])
        judged = read_qrels(qrels_path, TREC_LAYOUT, self.negative, problems[qrels_path])
        queries = join_judgments(
            asked, judged,
            min_grade=self.min_grade, no_relevant=self.no_relevant,
            query_problems=problems[topics_path], qrels_problems=problems[qrels_path],
        )  # fmt: skip
        if any(problems.values()):
            raise InputError.of_files(problems)
        return Suite(
            name, self.role, self.unit, queries, self.snapshot, (), self.min_grade, path=str(qrels_path),
            missing=self.missing
        )  # fmt: skip

    def _topics(self, path: Path, problems: list[Problem]) -> dict[str, Asked]:
        text = decode(read_bytes(path, "topics, as <top> blocks or lines `id<TAB>text` (suite.topics)"), problems)
        asked: dict[str, Asked] = {}
        if text is None:
            return asked
        sgml = re.search(r"<top>", text, re.IGNORECASE)
        for line, id_, query in _blocks(text, self.part) if sgml else _columns(text, problems):
            if fault := id_fault(id_):
                problems.append(Problem(line, f"topic id {fault}"))
            elif fault := length_fault(query):
                problems.append(Problem(line, f"topic {id_!r}: {fault}"))
            elif not note_repeated(same_id(id_), line, asked, problems):
                asked[same_id(id_)] = Asked(nfc(query), line)
        if not asked and not problems:
            problems.append(Problem(None, "holds no topic; expected <top> blocks or lines `id<TAB>text`"))
        return asked


def _blocks(text: str, part: str) -> Iterator[tuple[int, str, str]]:
    line, counted = 1, 0
    for topic in _TOPIC.finditer(text):
        line, counted = line + text.count("\n", counted, topic.start()), topic.start()
        parts = {found["tag"].lower(): _LABEL.sub("", found["text"]) for found in _PART.finditer(topic["body"])}
        yield line, " ".join(parts.get("num", "").split()), " ".join(parts.get(part, "").split())


def _columns(text: str, problems: list[Problem]) -> Iterator[tuple[int, str, str]]:
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        id_, tab, query = row.partition("\t")
        if tab:
            yield line, id_.strip(), " ".join(query.split())
        else:
            problems.append(Problem(line, "found no tab, expected `id<TAB>text`"))
