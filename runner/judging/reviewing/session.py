"""The conversation of a review: one item after the other, one key each."""

from dataclasses import dataclass

from runner.errors import InputError
from runner.formats.reading import id_fault, nfc
from runner.judging.reviewing.passage_texts import PassageTexts
from runner.judging.reviewing.queue import Item, Target
from runner.judging.reviewing.review import Answer, Review
from runner.judging.reviewing.screen import Screen
from runner.judging.reviewing.terminal import Answers, plain
from runner.suites import Span


@dataclass(frozen=True)
class Tally:
    """What came of a session: answers given and still standing, items skipped, items left."""

    answered: int
    skipped: int
    left: int


class Session:
    """Asks until nothing is left, the input ends, or the person quits."""

    def __init__(
        self, review: Review, answers: Answers, screen: Screen, highest: int, texts: PassageTexts | None = None
    ) -> None:
        """highest: the highest grade that may be given."""
        self._review, self._answers, self._screen, self._texts = review, answers, screen, texts
        self._highest = highest
        self._skipped: dict[tuple[str, str, str | int], None] = {}
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

    def _next(self) -> Item | None:
        return next((item for item in self._review.items() if item.key not in self._skipped), None)

    def _ask(self, item: Item) -> bool:
        """Ask about one item until it is answered, skipped, or another comes first; False to stop."""
        self._note = ""
        self._screen.item(item, self._progress())
        while True:
            self._screen.prompt(self._question(item))
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
            self._screen.prompt("\nnothing is left to ask · u undo your last answer, q quit >")
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

    def _react(self, item: Item, key: str) -> bool:
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
        elif key == "i":
            if target := self._named():
                return self._grade_named(item, target)
        elif key == "?":
            self._screen.help(self._grades(), self._review.suite.min_grade)
        elif key.isascii() and key.isdigit() and item.targets:
            return self._graded(item, self._targets(item), int(key))
        elif key == "n" and item.entry:
            return self._keep(item, ())
        elif key == "y" and item.kind == "proposed":
            return self._keep(item, self._as_before(item, item.targets))
        elif key == "p" and item.kind == "proposed":
            if parts := self._targets(item):
                return self._keep(item, self._as_before(item, parts))
        elif key:
            self._screen.say(f"{key!r} is no answer here; ? shows what is")
        return False

    def _graded(self, item: Item, targets: tuple[Target, ...], grade: int) -> bool:
        if grade > self._highest:
            self._screen.say(f"{grade} is no grade here, expected {self._grades()} (--grades N allows more)")
            return False
        return bool(targets) and self._keep(item, tuple((target, grade) for target in targets))

    def _as_before(self, item: Item, targets: tuple[Target, ...]) -> tuple[tuple[Target, int], ...]:
        before = item.old.grade if item.old and item.old.grade is not None else self._review.suite.min_grade
        return tuple((target, before if target.grade is None else target.grade) for target in targets)

    def _targets(self, item: Item) -> tuple[Target, ...]:
        """What a grade is about: all parts, or those that are named."""
        if len(item.targets) < 2:
            return item.targets
        named = self._answers.line(f"which parts (1 to {len(item.targets)}, all): ")
        words = plain(named or "").replace(",", " ").split()
        if words == ["all"]:
            return item.targets
        if not words or not all(
            word.isascii() and word.isdigit() and 0 < int(word) <= len(item.targets) for word in words
        ):
            raise InputError(f"found {named or 'nothing'!r}, expected numbers of parts like 1 2, or all")
        return tuple(item.targets[number - 1] for number in sorted({int(word) for word in words}))

    def _named(self) -> Target | None:
        if self._texts is None:
            raise InputError("without a snapshot no passage can be named; give one (--snapshot ID)")
        if self._review.suite.unit == "span":
            return self._named_span(self._texts)
        named = nfc((self._answers.line(f"id of the {self._review.suite.unit}: ") or "").strip())
        if not named:
            return None
        if fault := id_fault(named):
            raise InputError(f"id {fault}")
        self._texts.refuse_missing(named)
        return Target(named)

    def _named_span(self, texts: PassageTexts) -> Target | None:
        document = nfc((self._answers.line("id of the document: ") or "").strip())
        quote = nfc((self._answers.line("words of it: ") or "").strip()) if document else ""
        if not quote:
            return None
        span = Span(document, quote)
        texts.refuse_missing(span.id, span)
        return Target(span.id, span)

    def _grade_named(self, item: Item, target: Target) -> bool:
        grade = plain(self._answers.line(f"its grade ({self._grades()}): ") or "")
        if not (grade.isascii() and grade.isdigit()):
            raise InputError(f"found {grade or 'nothing'!r}, expected a grade, {self._grades()}")
        return self._graded(item, (target,), int(grade))

    def _keep(self, item: Item, graded: tuple[tuple[Target, int], ...]) -> bool:
        self._review.answer(item, Answer(graded, self._note))
        self._answered += 1
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

    def _question(self, item: Item) -> str:
        own = {
            "proposed": f"y holds, n does not, {self._grades()} holds with this grade",
            "gone": "n nothing says it, i name what does",
        }.get(item.kind, self._grades() if item.targets else "i name what answers it")
        if len(item.targets) > 1:
            own = f"{own}, p some parts"
        note = f" [note: {self._note}]" if self._note else ""
        return f"{own} · s skip, u undo, e note, q quit, ? help{note} >"

    def _grades(self) -> str:
        return f"0-{self._highest}"
