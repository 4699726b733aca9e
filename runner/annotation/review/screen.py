"""One item of a review as a person reads it: the question, what is judged, what changed, what others said."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TextIO

from runner.alignment.word_diff import WordRun, word_diff
from runner.annotation.review.fitting import fitted, height
from runner.annotation.review.passage_texts import AROUND, PassageTexts, Shown
from runner.annotation.review.queue import ReviewItem, Target
from runner.rendering.console import console
from runner.rendering.visible import one_line, visible

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {"same": "", "removed": "red strike", "added": "bold green"}
_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
# What did not change is cut in the middle where it is longer, and a text where it is longer still.
_MOST_SAME = 400
_MOST_SHOWN = 4000
_MOST_ASKED, _MOST_TURNS, _MOST_OTHERS = 300, 2, 3
_TITLES = {
    "proposed": "proposed: is this still the passage?",
    "gone": "gone: does anything still say it?",
    "disputed": "disputed: which grade holds?",
    "candidate": "candidate: is it relevant?",
    "again": "judge again: how relevant is it?",
}

# How much more of an old document is compared than of the new one: what moved within it is not new.
_WIDER = 4
_SPAN = ("[[", "]]")
_ALWAYS = """\
s  skip for now          u  undo your last answer
e  write a note first    m  show long texts whole
q  quit                  ?  this help"""


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
        self._stream, self._texts, self._old_texts, self._blind = stream, texts, old_texts, blind
        # What is written to a file or a pipe leaves no screen.
        self._rows = rows or (self._console.height if stream.isatty() else None)

    def item(self, item: ReviewItem, progress: str, *, whole: bool = False) -> None:
        """Write all that there is to know before answering. whole: texts are not cut."""
        from rich.text import Text

        self._console.print()
        self._console.rule(Text(f"{progress} · {_TITLES[item.kind]}"), align="left", characters="─")
        turns = item.query.history
        if turns[:-_MOST_TURNS] and not whole:
            turns = (f"({len(turns) - _MOST_TURNS} earlier turns; m shows all)", *turns[-_MOST_TURNS:])
        head = [Text(visible(_shortened(turn, whole)), "dim") for turn in turns]
        head.append(Text(visible(_shortened(item.query.text or item.query.id, whole)), "bold"))
        fields = " · ".join(f"{name} {value}" for name, value in item.query.fields.items() if value not in (None, ""))
        head.append(Text(visible(f"{item.query.id}{f' · {fields}' if fields else ''}"), "dim"))
        judged = list(self._judged(item, whole))
        foot = [Text(visible(line), "cyan") for line in self._others(item)]
        if foot[_MOST_OTHERS:] and not whole:
            foot = [*foot[: _MOST_OTHERS - 1], Text(f"({len(foot) - _MOST_OTHERS + 1} more; m shows all)", "cyan")]
        if self._rows and not whole:
            # Beside these: the rule and the blank lines around it and the question, and the prompt.
            judged = fitted(judged, self._console, self._rows - height([*head, *foot], self._console) - 4)
        for text in (*head, Text(), *judged, *foot):
            self._console.print(text)

    def say(self, text: str) -> None:
        """Write a line."""
        self._say(text, "")

    def help(self, keys: Mapping[str, str]) -> None:
        """Write what each key does, those of the item first."""
        wide = max((len(key) for key in keys), default=1)
        self.say("\n".join([*(f"{key:<{wide}}  {does}" for key, does in keys.items()), _ALWAYS]))

    def prompt(self, text: str) -> None:
        """Write what may be answered, and stay on the line."""
        self._stream.write(f"{text} ")
        self._stream.flush()

    def echo(self, key: str) -> None:
        """Show a single key, which the terminal does not."""
        self._stream.write(f"{visible(key)}\n")
        self._stream.flush()

    def _say(self, text: str, style: str) -> None:
        from rich.text import Text

        self._console.print(Text(visible(text), style))

    def _judged(self, item: ReviewItem, whole: bool) -> Iterator["Text"]:
        from rich.text import Text

        old = self._old(item, AROUND)
        if item.old:
            grade = "" if self._blind or item.old.grade is None else f" (grade {item.old.grade})"
            why = f": {one_line(item.entry.note)}" if item.entry and item.entry.note else ""
            yield Text(f"was: {visible(item.old.id)}{grade}{why}", "dim")
        if not item.targets and old:
            yield from _passage(old, whole)
        for number, target in enumerate(item.targets, 1):
            which = f"{number}. " if len(item.targets) > 1 else ""
            alike = item.entry.similarity if item.entry else None
            share = "" if alike is None else f" ({alike:.0%} alike)"
            yield Text(f"{which}{visible(target.id)}{share}", "dim")
            yield from self._target(target, self._old(item, _WIDER * AROUND), whole)
        if not item.targets and item.candidate and item.candidate.passage and self._texts:
            yield Text(visible(item.candidate.passage), "dim")
            if shown := self._texts.passage(item.candidate.passage):
                yield from _passage(shown, whole)

    def _target(self, target: Target, old: Shown | None, whole: bool) -> Iterator["Text"]:
        from rich.text import Text

        shown = self._texts.find(target.id, target.span) if self._texts else None
        if shown is None:
            yield Text("(no text: the snapshot at hand does not hold it)", "dim")
            return
        pieces = _differences(old, shown) if old else ()
        if all(piece.kind == "same" for piece in pieces):
            yield from _passage(shown, whole)
            return
        if shown.title:
            yield Text(visible(shown.title), "bold")
        yield _difference(pieces, shown, whole)

    def _old(self, item: ReviewItem, around: int) -> Shown | None:
        return self._old_texts.find(item.old.id, item.old.span, around) if item.old and self._old_texts else None

    def _others(self, item: ReviewItem) -> Iterator[str]:
        if self._blind:
            return
        for each in item.said:
            note = f" ({one_line(each.note)})" if each.note else ""
            yield f"{each.rater}: {each.grade}{' adjudicated' if each.adjudicated else ''}{note}"
        if item.candidate:
            yield f"{item.candidate.kind}, {item.candidate.source}: {one_line(item.candidate.why)}"


def _passage(shown: Shown, whole: bool) -> Iterator["Text"]:
    from rich.text import Text

    if shown.title:
        yield Text(visible(shown.title), "bold")
    text = Text()
    for part, style, (before, after) in zip(
        (shown.before, _cut(shown.text, whole), shown.after), ("dim", "", "dim"), _marks(shown), strict=True
    ):
        text.append(f"{before}{visible(part)}{after}", style)
    yield text


def _marks(shown: Shown) -> Sequence[tuple[str, str]]:
    """What stands around the three parts of a text: a span is marked where something surrounds it."""
    return ("", ""), _SPAN if shown.before or shown.after else ("", ""), ("", "")


def _differences(old: Shown, new: Shown) -> Sequence[WordRun]:
    """What changed in what is judged and around it. More is known of the old text around it, which is not gone."""
    pieces = word_diff(old.whole, new.whole)
    if pieces and pieces[0].kind == "removed" and new.before:
        pieces = pieces[1:]
    if pieces and pieces[-1].kind == "removed" and new.after:
        pieces = pieces[:-1]
    return pieces


def _difference(pieces: Sequence[WordRun], shown: Shown, whole: bool) -> "Text":
    """The changes in one text, with marks where what is judged begins and ends now, wherever it did before."""
    from rich.text import Text

    text = Text()
    begin, end = len(shown.before), len(shown.before) + len(shown.text)
    opens, closes = _marks(shown)[1]
    at = 0
    for piece in pieces:
        before, after = _MARKS[piece.kind]
        if piece.kind == "removed":
            text.append(f"{before}{visible(_middle_cut(piece.text, whole))}{after}", _STYLES[piece.kind])
            continue
        for start, stop in pairwise(sorted({at, at + len(piece.text), *(each for each in (begin, end) if at < each)})):
            if start >= at + len(piece.text):
                break
            text.append(opens if start == begin else "")
            part = piece.text[start - at : stop - at]
            style = _STYLES[piece.kind] or ("" if begin <= start < end else "dim")
            cut = _middle_cut(part, whole) if piece.kind == "same" else part
            text.append(f"{before}{visible(cut)}{after}", style)
            text.append(closes if stop == end else "")
        at += len(piece.text)
    return text


def _middle_cut(text: str, whole: bool) -> str:
    half = _MOST_SAME // 2
    return text if whole or len(text) <= _MOST_SAME else f"{text[:half]} […] {text[-half:]}"


def _shortened(text: str, whole: bool) -> str:
    left = len(text) - _MOST_ASKED
    return text if whole or left <= 0 else f"{text[:_MOST_ASKED]} [{left:,} more characters; m shows all]"


def _cut(text: str, whole: bool) -> str:
    left = len(text) - _MOST_SHOWN
    return text if whole or left <= 0 else f"{text[:_MOST_SHOWN]}\n[{left:,} more characters; m shows all]"
