"""Judged questions in TREC's layout: topics in any of its forms, or none, and qrels of four columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from retrievers.script import same_id
from runner.errors import ConfigError, InputError, Problem
from runner.files.reading import decode, id_fault, length_fault, nfc, read_bytes
from runner.suite_formats.head import refuse_bad_settings, suite_of
from runner.suite_formats.qrels import (
    TREC_LAYOUT,
    AskedQuery,
    QueryQrels,
    join_judgments,
    note_repeated,
    read_qrels,
    refuse_bad_choices,
)
from runner.suite_formats.topics import EXPECTED, PARTS, topics_in
from runner.suites import Suite


@dataclass(frozen=True)
class TrecSuite:
    """topics: see `topics_in`; None for rankings that are scored as they are. qrels: `query iteration document grade`.

    part: which part of a topic is asked. negative, no_relevant and missing as for BEIR. Either file may be gzipped.
    """

    topics: str | Path | None
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
        """Return the suite, queries sorted by id.

        Raises InputError listing every fault of both files, ConfigError for a part that no topic has.
        """
        qrels_path = Path(self.qrels)
        topics_path = Path(self.topics) if self.topics else None
        name = self.name or (topics_path or qrels_path).stem
        refuse_bad_settings(self, name)
        refuse_bad_choices(self.negative, self.no_relevant)
        if self.part not in PARTS:
            raise ConfigError(f"suite.part must be one of {', '.join(PARTS)}, found {self.part!r}")
        problems: dict[Path, list[Problem]] = {each: [] for each in (topics_path, qrels_path) if each}
        judged = read_qrels(qrels_path, TREC_LAYOUT, self.negative, problems[qrels_path])
        asked = self._topics(topics_path, problems[topics_path]) if topics_path else _untold(judged)
        queries = join_judgments(
            asked,
            judged,
            min_grade=self.min_grade,
            no_relevant=self.no_relevant,
            needs_text=topics_path is not None,
            query_problems=problems[topics_path or qrels_path],
            qrels_problems=problems[qrels_path],
        )
        if any(problems.values()):
            raise InputError.of_files(problems)
        return suite_of(self, name, queries, qrels_path)

    def _topics(self, path: Path, problems: list[Problem]) -> dict[str, AskedQuery]:
        text = decode(read_bytes(path, f"{EXPECTED} (suite.topics)"), problems)
        asked: dict[str, AskedQuery] = {}
        if text is None:
            return asked
        for line, id_, query in topics_in(text, self.part, problems):
            if fault := id_fault(id_):
                problems.append(Problem(line, f"topic id {fault}"))
            elif fault := length_fault(query):
                problems.append(Problem(line, f"topic {id_!r}: {fault}"))
            elif not note_repeated(same_id(id_), line, asked, problems):
                asked[same_id(id_)] = AskedQuery(nfc(query), line)
        if not asked and not problems:
            problems.append(Problem(None, f"holds no topic; expected {EXPECTED}"))
        return asked


def _untold(judged: Mapping[str, QueryQrels]) -> dict[str, AskedQuery]:
    """The queries that only judgments name, without their words."""
    return {id_: AskedQuery("", min(each.lines.values(), default=1)) for id_, each in judged.items()}
