"""A difference as a person reads it at the terminal: the whole in counts, and the first of each kind."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from runner.alignment.difference import Difference
from runner.alignment.impact import JudgmentImpact, QueryImpact
from runner.alignment.passage_change import PassageChange
from runner.alignment.word_diff import WordRun
from runner.rendering.terminal import show
from runner.suites import Suite

if TYPE_CHECKING:
    from rich.text import Text
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from runner.snapshots import Snapshot

MOST = 10
_MOST_NAMES = 4
_AROUND, _LONGEST = 30, 280
_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_STYLES = {"same": "", "removed": "red", "added": "green"}
_LEVELS = ("with something gone", "with something to confirm", "only moved")
PROPOSALS = ("edited", "split", "merged")


def print_difference(difference: Difference, labels: tuple[str, str], stream: TextIO) -> None:
    """Print counts, documents, passages by kind, and the queries of each suite that are touched."""
    show(_shown(difference, labels), stream)


def _shown(difference: Difference, labels: tuple[str, str]) -> "Iterator[str | Text]":
    yield from _heads(difference, labels)
    yield from _document_lines(difference)
    for kind in PROPOSALS:
        yield from _proposal_lines(difference, kind)
    yield from _move_lines(difference)
    yield from _list_lines(difference)
    for suite, impacts in difference.impacts:
        yield from impact_lines(suite, impacts)


def _heads(difference: Difference, labels: tuple[str, str]) -> Iterator[str]:
    for side, label, snapshot in zip(("old", "new"), labels, (difference.old, difference.new), strict=True):
        yield f"{side} {label}: {len(snapshot.documents):,} documents, {len(snapshot.passages):,} passages"
    yield f"documents  {count_words(difference.document_counts)}"
    yield f"passages   {count_words(difference.counts)}"


def count_words(counts: Mapping[str, int]) -> str:
    """Kinds with how many there are, those of which there is none left out."""
    return ", ".join(f"{number:,} {kind}" for kind, number in counts.items() if number) or "none"


def _document_lines(difference: Difference) -> Iterator[str]:
    documents = difference.documents
    renamed = [f"{old} -> {new}" for old, new in documents.renamed.items()]
    for kind, ids in (("renamed", renamed), ("removed", documents.removed), ("added", documents.added)):
        if ids:
            yield f"\ndocuments {kind} ({len(ids):,})"
            yield from _first([f"  {id_}" for id_ in ids])


def _first(lines: Sequence[str], what: str = "") -> Iterator[str]:
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield f"  ... and {len(lines) - MOST:,} more{what} (all with out=FOLDER)"


def _proposal_lines(difference: Difference, kind: str) -> Iterator["Text | str"]:
    changes = difference.of_kind(kind)
    if changes:
        yield f"\n{kind} ({len(changes):,})"
    for change in changes[:MOST]:
        yield f"  {heading(change)}{_judged(difference, change)}"
        yield _inline(wording_of(difference, change, _AROUND, _LONGEST))
    if len(changes) > MOST:
        yield f"  ... and {len(changes) - MOST:,} more (all with out=FOLDER)"


def heading(change: PassageChange) -> str:
    """Which passages, and how alike they are."""
    old, new = _some(change.old), _some(change.new)
    return f"{old if old == new else f'{old} -> {new}'}  {similarity_text(change.similarity)}"


def similarity_text(similarity: float) -> str:
    """Two decimals, cut and not rounded: 1.00 only where every word is left."""
    return f"{int(similarity * 100 + 1e-9) / 100:.2f}"


def _some(ids: Sequence[str]) -> str:
    more = f" + {len(ids) - _MOST_NAMES} more" if len(ids) > _MOST_NAMES else ""
    return " + ".join(ids[:_MOST_NAMES]) + more


def _judged(difference: Difference, change: PassageChange) -> str:
    queries = list(dict.fromkeys(query for id_ in change.old for query in difference.judged.get(id_, ())))
    more = ", ..." if len(queries) > _MOST_NAMES else ""
    return f"  judged by {', '.join(queries[:_MOST_NAMES])}{more}" if queries else ""


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


def _inline(runs: Sequence[WordRun]) -> "Text":
    from rich.text import Text

    line = Text("      ")
    for run in runs:
        before, after = _MARKS[run.kind]
        line.append(f"{before}{run.text}{after}", _STYLES[run.kind])
    return line


def _move_lines(difference: Difference) -> Iterator[str]:
    found = moves(difference.passages, difference.old, difference.new)
    if found:
        yield f"\nmoved ({difference.counts['moved']:,})"
    lines = []
    for move in found:
        where = f"within {move.old}" if move.old == move.new else f"{move.old} -> {move.new}"
        names = move.names()
        more = f", ... {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        lines.append(f"  {where}: {', '.join(names[:_MOST_NAMES])}{more}")
    yield from _first(lines, " pages")


def _list_lines(difference: Difference) -> Iterator[str]:
    gone = difference.of_kind("gone")
    if gone:
        yield f"\ngone ({len(gone):,})"
        yield from _first([f"  {change.old[0]}{_judged(difference, change)}" for change in gone])
    added = Counter(difference.document_of(change.new[0]) for change in difference.of_kind("added"))
    if added:
        yield f"\nadded ({sum(added.values()):,})"
        new = {*difference.documents.added}
        yield from _first(
            [f"  {id_}{' (new)' if id_ in new else ''}: {number:,}" for id_, number in sorted(added.items())], " pages"
        )


def impact_lines(suite: Suite, impacts: Sequence[QueryImpact]) -> Iterator[str]:
    """How many queries of a suite are touched, and the first, those with the gravest changes before the others."""
    yield f"\nsuite {suite.name} ({suite.revision}): {len(impacts):,} of {len(suite.queries):,} queries are touched"
    if not impacts:
        return
    gravest = [min(_gravity(impact) for impact in each.judgments_hit) for each in impacts]
    levels = {name: gravest.count(level) for level, name in enumerate(_LEVELS)}
    yield f"  queries: {count_words(levels)}"
    yield f"  judgments: {count_words(Counter(impact.kind for each in impacts for impact in each.judgments_hit))}"
    ordered = [each for _, each in sorted(zip(gravest, impacts, strict=True), key=lambda pair: pair[0])]
    lines = [
        f"  {each.query.id} {each.query.text!r}: {'; '.join(map(impact_words, each.judgments_hit))}" for each in ordered
    ]
    yield from _first(lines, " queries")


def _gravity(impact: JudgmentImpact) -> int:
    if impact.stands:
        return 2
    return {"gone": 0, "removed": 0, "moved": 2, "renamed": 2}.get(impact.kind, 1)


def impact_words(impact: JudgmentImpact) -> str:
    """What became of one judged thing."""
    grade = "" if impact.grade else "not relevant, "
    to = f" -> {_some(impact.new)}" if impact.new and impact.new != (impact.id,) else ""
    stands = ", its words still stand" if impact.stands else ""
    return f"{grade}{impact.kind} {impact.id}{to}{stands}"


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


@dataclass(frozen=True, slots=True)
class Move:
    """old, new: documents. passages: old id and new id of each."""

    old: str
    new: str
    passages: tuple[tuple[str, str], ...]

    def names(self) -> list[str]:
        """The passages by what follows the document in their ids, old and new where they differ."""
        return [
            f"{_name(old, self.old)} -> {_name(new, self.new)}"
            if _name(old, self.old) != _name(new, self.new)
            else _name(old, self.old)
            for old, new in self.passages
        ]


def moves(changes: Iterable[PassageChange], old: Snapshot, new: Snapshot) -> list[Move]:
    """Group the moved passages by their documents, the most first."""
    before = {passage.id: passage.document for passage in old.passages}
    after = {passage.id: passage.document for passage in new.passages}
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for change in changes:
        if change.kind == "moved":
            found[before[change.old[0]], after[change.new[0]]].append((change.old[0], change.new[0]))
    grouped = [Move(one, other, tuple(pairs)) for (one, other), pairs in found.items()]
    return sorted(grouped, key=lambda move: (-len(move.passages), move.old, move.new))


def _name(id_: str, document: str) -> str:
    return id_.removeprefix(document) or id_
