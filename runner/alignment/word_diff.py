"""Which words changed between two texts."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from runner.alignment.shingles import Coder, is_chinese, tokens_of

# Beyond this many pairs of words a text is compared line by line: the exact way needs a bit for each pair.
_MOST_PAIRS = 50_000_000


@dataclass(frozen=True, slots=True)
class WordRun:
    """A run of text that both have (same), only the old one (removed) or only the new one (added)."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(slots=True)
class _Block:
    """Words that are equal (only `old` is filled), or what stands in place of what."""

    equal: bool
    old: list[str]
    new: list[str]


def word_diff(old: str, new: str) -> tuple[WordRun, ...]:
    """Compare two texts word by word, Chinese character by character, by their longest common sequence.

    What is same or removed joins to the old text, what is same or added to the new one. A few equal words between two
    larger changes are taken into the change, since a sentence that was written anew reads better whole.
    """
    before, after = tokens_of(old), tokens_of(new)
    if len(before) * len(after) > _MOST_PAIRS:
        before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
        blocks = list(_line_blocks(before, after))
    else:
        blocks = list(_word_blocks(before, after))
    return tuple(_pieces(_smooth(blocks)))


def _word_blocks(before: Sequence[str], after: Sequence[str]) -> Iterator[_Block]:
    from rapidfuzz.distance import Indel

    coder = Coder()
    operations = Indel.opcodes(coder.encode(list(before)), coder.encode(list(after)))
    for each in operations:
        old, new = before[each.src_start : each.src_end], after[each.dest_start : each.dest_end]
        yield _Block(each.tag == "equal", list(old), [] if each.tag == "equal" else list(new))


def _line_blocks(before: Sequence[str], after: Sequence[str]) -> Iterator[_Block]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        equal = tag == "equal"
        yield _Block(equal, list(before[start:end]), [] if equal else list(after[new_start:new_end]))


def _smooth(blocks: Sequence[_Block]) -> list[_Block]:
    """Join neighbouring changes, and those that only a few words or none keep apart."""
    joined: list[_Block] = []
    for block in blocks:
        joined.append(_Block(block.equal, list(block.old), list(block.new)))
        while _collapse(joined):
            pass
    return joined


def _collapse(blocks: list[_Block]) -> bool:
    """Join the last two blocks if both are changes, or the last three if the equal one between is negligible."""
    if len(blocks) < 2 or blocks[-1].equal:
        return False
    if not blocks[-2].equal:
        last = blocks.pop()
        blocks[-1].old += last.old
        blocks[-1].new += last.new
        return True
    if len(blocks) > 2 and _negligible(blocks[-2], blocks[-3], blocks[-1]):
        last, kept = blocks.pop(), blocks.pop()
        blocks[-1].old += kept.old + last.old
        blocks[-1].new += kept.old + last.new
        return True
    return False


def _negligible(kept: _Block, before: _Block, after: _Block) -> bool:
    if any("\n" in piece for piece in kept.old):
        # Changes of two lines stay apart.
        return False
    # A Chinese character is half a word that was kept, and a whole one that changed.
    words = _count(kept.old) - 0.5 * sum(map(is_chinese, kept.old))
    return not words or all(2 * words <= max(_count(each.old), _count(each.new)) for each in (before, after))


def _count(tokens: Sequence[str]) -> int:
    return sum(any(map(str.isalnum, token)) for token in tokens)


def _pieces(blocks: Sequence[_Block]) -> Iterator[WordRun]:
    for block in blocks:
        if block.equal:
            yield WordRun("same", "".join(block.old))
            continue
        if block.old:
            yield WordRun("removed", "".join(block.old))
        if block.new:
            yield WordRun("added", "".join(block.new))
