"""A person names what answers a question: a passage by its id, or words of a document."""

from collections.abc import Mapping

from retrievers.script import same_id
from runner.annotation.review.display import Answers
from runner.annotation.review.passage_texts import PassageTexts
from runner.annotation.review.queue import ReviewItem, Target
from runner.errors import InputError
from runner.files.reading import id_fault
from runner.suites import Span

# The keys that every item takes.
ALWAYS: Mapping[str, str] = {
    "s": "skip for now",
    "u": "undo your last answer",
    "e": "write a note first",
    "m": "show long texts whole",
    "q": "quit",
    "?": "this help",
}


class Naming:
    """Asks for names. texts: of the snapshot, without which nothing can be named."""

    def __init__(self, answers: Answers, texts: PassageTexts | None) -> None:
        self._answers, self._given = answers, texts

    def other(self, item: ReviewItem) -> Target | None:
        """Something else than what is shown, or None if nothing is named. Raises InputError if it is not there."""
        if item.suite.unit == "span":
            return self._words(item)
        named = self._line(f"id of the {item.suite.unit}: ")
        if not named:
            return None
        if fault := id_fault(named):
            raise InputError(f"id {fault}")
        self._texts.refuse_missing(named)
        return Target(named)

    def words_of(self, item: ReviewItem, passage: str, *, all_of_it: bool) -> Target:
        """Which words of a passage answer the question, or all of it. Raises InputError if they are not there."""
        words = "" if all_of_it else self._line("words of it that answer (nothing: all of it): ")
        whole = self._texts.whole(passage, pinned=bool(item.suite.documents or item.suite.snapshot))
        return self._target(item, Span(whole.document, words) if words else whole)

    def _words(self, item: ReviewItem) -> Target | None:
        document = self._line("id of the document: ")
        if not document:
            return None
        self._texts.refuse_strange_document(document)
        words = self._line("words of it: ")
        return self._target(item, Span(document, words)) if words else None

    def _target(self, item: ReviewItem, span: Span) -> Target:
        self._texts.refuse_missing(span.id, span)
        span = self._texts.named_already(span, item.query.spans.values())
        return Target(span.id, span)

    @property
    def _texts(self) -> PassageTexts:
        if self._given is None:
            raise InputError("without a snapshot nothing can be named; give one (snapshot=ID)")
        return self._given

    def _line(self, prompt: str) -> str:
        return same_id((self._answers.line(prompt) or "").strip())


def takes_grades(item: ReviewItem) -> bool:
    """Whether a grade answers the item: something is shown that can have one."""
    return bool(item.targets) or bool(item.candidate and item.candidate.passage)


def letters_of(item: ReviewItem) -> Mapping[str, str]:
    """The letters that answer an item, and what each says."""
    if item.kind == "proposed":
        parts = {"p": "some parts of it hold: say which"} if len(item.targets) > 1 else {}
        return {
            "y": "it holds, with its old grade (a digit instead: it holds with this grade)",
            "n": "it does not hold any more, and nothing takes its place",
            **parts,
            "i": "something else answers the question: name it",
        }
    if item.kind == "gone":
        return {"n": "nothing takes its place", "i": "something else answers the question: name it"}
    if item.candidate is None:
        return {}
    if item.targets:
        return {"i": "something else answers the question: name it"}
    if item.candidate.passage:
        words = {"y": "some of its words, or all of them, answer the question", "n": "it is not relevant"}
        return {**words, "i": "other words answer the question: name them"}
    return {"i": "name what answers the question", "n": "nothing answers the question"}


def keys_of(item: ReviewItem, grades: str, min_grade: int) -> Mapping[str, str]:
    """All that answers an item, and what it says. grades: like 0-2. min_grade: the lowest that is relevant."""
    scale = f"the grade of what is shown: 0 is not relevant, {min_grade} and above is relevant"
    return {**({grades: scale} if takes_grades(item) else {}), **letters_of(item)}


def question(item: ReviewItem, grades: str, note: str) -> str:
    """The prompt: what may be answered. note: what the person has written so far."""
    own = {
        "proposed": f"y holds, n does not, {grades} holds with this grade",
        "gone": "n nothing says it, i name what does",
    }.get(item.kind, grades)
    if len(item.targets) > 1:
        own = f"{own}, p some parts"
    if item.candidate and not item.targets:
        own = f"{own}, y some words, n none" if item.candidate.passage else "i name what answers it, n nothing does"
    written = f" [note: {note}]" if note else ""
    return f"{own} · s skip, u undo, e note, q quit, ? help{written} >"
