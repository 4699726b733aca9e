"""A review whose person answers from elsewhere: what the session shows is kept until a browser fetches it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from runner.annotation.review.card import Card, Cards
from runner.annotation.review.naming import ALWAYS, letters_of, takes_grades
from runner.annotation.review.queue import ReviewItem
from runner.annotation.review.terminal import plain

# How long the end of a review waits for the page that says so to be fetched.
_FAREWELL = 2.0


@dataclass(frozen=True)
class PageView:
    """What a page shows. turn: the number of the question, by which an answer to an earlier one is told.

    card: None where nothing is left to ask. keys: what may be answered, and what it says. prompt: what a line of text
    is asked for; empty where a key is. said: what came of the last answer. over: whether the session has ended.
    """

    turn: int = 0
    card: Card | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    prompt: str = ""
    note: str = ""
    said: tuple[str, ...] = ()
    over: bool = False


class Conversation:
    """The answers and the display of a session, in the middle between its thread and those that serve pages."""

    single = False

    def __init__(self, cards: Cards) -> None:
        self._cards = cards
        self._changed = threading.Condition()
        self._view = PageView()
        self._waits = False
        self._given: str | None = None
        self._being_served = 0

    # For the session.

    def key(self) -> str | None:
        """The next key; it waits until somebody gives one."""
        return plain(self._next(""))

    def line(self, prompt: str) -> str | None:
        """A line of text, empty where the person gave none."""
        return " ".join(self._next(prompt.strip().removesuffix(":")).splitlines()).strip()

    def item(self, item: ReviewItem, progress: str, *, whole: bool = False) -> None:
        """See `Display.item`."""
        self._view = replace(self._view, card=self._cards.card(item, progress, whole=whole))

    def say(self, text: str) -> None:
        """See `Display.say`."""
        if text:
            self._view = replace(self._view, said=(*self._view.said, text))

    def help(self, keys: Mapping[str, str]) -> None:
        """See `Display.help`."""
        for key, does in keys.items():
            self.say(f"{key}  {does}")

    def ask(self, item: ReviewItem, highest: int, note: str) -> None:
        """See `Display.ask`."""
        least = item.suite.min_grade
        grades = range(highest + 1) if takes_grades(item) else ()
        keys = {str(grade): "relevant" if grade >= least else "not relevant" for grade in grades}
        self._view = replace(self._view, keys={**keys, **letters_of(item), **ALWAYS}, note=note)

    def nothing_left(self) -> None:
        """See `Display.nothing_left`."""
        keys = {key: ALWAYS[key] for key in ("u", "q")}
        self._view = replace(self._view, card=None, keys=keys, note="")

    def echo(self, key: str) -> None:
        """A page shows what a key did."""

    def _next(self, prompt: str) -> str:
        with self._changed:
            self._view = replace(self._view, turn=self._view.turn + 1, prompt=prompt)
            self._given, self._waits = None, True
            self._changed.notify_all()
            while self._given is None:
                self._changed.wait()
            self._view = replace(self._view, said=())
            return self._given

    def end(self) -> None:
        """Let the pages say that it is over, and wait for those that are being served, for a moment."""
        with self._changed:
            self._view = replace(self._view, over=True)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._being_served == 0, _FAREWELL)

    # For the pages.

    def view(self) -> PageView:
        """What is to be seen, once the session waits for an answer or is over."""
        with self._changed:
            self._changed.wait_for(self._is_settled)
            return self._view

    def give(self, turn: int, answer: str) -> bool:
        """Answer the question of that number; False if it is answered already, and then nothing is done."""
        with self._changed:
            self._changed.wait_for(self._is_settled)
            if self._view.over or turn != self._view.turn:
                return False
            self._given, self._waits = answer, False
            self._changed.notify_all()
            self._changed.wait_for(self._is_settled)
            return True

    def serving(self, pages: int) -> None:
        """Count a page whose serving has begun (1), or ended (-1)."""
        with self._changed:
            self._being_served += pages
            self._changed.notify_all()

    def _is_settled(self) -> bool:
        return self._waits or self._view.over
