"""One item of a review as a person reads it: the question, what is judged, what changed, what others said."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from runner.changes.wording import Piece, word_diff
from runner.judging.reviewing.passage_texts import PassageTexts, Shown
from runner.judging.reviewing.queue import Item, Target
from runner.judging.reviewing.visible import one_line, visible

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {"same": "", "removed": "red strike", "added": "bold green"}
_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
# What did not change is cut in the middle where it is longer, and a text where it is longer still.
_MOST_SAME = 400
_MOST_SHOWN = 4000
_TITLES = {
    "proposed": "proposed: is this still the passage?",
    "gone": "gone: does anything still say it?",
    "disputed": "disputed: which grade holds?",
    "candidate": "candidate: is it relevant?",
    "again": "judge again: how relevant is it?",
}

_HELP = """\
{grades}  the grade of what is shown: 0 is not relevant, {minimum} and above is relevant
y  proposed: it holds, with its old grade (a digit instead: it holds with this grade)
n  proposed or gone: it does not hold any more; nothing takes its place
p  proposed with several parts: say which of them hold
i  name the passage that answers the question, by its id
s  skip for now          u  undo your last answer
e  write a note first    m  show long texts whole
q  quit                  ?  this help"""


class Screen:
    """Writes items. texts: of the snapshot that is judged now; old_texts: of the one before, if it is stored."""

    def __init__(
        self, stream: TextIO, texts: PassageTexts | None, old_texts: PassageTexts | None = None, *, blind: bool = False
    ) -> None:
        from rich.console import Console

        width = None if stream.isatty() else 100
        self._console = Console(file=stream, width=width, highlight=False, emoji=False, markup=False)
        self._stream, self._texts, self._old_texts, self._blind = stream, texts, old_texts, blind

    def item(self, item: Item, progress: str, *, whole: bool = False) -> None:
        """Write all that there is to know before answering. whole: texts are not cut."""
        from rich.text import Text

        self._console.print()
        self._console.rule(Text(f"{progress} · {_TITLES[item.kind]}"), align="left", characters="─")
        for turn in item.query.history:
            self._say(turn, "dim")
        self._say(item.query.text or item.query.id, "bold")
        fields = " · ".join(f"{name} {value}" for name, value in item.query.fields.items() if value not in (None, ""))
        self._say(f"{item.query.id}{f' · {fields}' if fields else ''}", "dim")
        self._console.print()
        for text in self._judged(item, whole):
            self._console.print(text)
        for line in self._others(item):
            self._say(line, "cyan")

    def say(self, text: str) -> None:
        """Write a line."""
        self._say(text, "")

    def help(self, grades: str, min_grade: int) -> None:
        """Write what each key does. grades: like 0-2. min_grade: the lowest that is relevant."""
        self.say(_HELP.format(grades=grades, minimum=min_grade))

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

    def _judged(self, item: Item, whole: bool) -> Iterator["Text"]:
        from rich.text import Text

        old = self._old(item)
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
            yield from self._target(target, old, whole)
        if not item.targets and item.candidate and item.candidate.passage and self._texts:
            yield Text(f"seen: {visible(item.candidate.passage)}", "dim")

    def _target(self, target: Target, old: Shown | None, whole: bool) -> Iterator["Text"]:
        from rich.text import Text

        shown = self._texts.find(target.id, target.span) if self._texts else None
        if shown is None:
            yield Text("(no text: the snapshot at hand does not hold it)", "dim")
        elif old is None or old.whole == shown.whole:
            yield from _passage(shown, whole)
        else:
            if shown.title:
                yield Text(visible(shown.title), "bold")
            yield _difference(word_diff(old.whole, shown.whole), whole)

    def _old(self, item: Item) -> Shown | None:
        return self._old_texts.find(item.old.id, item.old.span) if item.old and self._old_texts else None

    def _others(self, item: Item) -> Iterator[str]:
        if self._blind:
            return
        for each in item.said:
            who = each.annotator or each.source
            note = f" ({one_line(each.note)})" if each.note else ""
            yield f"{who}: {each.grade}{' adjudicated' if each.adjudicated else ''}{note}"
        if item.candidate:
            yield f"{item.candidate.kind}, {item.candidate.source}: {one_line(item.candidate.why)}"


def _passage(shown: Shown, whole: bool) -> Iterator["Text"]:
    from rich.text import Text

    if shown.title:
        yield Text(visible(shown.title), "bold")
    text = Text(visible(shown.before), "dim" if shown.before else "")
    text.append(visible(_cut(shown.text, whole)), "reverse" if shown.before or shown.after else "")
    text.append(visible(shown.after), "dim")
    yield text


def _difference(pieces: Sequence[Piece], whole: bool) -> "Text":
    from rich.text import Text

    text = Text()
    for piece in pieces:
        shown = piece.text
        if piece.kind == "same" and len(shown) > _MOST_SAME and not whole:
            half = _MOST_SAME // 2
            shown = f"{shown[:half]} […] {shown[-half:]}"
        before, after = _MARKS[piece.kind]
        text.append(f"{before}{visible(shown)}{after}", _STYLES[piece.kind])
    return text


def _cut(text: str, whole: bool) -> str:
    left = len(text) - _MOST_SHOWN
    return text if whole or left <= 0 else f"{text[:_MOST_SHOWN]}\n[{left:,} more characters; m shows all]"
