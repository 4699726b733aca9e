"""Judgments that were made in another tool, made part of a suite: checked as a whole, then recorded as a whole."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runner.annotation.exchange.import_check import ImportCheck, same_as
from runner.annotation.exchange.pair_files import Pair, known_judgments
from runner.annotation.exchange.pair_row import PairRow
from runner.annotation.history.entry import RecordEntry, pending_in
from runner.annotation.history.items import item_of, read_items
from runner.annotation.review.passage_texts import PassageTexts
from runner.suites import Judgment, Suite
from runner.suites.judgment import is_before


@dataclass(frozen=True)
class Import:
    """drafts: what to record. counts: rows by what became of them.

    new, changed (the annotator's earlier grade is replaced), unchanged, older (than what the annotator said since),
    confirmed, dropped, partial (not all parts of a proposal have a grade), ungraded.
    """

    drafts: tuple[RecordEntry, ...]
    counts: Mapping[str, int]


class Importer:
    """Sorts out what rows change in a suite with a record; the same rows again change nothing."""

    def __init__(
        self,
        suite: Suite,
        entries: Sequence[RecordEntry],
        *,
        path: str,
        highest: int,
        annotator: str | None = None,
        texts: PassageTexts | None = None,
    ) -> None:
        """path: of the file of rows. highest: the highest grade. annotator: of rows that name none, unless known so.

        texts: of the suite's snapshot, if it is at hand; else only pairs that the suite knows can be judged.
        """
        self._suite, self._path, self._annotator = suite, path, annotator
        self._known = {pair: list(each) for pair, each in known_judgments(suite, entries).items()}
        self._sources = {query.id: query.source for query in suite.queries}
        self._details: dict[str, Any] = {"file": Path(path).name}
        self._counts: Counter[str] = Counter()
        pending = [entry for entry in pending_in(entries) if entry.query in self._sources]
        self._targets = [(entry, self._ids(entry, entry.new)) for entry in pending if entry.what == "proposed"]
        self._gone = {
            (entry.query, id_): None
            for entry in entries
            if entry.what == "gone"
            for id_ in self._ids(entry, [entry.old])
        }
        self._waiting = {
            (entry.query, id_): entry
            for entry in pending
            if entry.what == "gone"
            for id_ in self._ids(entry, [entry.old])
        }
        asked = {(entry.query, id_) for entry, ids in self._targets for id_ in ids}
        self._check = ImportCheck(suite, self._known, self._gone, asked, highest, texts)

    def plan(self, rows: Sequence[PairRow], new: Mapping[str, Mapping[str, Any]] | None = None) -> Import:
        """Sort the rows out. new: the queries that the suite does not hold yet, by query id, as a record has them.

        Raises InputError listing every fault by line.
        """
        rows = [self._signed(row) for row in rows]
        self._check.refuse(rows, self._path)
        self._counts.clear()
        self._counts["ungraded"] = sum(row.grade is None for row in rows)
        graded = [row for row in rows if row.grade is not None]
        gone = [row for row in graded if row.kind == "gone" and (row.query_id, row.id) in self._gone]
        drafts = [*self._dropped(gone)]
        used = {id(row) for row in gone}
        for draft, own in self._answers([row for row in graded if id(row) not in used]):
            drafts += [draft] if draft else []
            used |= {id(row) for row in own}
        added: set[str] = set()
        new = new or {}
        self._sources = {**{id_: str(query.get("source", "human")) for id_, query in new.items()}, **self._sources}
        for row in graded:
            if id(row) not in used:
                drafts += self._judgment(row, added, new)
        return Import(tuple(drafts), {name: count for name, count in self._counts.items() if count})

    def _signed(self, row: PairRow) -> PairRow:
        if row.annotator or row.grade is None or same_as(row, self._known.get((row.query_id, row.id), ())):
            return row
        return replace(row, annotator=self._annotator)

    def _dropped(self, rows: Sequence[PairRow]) -> Iterator[RecordEntry]:
        """Answers to what is gone."""
        for row in rows:
            entry = self._waiting.pop((row.query_id, row.id), None)
            self._counts["dropped" if entry else "unchanged"] += 1
            if entry:
                yield self._answer(entry, "dropped", (row,))

    def _answers(self, rows: Sequence[PairRow]) -> Iterator[tuple[RecordEntry | None, Sequence[PairRow]]]:
        """Answers to proposals, each with the rows it is made of; none where one of its parts has no grade yet."""
        by_pair: dict[Pair, list[PairRow]] = defaultdict(list)
        for row in rows:
            by_pair[row.query_id, row.id].append(row)
        for entry, ids in self._targets:
            by_annotator: dict[str | None, dict[str, PairRow]] = defaultdict(dict)
            for id_ in ids:
                for row in by_pair.get((entry.query, id_), ()):
                    if same_as(row, self._known.get((entry.query, id_), ())) is None:
                        by_annotator[row.annotator].setdefault(id_, row)
            whole = next((own for own in by_annotator.values() if len(own) == len(ids)), None)
            if whole:
                self._counts["confirmed"] += 1
                own = [whole[id_] for id_ in ids]
                yield self._answer(entry, "confirmed", own), own
            elif by_annotator:
                parts = [row for own in by_annotator.values() for row in own.values()]
                self._counts["partial"] += len(parts)
                yield None, parts

    def _answer(self, entry: RecordEntry, what: str, rows: Sequence[PairRow]) -> RecordEntry:
        new = tuple(self._item(row) for row in rows) if what == "confirmed" else ()
        first = rows[0]
        return RecordEntry(
            0,
            what,
            entry.query,
            entry.old,
            new,
            entry.similarity,
            first.annotator,
            note=first.note,
            answers=entry.id,
            details=self._details,
        )

    def _judgment(self, row: PairRow, added: set[str], new: Mapping[str, Mapping[str, Any]]) -> Iterator[RecordEntry]:
        known = self._known.setdefault((row.query_id, row.id), [])
        if same_as(row, known):
            self._counts["unchanged"] += 1
            return
        same = [each for each in known if each.annotator == row.annotator and not (each.adjudicated or row.adjudicated)]
        before = same[0] if same else None
        if before and is_before(row.at, before.at):
            self._counts["older"] += 1
            return
        self._counts["changed" if before else "new"] += 1
        old = None
        if before:
            old = item_of(before, row.span, self._sources.get(row.query_id, "human"))
            known.remove(before)
        known.append(_judgment_of(row))
        details = dict(self._details)
        if row.query_id in new and row.query_id not in added:
            added.add(row.query_id)
            details["query"] = new[row.query_id]
        yield RecordEntry(0, "imported", row.query_id, old, (self._item(row),), by=row.annotator, details=details)

    def _item(self, row: PairRow) -> dict[str, Any]:
        return item_of(_judgment_of(row), row.span, self._sources.get(row.query_id, "human"))

    def _ids(self, entry: RecordEntry, items: Sequence[Mapping[str, Any] | None]) -> tuple[str, ...]:
        source = self._sources.get(entry.query, "human")
        read = read_items([item for item in items if item], self._suite, source, f"line {entry.number} of the record")
        return tuple(dict.fromkeys(judgment.id for judgment, _ in read))


def _judgment_of(row: PairRow) -> Judgment:
    if row.judgment is None:
        raise ValueError("a row without a grade is no judgment")
    return row.judgment
