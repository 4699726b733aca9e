"""What became of the documents between two snapshots."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.alignment.shingles import Coder, near_pairs, shingles_of, words
from runner.alignment.unresolved import SHORT
from runner.documents.document import Document
from runner.snapshots import Snapshot

# A page under another id is the same one if at least so much of its wording is left, and no other page is near that.
_LEAST = 0.75
_MARGIN = 0.1


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """Document ids, sorted. same: title, text and fields are equal. changed: any of them is not. renamed: old -> new.

    A renamed document is in no other group, whether its text is the same or only very similar.
    """

    same: tuple[str, ...]
    changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: Mapping[str, str]


def compare_documents(old: Snapshot, new: Snapshot) -> DocumentChanges:
    """Compare by id; what is left on both sides is renamed where it has the same text, or nearly.

    A text that several pages have makes a pair only under the same file name. Similarity is that of words (Chinese:
    characters) in the same order, 2c / (a + b): at least 0.75, and 0.1 more than with any other page.
    """
    before = {document.id: document for document in old.documents}
    after = {document.id: document for document in new.documents}
    both = sorted(before.keys() & after.keys())
    same = tuple(id_ for id_ in both if before[id_].sha256 == after[id_].sha256)
    changed = tuple(sorted({*both} - {*same}))
    removed = [before[id_] for id_ in sorted(before.keys() - after.keys())]
    added = [after[id_] for id_ in sorted(after.keys() - before.keys())]
    renamed = _same_text(removed, added)
    # A text that both sides have is followed above or not at all.
    left_out = {each.text for each in removed} & {each.text for each in added}
    renamed |= _similar_text(
        [each for each in removed if each.text not in left_out], [each for each in added if each.text not in left_out]
    )
    taken = set(renamed.values())
    return DocumentChanges(
        same,
        changed,
        tuple(each.id for each in added if each.id not in taken),
        tuple(each.id for each in removed if each.id not in renamed),
        dict(sorted(renamed.items())),
    )


def _same_text(removed: Sequence[Document], added: Sequence[Document]) -> dict[str, str]:
    olds, news = _by_text(removed), _by_text(added)
    found: dict[str, str] = {}
    for text in olds.keys() & news.keys():
        if len(olds[text]) == len(news[text]) == 1:
            one, other = olds[text][0], news[text][0]
            if len(text) >= SHORT or (one.title == other.title and text.strip()):
                found[one.id] = other.id
            continue
        named_before, named_after = _by_name(olds[text]), _by_name(news[text])
        for name, ids in named_before.items():
            if len(ids) == len(named_after.get(name, ())) == 1 and text.strip():
                found[ids[0]] = named_after[name][0]
    return found


def _by_text(documents: Sequence[Document]) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        found[document.text].append(document)
    return found


def _by_name(documents: Sequence[Document]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        found[document.id.rpartition("/")[2]].append(document.id)
    return found


def _similar_text(removed: Sequence[Document], added: Sequence[Document]) -> dict[str, str]:
    if not removed or not added:
        return {}
    from rapidfuzz.distance import Indel

    coder = Coder()
    olds, news = ([coder.encode(words(each.text)) for each in side] for side in (removed, added))
    near = near_pairs(list(map(shingles_of, olds)), list(map(shingles_of, news)), [-1] * len(olds), [-1] * len(news))
    by_old: dict[int, list[tuple[float, int]]] = defaultdict(list)
    by_new: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for row, column in zip(near.old.tolist(), near.new.tolist(), strict=True):
        similarity = Indel.normalized_similarity(olds[row], news[column])
        by_old[row].append((similarity, column))
        by_new[column].append((similarity, row))
    found = {}
    for row, candidates in by_old.items():
        similarity, column = max(candidates)
        long = min(len(removed[row].text), len(added[column].text)) >= SHORT
        clear = _clear(candidates) and _clear(by_new[column]) and max(by_new[column])[1] == row
        if similarity >= _LEAST and clear and (long or removed[row].title == added[column].title):
            found[removed[row].id] = added[column].id
    return found


def _clear(candidates: Sequence[tuple[float, int]]) -> bool:
    ranked = sorted(candidates, reverse=True)
    return len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= _MARGIN
