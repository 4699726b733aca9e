"""Passages whose own text is equal in both snapshots: what became of those is certain, or is not decided at all."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable

from runner.alignment.unresolved import SHORT, UnresolvedPassages
from runner.snapshots import Passage


def match_exactly(unresolved: UnresolvedPassages) -> None:
    """Settle the passages that certainly are what they were.

    A text says what it says under its title, the path of its headings: that has to be equal, or to have been renamed.
    The same id goes first, then the same document, then a text that only one passage had and only one has.
    """
    for id_, passage in list(unresolved.before.items()):
        other = unresolved.after.get(unresolved.expected_id(passage) or "")
        if other and _same_fact(unresolved, passage, other):
            unresolved.settle_same(id_, other.id)
    _pair(
        unresolved,
        lambda passage: (unresolved.counterpart.get(passage.document), passage.title, unresolved.old_body[passage.id]),
        lambda passage: (passage.document, passage.title, unresolved.new_body[passage.id]),
    )
    once_after = {unresolved.new_body[id_]: id_ for id_ in unresolved.after}
    for id_, passage in list(unresolved.before.items()):
        body = unresolved.old_body[id_]
        found = once_after.get(body) if body.strip() else None
        once = unresolved.old_count[body] == unresolved.new_count[body] == 1
        other = unresolved.after[found] if found and once else None
        if other and (_same_fact(unresolved, passage, other) or unresolved.renamed(passage, other)):
            unresolved.settle_same(id_, other.id)


def propose_exact(unresolved: UnresolvedPassages, short: bool) -> None:
    """Propose what has the same text elsewhere, where which is which, or whether it means the same, is not certain.

    short: also texts so short that they were better looked for by their heading before.
    """

    def body_if_long(body: str) -> str | None:
        return body if body.strip() and (short or len(body) >= SHORT) else None

    for id_, passage in list(unresolved.before.items()):
        expected_id = unresolved.expected_id(passage)
        if (
            expected_id in unresolved.after
            and unresolved.old_body[id_] == unresolved.new_body[expected_id]
            and unresolved.old_body[id_]
        ):
            unresolved.propose_same_words(id_, expected_id)
    before, after = (
        _grouped(side.values(), lambda passage, of=bodies: body_if_long(of[passage.id]))  # type: ignore[misc]
        for side, bodies in ((unresolved.before, unresolved.old_body), (unresolved.after, unresolved.new_body))
    )
    for body in before.keys() & after.keys():
        olds, news = before[body], after[body]
        here = _grouped(news, lambda passage: passage.document)
        for document, those in _grouped(olds, lambda each: unresolved.counterpart.get(each.document)).items():
            if len(those) == len(here.get(document, ())) == 1:
                unresolved.propose_same_words(those[0].id, here[document][0].id)
        old_ids = [each.id for each in olds if each.id in unresolved.before]
        new_ids = [each.id for each in news if each.id in unresolved.after]
        if old_ids and new_ids:
            unresolved.settle("edited", old_ids, new_ids, 1.0)


def _same_fact(unresolved: UnresolvedPassages, old: Passage, new: Passage) -> bool:
    return old.title == new.title and unresolved.old_body[old.id] == unresolved.new_body[new.id]


def _pair(
    unresolved: UnresolvedPassages, old_key: Callable[[Passage], Hashable], new_key: Callable[[Passage], Hashable]
) -> None:
    before, after = _grouped(unresolved.before.values(), old_key), _grouped(unresolved.after.values(), new_key)
    for key, olds in before.items():
        if len(olds) == len(after.get(key, ())) == 1:
            unresolved.settle_same(olds[0].id, after[key][0].id)


def _grouped(passages: Iterable[Passage], key: Callable[[Passage], Hashable]) -> dict[Hashable, list[Passage]]:
    found: dict[Hashable, list[Passage]] = defaultdict(list)
    for passage in passages:
        group = key(passage)
        if group is not None:
            found[group].append(passage)
    return found
