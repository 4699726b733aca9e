"""The conversation of a review: one item after the other, one key each."""

from dataclasses import dataclass

from runner.annotation.review.display import Answers, Display
from runner.annotation.review.naming import Naming, keys_of, letters_of, takes_grades
from runner.annotation.review.passage_texts import PassageTexts
from runner.annotation.review.queue import ReviewItem, Target
from runner.annotation.review.review import GivenAnswer, Review
from runner.annotation.review.terminal import plain
from runner.errors import InputError

# Of digits; no grade and no count of parts has more, and Python reads no number of thousands of them.
_LONGEST_NUMBER = 9


@dataclass(frozen=True)
class Tally:
    """What came of a session: answers given and still standing, items skipped, items left."""

    answered: int
    skipped: int
    left: int


class Session:
    """Asks until nothing is left, the input ends, or the person quits."""

    def __init__(
        self, review: Review, answers: Answers, screen: Display, highest: int, texts: PassageTexts | None = None
    ) -> None:
        """highest: the highest grade that may be given."""
        self._review, self._answers, self._screen = review, answers, screen
        self._naming = Naming(answers, texts)
        self._highest = highest
        self._skipped: dict[tuple[str, str, str], None] = {}
        self._answered = 0
        self._note = ""

    def run(self) -> Tally:
        """Hold the conversation."""
        try:
            going = True
            while going:
                item = self._next()
                going = self._ask(item) if item else self._ask_for_more()
        except KeyboardInterrupt:
            pass
        self._screen.say("")
        return Tally(self._answered, len(self._skipped), len(self._review.items()))

    def _next(self) -> ReviewItem | None:
        return next((item for item in self._review.items() if item.key not in self._skipped), None)

    def _ask(self, item: ReviewItem) -> bool:
        """Ask about one item until it is answered, skipped, or another comes first; False to stop."""
        self._note = ""
        self._screen.item(item, self._progress())
        while True:
            self._screen.ask(item, self._highest, self._note)
            key = self._key()
            if key is None or key in ("q", "quit"):
                return False
            try:
                if self._react(item, key):
                    return True
            except InputError as error:
                self._screen.say(str(error))

    def _ask_for_more(self) -> bool:
        """Nothing is left to ask, but the last answer may have been a slip; False to stop."""
        while True:
            self._screen.nothing_left()
            key = self._key()
            if key is None or key in ("q", "quit"):
                return False
            if key == "u" and self._undo():
                return True

    def _key(self) -> str | None:
        key = self._answers.key()
        if self._answers.single:
            self._screen.echo(key or "")
        return key

    def _react(self, item: ReviewItem, key: str) -> bool:
        """Do what a key says; True to go on to the next item."""
        if key == "s":
            self._skipped[item.key] = None
            return True
        if key == "u":
            return self._undo()
        if key == "e":
            self._note = self._answers.line("note: ") or ""
        elif key == "m":
            self._screen.item(item, self._progress(), whole=True)
        elif key == "?":
            self._screen.help(keys_of(item, self._grades(), self._review.suite.min_grade))
        else:
            return self._react_by_answer(item, key)
        return False

    def _react_by_answer(self, item: ReviewItem, key: str) -> bool:
        """Answer the item with a key; True if that is an answer, and kept."""
        passage = item.candidate.passage if item.candidate and not item.targets else None
        if key.removeprefix("-").isdecimal() and key.isascii() and len(key) <= _LONGEST_NUMBER and takes_grades(item):
            return self._graded(item, item.targets, int(key), passage)
        if key not in letters_of(item):
            if key:
                self._screen.say(f"{key[:40]!r} is no answer here; ? shows what is")
            return False
        if key == "i":
            target = self._naming.other(item)
            return target is not None and self._grade_named(item, target)
        if passage:
            return self._graded(item, (), self._review.suite.min_grade if key == "y" else 0, passage)
        if key == "n":
            return self._keep(item, GivenAnswer((), self._note, unanswerable=item.entry is None))
        parts = self._parts(item) if key == "p" else item.targets
        return self._keep(item, GivenAnswer(self._as_before(item, parts), self._note))

    def _graded(self, item: ReviewItem, targets: tuple[Target, ...], grade: int, passage: str | None = None) -> bool:
        if not 0 <= grade <= self._highest:
            self._screen.say(f"{grade} is no grade here, expected 0 to {self._highest} (grades=N allows more)")
            return False
        if passage:
            targets = (self._naming.words_of(item, passage, all_of_it=grade == 0),)
        elif len(targets) > 1:
            targets = self._parts(item)
        return self._keep(item, GivenAnswer(tuple((target, grade) for target in targets), self._note))

    def _as_before(self, item: ReviewItem, targets: tuple[Target, ...]) -> tuple[tuple[Target, int], ...]:
        before = item.old.grade if item.old and item.old.grade is not None else self._review.suite.min_grade
        return tuple((target, before if target.grade is None else target.grade) for target in targets)

    def _parts(self, item: ReviewItem) -> tuple[Target, ...]:
        """The parts that are named, or all."""
        named = self._answers.line(f"which parts (1 to {len(item.targets)}, all): ")
        words = plain(named or "").replace(",", " ").split()
        if words == ["all"]:
            return item.targets
        if not words or not all(
            word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER and 0 < int(word) <= len(item.targets)
            for word in words
        ):
            raise InputError(f"found {named or 'nothing'!r}, expected numbers of parts like 1 2, or all")
        return tuple(item.targets[number - 1] for number in sorted({int(word) for word in words}))

    def _grade_named(self, item: ReviewItem, target: Target) -> bool:
        grade = plain(self._answers.line(f"its grade ({self._grades()}): ") or "")
        if not (grade.isascii() and grade.isdigit() and len(grade) <= _LONGEST_NUMBER):
            raise InputError(f"found {grade[:40] or 'nothing'!r}, expected a grade, {self._grades()}")
        return self._graded(item, (target,), int(grade))

    def _keep(self, item: ReviewItem, answer: GivenAnswer) -> bool:
        query, outside = item.query.id, self._review.outside(item.query.id)
        self._review.answer(item, answer)
        self._answered += 1
        if others := self._review.others(item):
            self._screen.say(f"{', '.join(others)} answered this, too; both answers are kept")
        if item.known and self._review.outside(query) and not outside:
            self._screen.say(f"query {query}: nothing relevant to it is left, so it is in no mean until something is")
        return True

    def _undo(self) -> bool:
        taken_back = self._review.undo()
        if taken_back is None:
            self._screen.say("you have no answer here that could be taken back")
            return False
        self._answered = max(0, self._answered - 1)
        what = f"{taken_back.what} of query {taken_back.query}"
        self._screen.say(f"taken back: {what}, answered {taken_back.at[:16]}")
        return True

    def _progress(self) -> str:
        done = self._answered + len(self._skipped)
        total = self._answered + len(self._review.items())
        skipped = f", {len(self._skipped)} skipped" if self._skipped else ""
        return f"{done + 1} of {total}{skipped}"

    def _grades(self) -> str:
        return f"0-{self._highest}"
