"""A changed wording on one line, cut to what changed, in brackets for a terminal and as Markdown."""

from collections.abc import Sequence

from runner.alignment.difference import Difference
from runner.alignment.passage_change import PassageChange
from runner.alignment.word_diff import WordRun
from runner.rendering.markdown import escape

_BRACKETS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_TAGS = {"same": ("", ""), "removed": ("<del>", "</del>"), "added": ("<ins>", "</ins>")}
_CUT = "…"
# How far off a word may end, and how much is shown where nothing changed.
_WORD = 12
_ALONE = 60


def excerpt(runs: Sequence[WordRun], around: int, most: int) -> list[WordRun]:
    """The changes with at most `around` equal characters at their sides, and about `most` characters in all.

    White space is single spaces; what is left out is an ellipsis.
    """
    shown: list[WordRun] = []
    left = most
    for position, run in enumerate(runs):
        if left <= 0:
            shown.append(WordRun("same", f" {_CUT}"))
            break
        text = _flat(run.text)
        if run.kind == "same":
            text = _shortened(text, 0 if position == 0 else around, 0 if position == len(runs) - 1 else around)
        elif len(text) > left:
            text = text[:left] + _CUT
        left -= len(text)
        shown.append(WordRun(run.kind, text))
    return [run for run in shown if run.text]


def _flat(text: str) -> str:
    """One line, with a single space at an end where there was white space."""
    flat = " ".join(text.split())
    if not flat:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{flat}{' ' if text[-1].isspace() else ''}"


def _shortened(text: str, head: int, tail: int) -> str:
    """Keep so much of the beginning and of the end; 0 keeps as much on the side that touches a change only."""
    if head and tail:
        return text if len(text) <= head + tail + 10 else f"{_head(text, head)}{_CUT}{_tail(text, tail)}"
    keep = head or tail
    if not keep:
        return text if len(text) <= _ALONE else f"{_head(text, _ALONE)}{_CUT}"
    if len(text) <= keep + 10:
        return text
    return f"{_head(text, keep)}{_CUT}" if head else f"{_CUT}{_tail(text, keep)}"


def _head(text: str, length: int) -> str:
    """About so much of the beginning, up to the end of a word if one ends near there."""
    end = text.find(" ", length, length + _WORD)
    return text[: length if end < 0 else end]


def _tail(text: str, length: int) -> str:
    start = text.rfind(" ", max(0, len(text) - length - _WORD), len(text) - length)
    return text[len(text) - length if start < 0 else start + 1 :]


def wording_of(difference: Difference, change: PassageChange, around: int, most: int) -> list[WordRun]:
    """The changed wording cut to what changed; a remark where no word did."""
    runs = difference.wording(change)
    several = len(change.old) != 1 or len(change.new) != 1
    if change.kind == "edited" and several:
        return [WordRun("same", "several passages have these words; which became which cannot be told")]
    if all(run.kind == "same" for run in runs):
        same_words = "the words are the same"
        if change.kind != "edited" or change.old == change.new:
            return [WordRun("same", same_words)]
        return [
            WordRun(
                "same",
                f"{same_words}, the title is not: {difference.old_title(change.old[0])!r} -> "
                f"{difference.new_title(change.new[0])!r}",
            )
        ]
    if not any(run.text.strip() for run in runs if run.kind != "same"):
        return [WordRun("same", "only white space changed")]
    return excerpt(runs, around, most)


def in_brackets(runs: Sequence[WordRun]) -> str:
    """What went as `[-old-]`, what came as `{+new+}`."""
    return "".join(f"{_BRACKETS[run.kind][0]}{run.text}{_BRACKETS[run.kind][1]}" for run in runs)


def as_markdown(runs: Sequence[WordRun]) -> str:
    """A changed wording on one line of Markdown: what went struck out, what came underlined."""
    parts = []
    for run in runs:
        before, after = _TAGS[run.kind]
        text = run.text
        inner = escape(text)
        left = " " if text[:1].isspace() else ""
        right = " " if text[-1:].isspace() and inner else ""
        parts.append(f"{left}{before}{inner}{after}{right}" if inner else left)
    return "".join(parts)
