"""Check every citation of every answer, snapshot by snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from runner.citation_checks.answer_file import Citation, ServedAnswer
from runner.citation_checks.check_result import (
    HELD,
    Check,
    CheckedAnswers,
    CheckedCitation,
    CheckFinding,
    failed,
    unchecked,
)
from runner.citation_checks.cited_snapshot import CitedPlace, CitedSnapshot
from runner.citation_checks.freshness import PageHistory
from runner.citation_checks.quotation import cut_in, nearest_to, stands_in
from runner.errors import MOST_LISTED, InputError, Problem
from runner.rendering.progress import progress_bar
from runner.snapshots import SnapshotStore

NO_QUOTATION = "no quotation was given"
NOTHING_THERE = "what is cited does not exist"
NO_TIME = "no time of serving was given"
NOT_YET = "the snapshot was made after the answer was served"
# Looking for what is alike is slow: of each snapshot, so many failing quotations are compared.
_MOST_ALIGNED = 2000


def check_answers(
    answers: Sequence[ServedAnswer], store: SnapshotStore, path: Path, collection: str | None = None
) -> CheckedAnswers:
    """Make all four checks; each snapshot is read once, one at a time.

    path: the file of the answers, for messages. collection: the only one that freshness is looked for in.
    Raises InputError for a stored snapshot that is not what was stored, and, by line, for a snapshot that could be
    several; one that is not there is a finding.
    """
    found, missing = _resolve(answers, store, path)
    history = PageHistory(store, collection)
    groups: dict[str | None, list[ServedAnswer]] = {}
    for answer in answers:
        groups.setdefault(found[answer.snapshot], []).append(answer)
    checked: list[CheckedCitation] = []
    impossible: list[tuple[ServedAnswer, str]] = []
    unknown = 0
    with progress_bar(total=len(answers), desc="checking", unit=" answers", leave=False) as bar:
        for id_, group in groups.items():
            checker = None if id_ is None else _Checker(CitedSnapshot(store.load(id_)), history)
            for answer in group:
                if checker is None:
                    checked += _without_snapshot(answer, missing[answer.snapshot])
                else:
                    checked += checker.check(answer)
                    unknown += checker.unknown(answer)
                    if fault := checker.impossible(answer):
                        impossible.append((answer, fault))
                bar.update()
    # A stable sort: the citations of one answer stay in their order.
    checked.sort(key=lambda each: each.answer.line)
    impossible.sort(key=lambda each: each[0].line)
    used = sorted(id_ for id_ in groups if id_ is not None)
    return CheckedAnswers(tuple(answers), tuple(checked), tuple(used), unknown, tuple(impossible))


def _resolve(
    answers: Sequence[ServedAnswer], store: SnapshotStore, path: Path
) -> tuple[Mapping[str, str | None], Mapping[str, str]]:
    """The full id of every snapshot that is named, None for one that is not stored; and why it is not."""
    found: dict[str, str | None] = {}
    missing: dict[str, str] = {}
    problems: list[Problem] = []
    stored, names = store.ids(), store.catalog().names
    for answer in answers:
        wanted = answer.snapshot
        if wanted in found:
            continue
        found[wanted] = None
        begins = any(id_.startswith(wanted) for id_ in stored)
        if not begins and wanted not in names:
            missing[wanted] = f"no {wanted!r} among {len(stored)} stored"
            continue
        try:
            found[wanted] = store.find(wanted)
        except InputError as error:
            missing[wanted] = str(error)
            if begins:
                problems.append(Problem(answer.line, str(error)))
    if problems:
        raise InputError.of(path, problems)
    return found, missing


def _without_snapshot(answer: ServedAnswer, why: str) -> Iterator[CheckedCitation]:
    for citation in answer.citations:
        findings: dict[Check, CheckFinding] = {
            "existence": failed("the snapshot is not stored", why),
            "containment": _contained_by_name(citation, answer),
            "quotation": unchecked(NO_QUOTATION if citation.quotation is None else NOTHING_THERE),
            "freshness": unchecked(NO_TIME if answer.at is None else NOTHING_THERE),
        }
        yield CheckedCitation(answer, citation, None, findings)


def _contained_by_name(citation: Citation, answer: ServedAnswer) -> CheckFinding:
    """Containment as far as the ids alone show it: `page#part` lies on `page`, which may be a passage or not."""
    if citation.id in answer.retrieved:
        return HELD
    if any(id_.startswith(f"{citation.id}#") or citation.id.startswith(f"{id_}#") for id_ in answer.retrieved):
        return unchecked("only the missing snapshot knows whether page and passage are the same place")
    return _not_retrieved(answer, ())


def _not_retrieved(answer: ServedAnswer, near: Sequence[str]) -> CheckFinding:
    if not answer.retrieved:
        return failed("nothing was retrieved")
    more = f", of the same page: {', '.join(near[:2])}" if near else ""
    return failed("not among the retrieved", f"{len(answer.retrieved)} retrieved{more}")


class _Checker:
    def __init__(self, snapshot: CitedSnapshot, history: PageHistory) -> None:
        self._snapshot = snapshot
        self._history = history
        self._hints: dict[str, str] = {}
        self._aligned = 0

    def check(self, answer: ServedAnswer) -> Iterator[CheckedCitation]:
        for citation in answer.citations:
            place = self._snapshot.find(citation.id)
            findings: dict[Check, CheckFinding] = {
                "existence": HELD if place else failed("not in the snapshot", self._hint(citation.id)),
                "containment": self._containment(citation, place, answer),
                "quotation": self._quotation(citation, place, answer),
                "freshness": self._freshness(place, answer),
            }
            yield CheckedCitation(answer, citation, self._snapshot.id, findings)

    def unknown(self, answer: ServedAnswer) -> int:
        """How many retrieved ids the snapshot does not hold."""
        return sum(not self._snapshot.holds(id_) for id_ in answer.retrieved)

    def impossible(self, answer: ServedAnswer) -> str | None:
        """What in the record contradicts itself."""
        return None if answer.at is None else self._history.not_yet_made(self._snapshot.id, answer.at)

    def _hint(self, id_: str) -> str:
        if id_ not in self._hints and len(self._hints) < MOST_LISTED:
            near = self._snapshot.nearest([id_])[id_]
            self._hints[id_] = f"nearest: {', '.join(near)}" if near else ""
        return self._hints.get(id_, "")

    def _containment(self, citation: Citation, place: CitedPlace | None, answer: ServedAnswer) -> CheckFinding:
        if citation.id in answer.retrieved:
            return HELD
        if place is None:
            return _not_retrieved(answer, ())
        if self._snapshot.covers(place, answer.retrieved):
            return HELD
        found = [(id_, self._snapshot.find(id_)) for id_ in answer.retrieved]
        return _not_retrieved(answer, [id_ for id_, each in found if each and each.document is place.document])

    def _quotation(self, citation: Citation, place: CitedPlace | None, answer: ServedAnswer) -> CheckFinding:
        if citation.quotation is None:
            return unchecked(NO_QUOTATION)
        if place is None:
            return unchecked(NOTHING_THERE)
        quotation, text = self._snapshot.quotation(citation.quotation), self._snapshot.text(place)
        if stands_in(quotation, text):
            return HELD
        if whole := cut_in(quotation, text):
            return failed("cuts a word or a number", f"there: {whole}")
        if elsewhere := self._elsewhere(quotation, place):
            return failed("stands elsewhere on the page", elsewhere)
        for id_ in answer.retrieved:
            other = self._snapshot.find(id_)
            if other is not None and stands_in(quotation, self._snapshot.text(other)):
                return failed("stands in another retrieved passage", f"in {id_}")
        if self._aligned == _MOST_ALIGNED:
            return failed("not in the text")
        self._aligned += 1
        near = nearest_to(quotation, text)
        if near is None:
            return failed("not in the text", "nothing like it there", 0.0)
        return failed("not in the text", f"{int(near.similarity * 100)}% alike: {near.text}", near.similarity)

    def _elsewhere(self, quotation: str, place: CitedPlace) -> str | None:
        if place.passage is None:
            return None
        for passage in self._snapshot.of_page(place.document.id):
            if stands_in(quotation, self._snapshot.text(CitedPlace(place.document, passage))):
                return f"in {passage.id}"
        page = self._snapshot.text(CitedPlace(place.document, None))
        return f"across passages of {place.document.id}" if stands_in(quotation, page) else None

    def _freshness(self, place: CitedPlace | None, answer: ServedAnswer) -> CheckFinding:
        if answer.at is None:
            return unchecked(NO_TIME)
        if self.impossible(answer):
            return unchecked(NOT_YET)
        if place is None:
            return unchecked(NOTHING_THERE)
        return self._history.judge(self._snapshot.id, place.document, answer.at)
