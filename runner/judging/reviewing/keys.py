"""Which keys answer an item of a review, and how they are told."""

from collections.abc import Mapping

from runner.judging.reviewing.queue import Item


def takes_grades(item: Item) -> bool:
    """Whether a grade answers the item: something is shown that can have one."""
    return bool(item.targets) or bool(item.candidate and item.candidate.passage)


def letters_of(item: Item) -> Mapping[str, str]:
    """The letters that answer an item, and what each says."""
    if item.kind == "proposed":
        parts = {"p": "some parts of it hold: say which"} if len(item.targets) > 1 else {}
        return {
            "y": "it holds, with its old grade (a digit instead: it holds with this grade)",
            "n": "it does not hold any more, and nothing takes its place",
            **parts,
            "i": "something else answers the question: name it",
        }
    if item.kind == "gone":
        return {"n": "nothing takes its place", "i": "something else answers the question: name it"}
    if item.candidate is None:
        return {}
    if item.targets:
        return {"i": "something else answers the question: name it"}
    if item.candidate.passage:
        words = {"y": "some of its words, or all of them, answer the question", "n": "it is not relevant"}
        return {**words, "i": "other words answer the question: name them"}
    return {"i": "name what answers the question", "n": "nothing answers the question"}


def keys_of(item: Item, grades: str, min_grade: int) -> Mapping[str, str]:
    """All that answers an item, and what it says. grades: like 0-2. min_grade: the lowest that is relevant."""
    scale = f"the grade of what is shown: 0 is not relevant, {min_grade} and above is relevant"
    return {**({grades: scale} if takes_grades(item) else {}), **letters_of(item)}


def question(item: Item, grades: str, note: str) -> str:
    """The prompt: what may be answered. note: what the person has written so far."""
    own = {
        "proposed": f"y holds, n does not, {grades} holds with this grade",
        "gone": "n nothing says it, i name what does",
    }.get(item.kind, grades)
    if len(item.targets) > 1:
        own = f"{own}, p some parts"
    if item.candidate and not item.targets:
        own = f"{own}, y some words, n none" if item.candidate.passage else "i name what answers it, n nothing does"
    written = f" [note: {note}]" if note else ""
    return f"{own} · s skip, u undo, e note, q quit, ? help{written} >"
