"""Judged pairs for other tools: what a file of them holds, and the file itself."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from runner.annotation.exchange.label_studio import Annotations, read_tasks, tasks
from runner.annotation.exchange.pair_row import PairRow, pair_row
from runner.annotation.exchange.ratings import suite_rows
from runner.annotation.exchange.spreadsheet import read_csv, to_csv
from runner.annotation.history.entry import RecordEntry, last_frozen, standing
from runner.annotation.history.items import Read, judgments_by, read_items
from runner.annotation.review.passage_texts import PassageTexts
from runner.annotation.review.queue import ReviewItem, Target
from runner.errors import ConfigError, InputError, Problem
from runner.files.atomic import replace_file
from runner.files.reading import json_lines, numbered_lines, read_bytes
from runner.files.strict_json import json_text
from runner.suites import Judgment, Suite

SUFFIXES = (".jsonl", ".csv", ".json")


@dataclass(frozen=True)
class PairFile:
    """rows: in the order of the file. skipped: annotations that their annotator skipped. people: Label Studio's."""

    rows: tuple[PairRow, ...]
    skipped: int = 0
    people: tuple[str, ...] = ()


def write_pairs(rows: Sequence[PairRow], path: Path) -> None:
    """Write rows in the form that the name's end asks for, all or nothing. Raises ConfigError for another end."""
    refuse_suffix(path)
    if path.suffix == ".csv":
        data = to_csv(rows)
    elif path.suffix == ".json":
        data = json_text(tasks(rows)).encode()
    else:
        data = "".join(json.dumps(row.values(), ensure_ascii=False) + "\n" for row in rows).encode()
    replace_file(path, data)


def read_pairs(path: Path) -> PairFile:
    """Read rows in the form that the name's end says.

    Raises ConfigError for another end, InputError listing every fault of the file by line.
    """
    refuse_suffix(path)
    problems: list[Problem] = []
    found = Annotations()
    rows = tuple(read_tasks(path, problems, found) if path.suffix == ".json" else _plain(path, problems))
    if not rows and not problems:
        problems.append(Problem(None, "holds no row; expected at least one pair of query_id and id"))
    if problems:
        raise InputError.of(path, problems)
    return PairFile(rows, found.skipped, tuple(sorted(found.people)))


def refuse_suffix(path: Path) -> None:
    """Raise ConfigError unless the name says which form the file has."""
    if path.suffix not in SUFFIXES:
        raise ConfigError(
            f"{path}: the form of a file of pairs is the end of its name: .jsonl, .csv, or .json for Label Studio"
        )


def _plain(path: Path, problems: list[Problem]) -> Iterator[PairRow]:
    numbered: Iterator[tuple[int, dict[str, Any]]]
    if path.suffix == ".csv":
        numbered = read_csv(path, problems)
    else:
        data = read_bytes(path, "a file of judged pairs, one JSON object a line")
        numbered = json_lines(numbered_lines(data, problems), problems)
    first = True
    for line, values in numbered:
        faults: list[str] = []
        if "relevant" in values:
            faults.append("is a query of a suite, expected a row {query_id, id, grade}; give the suite's YAML head")
            if first:
                # The others would only say so again.
                raise InputError.of(path, [Problem(line, faults[0])])
        first = False
        row = pair_row(values, line, faults) if not faults else None
        problems.extend(Problem(line, fault) for fault in faults)
        if row:
            yield row


def judged_rows(suite: Suite, texts: PassageTexts | None) -> Iterator[PairRow]:
    """Every judgment of a suite, one a row, with the text it is about."""
    for row in suite_rows(suite):
        yield _with_text(row, Target(row.id, row.span), texts)


def waiting_rows(
    items: Iterable[ReviewItem], texts: PassageTexts | None, old_texts: PassageTexts | None
) -> Iterator[PairRow]:
    """What waits, one row for each thing to be judged, without a grade; what names nothing to judge has no row."""
    for item in items:
        query, old = item.query, item.old
        old_text = old_texts.find(old.id, old.span) if old and old_texts else None
        # What is gone is named by what it was: a grade of 0 in its row drops it.
        for target in item.targets or ((old,) if old else ()):
            row = PairRow(
                query.id,
                target.id,
                query.text,
                query.history,
                target.span,
                kind=item.candidate.kind if item.candidate else item.kind,
                old_text=old_text.whole if old_text else "",
                fields={} if item.known else query.fields,
                query_source="human" if item.known else query.source,
                # Who grades what others disagree on settles it.
                adjudicated=item.kind == "disputed",
            )
            yield _with_text(row, target, texts)


def _with_text(row: PairRow, target: Target, texts: PassageTexts | None) -> PairRow:
    shown = texts.find(target.id, target.span) if texts else None
    return replace(row, passage_title=shown.title, passage_text=shown.whole) if shown else row


Pair = tuple[str, str]


def known_judgments(suite: Suite, entries: Sequence[RecordEntry]) -> Mapping[Pair, list[Judgment]]:
    """(query id, judged id) -> what was said, each judgment once.

    A query that waits for another answer keeps those it has got in the record only.
    """
    known: dict[Pair, list[Judgment]] = defaultdict(list)
    for query in suite.queries:
        for judgment in query.every_judgment:
            known[query.id, judgment.id].append(judgment)
    sources = {query.id: query.source for query in suite.queries}
    since = last_frozen(entries)
    for entry in standing(entries):
        if entry.number > since:
            source = sources.get(entry.query, "human")
            for each, _ in judgments_by(entry, partial(_read, suite, source)):
                if each not in known[entry.query, each.id]:
                    known[entry.query, each.id].append(each)
    return known


def _read(suite: Suite, source: str, items: Sequence[Mapping[str, Any]], entry: RecordEntry) -> Sequence[Read]:
    return read_items(items, suite, source, f"line {entry.number} of the record")
