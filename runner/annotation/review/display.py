"""What a review needs of a terminal, a browser, or whatever else a person judges at."""

from collections.abc import Mapping
from typing import Protocol

from runner.annotation.review.queue import ReviewItem


class Answers(Protocol):
    """Where the answers of a review come from."""

    single: bool

    def key(self) -> str | None:
        """The next key, or line, in lower case; None at the end of the input."""

    def line(self, prompt: str) -> str | None:
        """A line of text; None at the end of the input."""


class Display(Protocol):
    """Where a review is seen."""

    def item(self, item: ReviewItem, progress: str, *, whole: bool = False) -> None:
        """Show all that there is to know before answering. whole: texts are not cut."""

    def say(self, text: str) -> None:
        """Tell what came of an answer, or why it is none."""

    def help(self, keys: Mapping[str, str]) -> None:
        """Tell what each key does, those of the item first."""

    def ask(self, item: ReviewItem, highest: int, note: str) -> None:
        """Ask for a key. highest: grade that may be given; note: what the person has written so far."""

    def nothing_left(self) -> None:
        """Say that nothing is left to ask, and ask whether to undo or to quit."""

    def echo(self, key: str) -> None:
        """Show a single key, which a terminal does not by itself."""
