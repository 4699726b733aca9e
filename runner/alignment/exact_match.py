"""Passages whose own text is equal in both snapshots: what became of those is certain, or is not decided at all."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable

from runner.alignment.unresolved import SHORT, Undecided
from runner.snapshots import Passage


def match_bodies(undecided: Undecided) -> None:
    """Settle the passages that certainly are what they were.

    A text says what it says under its title, the path of its headings: that has to be equal, or to have been renamed.
    The same id goes first, then the same document, then a text that only one passage had and only one has.
    """
    for id_, passage in list(undecided.before.items()):
        other = undecided.after.get(undecided.heir(passage) or "")
        if other and _same_fact(undecided, passage, other):
            undecided.same(id_, other.id)
    _pair(
        undecided,
        lambda passage: (undecided.counterpart.get(passage.document), passage.title, undecided.old_body[passage.id]),
        lambda passage: (passage.document, passage.title, undecided.new_body[passage.id]),
    )
    once_after = {undecided.new_body[id_]: id_ for id_ in undecided.after}
    for id_, passage in list(undecided.before.items()):
        body = undecided.old_body[id_]
        found = once_after.get(body) if body.strip() else None
        once = undecided.old_count[body] == undecided.new_count[body] == 1
        other = undecided.after[found] if found and once else None
        if other and (_same_fact(undecided, passage, other) or undecided.renamed(passage, other)):
            undecided.same(id_, other.id)


def propose_bodies(undecided: Undecided, short: bool) -> None:
    """Propose what has the same text elsewhere, where which is which, or whether it means the same, is not certain.

    short: also texts so short that they were better looked for by their heading before.
    """

    def body_if_long(body: str) -> str | None:
        return body if body.strip() and (short or len(body) >= SHORT) else None

    for id_, passage in list(undecided.before.items()):
        heir = undecided.heir(passage)
        if heir in undecided.after and undecided.old_body[id_] == undecided.new_body[heir] and undecided.old_body[id_]:
            undecided.alike(id_, heir)
    before, after = (
        _grouped(side.values(), lambda passage, of=bodies: body_if_long(of[passage.id]))  # type: ignore[misc]
        for side, bodies in ((undecided.before, undecided.old_body), (undecided.after, undecided.new_body))
    )
    for body in before.keys() & after.keys():
        olds, news = before[body], after[body]
        here = _grouped(news, lambda passage: passage.document)
        for document, those in _grouped(olds, lambda each: undecided.counterpart.get(each.document)).items():
            if len(those) == len(here.get(document, ())) == 1:
                undecided.alike(those[0].id, here[document][0].id)
        old_ids = [each.id for each in olds if each.id in undecided.before]
        new_ids = [each.id for each in news if each.id in undecided.after]
        if old_ids and new_ids:
            undecided.say("edited", old_ids, new_ids, 1.0)


def _same_fact(undecided: Undecided, old: Passage, new: Passage) -> bool:
    return old.title == new.title and undecided.old_body[old.id] == undecided.new_body[new.id]


def _pair(undecided: Undecided, old_key: Callable[[Passage], Hashable], new_key: Callable[[Passage], Hashable]) -> None:
    before, after = _grouped(undecided.before.values(), old_key), _grouped(undecided.after.values(), new_key)
    for key, olds in before.items():
        if len(olds) == len(after.get(key, ())) == 1:
            undecided.same(olds[0].id, after[key][0].id)


def _grouped(passages: Iterable[Passage], key: Callable[[Passage], Hashable]) -> dict[Hashable, list[Passage]]:
    found: dict[Hashable, list[Passage]] = defaultdict(list)
    for passage in passages:
        group = key(passage)
        if group is not None:
            found[group].append(passage)
    return found
