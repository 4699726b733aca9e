"""One item of a review before it is drawn: the question, what is judged, what changed in it, what others said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from runner.alignment.word_diff import WordRun, word_diff
from runner.annotation.review.passage_texts import AROUND, DisplayedText, PassageTexts
from runner.annotation.review.queue import ReviewItem, Target
from runner.rendering.visible import one_line

# What did not change is cut in the middle where it is longer, and a text where it is longer still.
_MOST_SAME = 400
_MOST_SHOWN = 4000
_MOST_ASKED, _MOST_TURNS, _MOST_OTHERS = 300, 2, 3
# How much more of an old document is compared than of the new one: what moved within it is not new.
_WIDER = 4
_TITLES = {
    "proposed": "proposed: is this still the passage?",
    "gone": "gone: does anything still say it?",
    "disputed": "disputed: which grade holds?",
    "candidate": "candidate: is it relevant?",
    "again": "judge again: how relevant is it?",
}


@dataclass(frozen=True)
class Stretch:
    """Some text of one kind. change: same, removed or added. judged: part of what is judged, not of what is around it.

    opens, closes: a span that something surrounds begins, or ends, here.
    """

    text: str
    change: str = "same"
    judged: bool = True
    opens: bool = False
    closes: bool = False


@dataclass(frozen=True)
class Exhibit:
    """Something to read before judging. label: its id and the like; title: the path of titles that leads to it."""

    label: str = ""
    title: str = ""
    text: tuple[Stretch, ...] = ()
    missing: bool = False


@dataclass(frozen=True)
class Card:
    """All that a person is shown of one item. turns: the conversation before the question, the latest last."""

    progress: str
    asks: str
    turns: tuple[str, ...]
    question: str
    about: str
    was: str
    exhibits: tuple[Exhibit, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class Cards:
    """Makes cards. texts: of the snapshot that is judged now; old_texts: of the one before, if it is stored.

    blind: neither what others said, nor the old grade, nor why a candidate is one.
    """

    texts: PassageTexts | None
    old_texts: PassageTexts | None = None
    blind: bool = False

    def card(self, item: ReviewItem, progress: str, *, whole: bool = False) -> Card:
        """All there is to know before answering. whole: texts are not cut."""
        turns = item.query.history
        if turns[:-_MOST_TURNS] and not whole:
            turns = (f"({len(turns) - _MOST_TURNS} earlier turns; m shows all)", *turns[-_MOST_TURNS:])
        fields = " · ".join(f"{name} {value}" for name, value in item.query.fields.items() if value not in (None, ""))
        others = tuple(self._others(item))
        if others[_MOST_OTHERS:] and not whole:
            others = (*others[: _MOST_OTHERS - 1], f"({len(others) - _MOST_OTHERS + 1} more; m shows all)")
        return Card(
            progress, _TITLES[item.kind], tuple(_shortened(turn, whole) for turn in turns),
            _shortened(item.query.text or item.query.id, whole), f"{item.query.id}{f' · {fields}' if fields else ''}",
            self._was(item), tuple(self._exhibits(item, whole)), others,
        )  # fmt: skip

    def _was(self, item: ReviewItem) -> str:
        if item.old is None:
            return ""
        grade = "" if self.blind or item.old.grade is None else f" (grade {item.old.grade})"
        why = f": {one_line(item.entry.note)}" if item.entry and item.entry.note else ""
        return f"was: {item.old.id}{grade}{why}"

    def _exhibits(self, item: ReviewItem, whole: bool) -> Iterator[Exhibit]:
        if not item.targets and (old := self._old(item, AROUND)):
            yield _exhibit("", old, whole)
        for number, target in enumerate(item.targets, 1):
            which = f"{number}. " if len(item.targets) > 1 else ""
            alike = item.entry.similarity if item.entry else None
            share = "" if alike is None else f" ({alike:.0%} alike)"
            yield self._target(f"{which}{target.id}{share}", target, self._old(item, _WIDER * AROUND), whole)
        if not item.targets and item.candidate and item.candidate.passage and self.texts:
            displayed = self.texts.passage(item.candidate.passage)
            label = item.candidate.passage
            yield _exhibit(label, displayed, whole) if displayed else Exhibit(label)

    def _target(self, label: str, target: Target, old: DisplayedText | None, whole: bool) -> Exhibit:
        displayed = self.texts.find(target.id, target.span) if self.texts else None
        if displayed is None:
            return Exhibit(label, missing=True)
        runs = _differences(old, displayed) if old else ()
        if all(run.kind == "same" for run in runs):
            return _exhibit(label, displayed, whole)
        return Exhibit(label, displayed.title, tuple(_changes(runs, displayed, whole)))

    def _old(self, item: ReviewItem, around: int) -> DisplayedText | None:
        return self.old_texts.find(item.old.id, item.old.span, around) if item.old and self.old_texts else None

    def _others(self, item: ReviewItem) -> Iterator[str]:
        if self.blind:
            return
        for each in item.said:
            note = f" ({one_line(each.note)})" if each.note else ""
            yield f"{each.rater}: {each.grade}{' adjudicated' if each.adjudicated else ''}{note}"
        if item.candidate:
            yield f"{item.candidate.kind}, {item.candidate.source}: {one_line(item.candidate.why)}"


def _exhibit(label: str, displayed: DisplayedText, whole: bool) -> Exhibit:
    """A text in which nothing changed. A span is marked where something surrounds it."""
    marked = _surrounded(displayed)
    judged = Stretch(_cut(displayed.text, whole), opens=marked, closes=marked)
    around = (Stretch(displayed.before, judged=False), judged, Stretch(displayed.after, judged=False))
    return Exhibit(label, displayed.title, tuple(each for each in around if each.text or each.judged))


def _surrounded(displayed: DisplayedText) -> bool:
    return bool(displayed.before or displayed.after)


def _differences(old: DisplayedText, new: DisplayedText) -> Sequence[WordRun]:
    """What changed in what is judged and around it. More is known of the old text around it, which is not gone."""
    runs = word_diff(old.whole, new.whole)
    if runs and runs[0].kind == "removed" and new.before:
        runs = runs[1:]
    if runs and runs[-1].kind == "removed" and new.after:
        runs = runs[:-1]
    return runs


def _changes(runs: Sequence[WordRun], displayed: DisplayedText, whole: bool) -> Iterator[Stretch]:
    """The changes in one text, with marks where what is judged begins and ends now, wherever it did before."""
    begin, end = len(displayed.before), len(displayed.before) + len(displayed.text)
    marked = _surrounded(displayed)
    at = 0
    for run in runs:
        if run.kind == "removed":
            yield Stretch(_middle_cut(run.text, whole), "removed")
            continue
        stop_at = at + len(run.text)
        edges = sorted({at, stop_at, *(each for each in (begin, end) if at < each < stop_at)})
        for start, stop in pairwise(edges):
            part = run.text[start - at : stop - at]
            yield Stretch(
                _middle_cut(part, whole) if run.kind == "same" else part, run.kind, begin <= start < end,
                opens=marked and start == begin, closes=marked and stop == end,
            )  # fmt: skip
        at = stop_at


def _middle_cut(text: str, whole: bool) -> str:
    half = _MOST_SAME // 2
    return text if whole or len(text) <= _MOST_SAME else f"{text[:half]} […] {text[-half:]}"


def _shortened(text: str, whole: bool) -> str:
    left = len(text) - _MOST_ASKED
    return text if whole or left <= 0 else f"{text[:_MOST_ASKED]} [{left:,} more characters; m shows all]"


def _cut(text: str, whole: bool) -> str:
    left = len(text) - _MOST_SHOWN
    return text if whole or left <= 0 else f"{text[:_MOST_SHOWN]}\n[{left:,} more characters; m shows all]"
