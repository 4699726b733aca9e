"""A difference as a person reads it at the terminal: the whole in counts, and the first of each kind."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from runner.alignment.difference import Difference
from runner.alignment.impact import JudgmentImpact, QueryImpact
from runner.alignment.passage_change import PassageChange
from runner.alignment.word_diff import WordRun
from runner.rendering.terminal import show
from runner.reports.wording import in_brackets, wording_of
from runner.suites import Suite

if TYPE_CHECKING:
    from rich.text import Text

MOST = 10
_MOST_NAMES = 4
_AROUND, _LONGEST = 30, 280
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
        yield _coloured(wording_of(difference, change, _AROUND, _LONGEST))
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


def _coloured(runs: Sequence[WordRun]) -> "Text":
    from rich.text import Text

    return Text.assemble("      ", *((in_brackets([run]), _STYLES[run.kind]) for run in runs))


def _move_lines(difference: Difference) -> Iterator[str]:
    found = difference.moves()
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
