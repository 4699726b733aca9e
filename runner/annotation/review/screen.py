"""A review at the terminal: what is asked is drawn to fit the screen."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TextIO

from runner.annotation.review.card import Card, Cards, Exhibit
from runner.annotation.review.fitting import fitted, height
from runner.annotation.review.naming import ALWAYS, question
from runner.annotation.review.passage_texts import PassageTexts
from runner.annotation.review.queue import ReviewItem
from runner.rendering.console import console
from runner.rendering.visible import visible

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {"same": "", "removed": "red strike", "added": "bold green"}
_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_OPENS, _CLOSES = "[[", "]]"


class Screen:
    """Writes items. texts: of the snapshot that is judged now; old_texts: of the one before, if it is stored.

    rows: into how many lines an item has to go; by default those of the terminal.
    """

    def __init__(
        self,
        stream: TextIO,
        texts: PassageTexts | None,
        old_texts: PassageTexts | None = None,
        *,
        blind: bool = False,
        rows: int | None = None,
    ) -> None:
        width = None if stream.isatty() else 100
        self._console = console(stream, width=width)
        self._stream, self._cards = stream, Cards(texts, old_texts, blind)
        # What is written to a file or a pipe leaves no screen.
        self._rows = rows or (self._console.height if stream.isatty() else None)

    def item(self, item: ReviewItem, progress: str, *, whole: bool = False) -> None:
        """Write all that there is to know before answering. whole: texts are not cut."""
        from rich.text import Text

        card = self._cards.card(item, progress, whole=whole)
        self._console.print()
        self._console.rule(Text(f"{card.progress} · {card.asks}"), align="left", characters="─")
        head = [Text(visible(turn), "dim") for turn in card.turns]
        head += [Text(visible(card.question), "bold"), Text(visible(card.about), "dim")]
        judged = list(_judged(card))
        foot = [Text(visible(line), "cyan") for line in card.others]
        if self._rows and not whole:
            # Beside these: the rule and the blank lines around it and the question, and the prompt.
            judged = fitted(judged, self._console, self._rows - height([*head, *foot], self._console) - 4)
        for text in (*head, Text(), *judged, *foot):
            self._console.print(text)

    def say(self, text: str) -> None:
        """Write a line."""
        from rich.text import Text

        self._console.print(Text(visible(text)))

    def help(self, keys: Mapping[str, str]) -> None:
        """Write what each key does, those of the item first."""
        wide = max((len(key) for key in keys), default=1)
        always = [f"{key}  {does}" for key, does in ALWAYS.items()]
        rows = [f"{left:<25}{right}" for left, right in zip(always[::2], always[1::2], strict=True)]
        self.say("\n".join([*(f"{key:<{wide}}  {does}" for key, does in keys.items()), *rows]))

    def ask(self, item: ReviewItem, highest: int, note: str) -> None:
        """Write what may be answered, and stay on the line."""
        self._prompt(question(item, f"0-{highest}", note))

    def nothing_left(self) -> None:
        """Write that nothing is left to ask, and what can be done all the same."""
        self._prompt("\nnothing is left to ask · u undo your last answer, q quit >")

    def echo(self, key: str) -> None:
        """Show a single key, which the terminal does not."""
        self._stream.write(f"{visible(key)}\n")
        self._stream.flush()

    def _prompt(self, text: str) -> None:
        self._stream.write(f"{text} ")
        self._stream.flush()


def _judged(card: Card) -> Iterator["Text"]:
    from rich.text import Text

    if card.was:
        yield Text(visible(card.was), "dim")
    for exhibit in card.exhibits:
        if exhibit.label:
            yield Text(visible(exhibit.label), "dim")
        if exhibit.missing:
            yield Text("(no text: the snapshot at hand does not hold it)", "dim")
        if exhibit.title:
            yield Text(visible(exhibit.title), "bold")
        if exhibit.text:
            yield _text(exhibit)


def _text(exhibit: Exhibit) -> "Text":
    from rich.text import Text

    text = Text()
    for stretch in exhibit.text:
        before, after = _MARKS[stretch.change]
        style = _STYLES[stretch.change] or ("" if stretch.judged else "dim")
        inside = f"{before}{visible(stretch.text)}{after}"
        text.append(_OPENS if stretch.opens else "")
        text.append(inside, style)
        text.append(_CLOSES if stretch.closes else "")
    return text
