"""A person names what answers a question: a passage by its id, or words of a document."""

from retrievers.script import same_id
from runner.errors import InputError
from runner.formats.reading import id_fault
from runner.judging.reviewing.passage_texts import PassageTexts
from runner.judging.reviewing.queue import Item, Target
from runner.judging.reviewing.terminal import Answers
from runner.suites import Span


class Naming:
    """Asks for names. texts: of the snapshot, without which nothing can be named."""

    def __init__(self, answers: Answers, texts: PassageTexts | None) -> None:
        self._answers, self._given = answers, texts

    def other(self, item: Item) -> Target | None:
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

    def words_of(self, item: Item, passage: str, *, all_of_it: bool) -> Target:
        """Which words of a passage answer the question, or all of it. Raises InputError if they are not there."""
        words = "" if all_of_it else self._line("words of it that answer (nothing: all of it): ")
        whole = self._texts.whole(passage, pinned=bool(item.suite.documents or item.suite.snapshot))
        return self._target(item, Span(whole.document, words) if words else whole)

    def _words(self, item: Item) -> Target | None:
        document = self._line("id of the document: ")
        if not document:
            return None
        self._texts.refuse_strange_document(document)
        words = self._line("words of it: ")
        return self._target(item, Span(document, words)) if words else None

    def _target(self, item: Item, span: Span) -> Target:
        self._texts.refuse_missing(span.id, span)
        span = self._texts.named_already(span, item.query.spans.values())
        return Target(span.id, span)

    @property
    def _texts(self) -> PassageTexts:
        if self._given is None:
            raise InputError("without a snapshot nothing can be named; give one (--snapshot ID)")
        return self._given

    def _line(self, prompt: str) -> str:
        return same_id((self._answers.line(prompt) or "").strip())
