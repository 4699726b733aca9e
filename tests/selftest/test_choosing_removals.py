"""What is removed for each slice: as little as makes the slice fall for certain."""

from dataclasses import replace

import numpy as np
from drill_library import Library, question
from engine_world import double

from runner.selftest.removal_choice import Removal, RemovalOrder
from runner.selftest.sandbox import struck_out
from runner.suites import JudgedQuery

PAGES = {f"en/{letter}.md": f"{letter}\n" for letter in "abcdefgh"}


def a(letter: str) -> str:
    return f"en/{letter}.md#top"


def laid(library: Library, rankings: dict[str, str], *queries: JudgedQuery) -> Library:
    """A library whose retriever ranks letters as it is told."""
    library.pages = PAGES
    library.asked = queries
    library.slices = ("topic",)
    library.told = double("Fixed", rankings={id_: [a(each) for each in ranked] for id_, ranked in rankings.items()})
    return library


def chosen(library: Library, *groups: str, k: int = 3) -> dict[str, Removal | None]:
    with library.sandbox(k=k) as sandbox:
        return first(RemovalOrder(sandbox, library.measured(sandbox)), *groups)


def first(chooser: RemovalOrder, *groups: str) -> dict[str, Removal | None]:
    """The first choice for each slice in turn."""
    found = {}
    for group in groups:
        found[group] = next(chooser.removals(group), None)
        if found[group]:
            chooser.take(found[group])
    return found


def targets(found: Removal | None) -> tuple[str, ...]:
    assert found is not None
    return found.targets


def told(found: Removal | None) -> tuple[tuple[str, ...], int, frozenset[int]]:
    assert found is not None
    return found.targets, found.query, found.affected


def test_one_passage_is_enough_where_a_query_finds_everything(library: Library) -> None:
    laid(library, {"q1": "abcd"}, question("q1", "one", [a("a"), a("c")], topic="x"))
    assert len(targets(chosen(library, "topic.x")["topic.x"])) == 1


def test_a_passage_that_no_other_slice_needs_goes_first(library: Library) -> None:
    laid(
        library,
        {"q1": "ab", "q2": "a"},
        question("q1", "one", [a("a"), a("b")], topic="x"),
        question("q2", "two", [a("a")], topic="y"),
    )
    found = chosen(library, "topic.x", "topic.y")
    assert targets(found["topic.x"]) == (a("b"),)
    assert targets(found["topic.y"]) == (a("a"),)
    assert told(found["topic.y"]) == ((a("a"),), 1, {0, 1})


def test_as_many_go_as_make_the_fall_certain(library: Library) -> None:
    # Two of five are found in the first 3: less than two are left for certain once four are gone.
    laid(library, {"q1": "abhcde"}, question("q1", "one", [a(each) for each in "abcde"], topic="x"))
    assert len(targets(chosen(library, "topic.x")["topic.x"])) == 4


def test_nothing_is_chosen_where_nothing_is_found(library: Library) -> None:
    laid(
        library,
        {"q1": "hgfa", "q2": "b"},
        question("q1", "one", [a("a")], topic="x"),
        question("q2", "two", [a("b")], topic="y"),
    )
    found = chosen(library, "topic.x", "topic.y")
    assert found["topic.x"] is None
    assert targets(found["topic.y"]) == (a("b"),)


def test_slices_share_a_removal_that_is_equally_good(library: Library) -> None:
    laid(
        library,
        {"q1": "b", "q2": "a"},
        question("q1", "one", [a("b")], topic="x", kind="r"),
        question("q2", "two", [a("a")], topic="z", kind="r"),
    )
    library.slices = ("topic", "kind")
    found = chosen(library, "topic.x", "kind.r")
    assert targets(found["topic.x"]) == (a("b"),)
    # Without the first slice it would be the first by id.
    assert targets(found["kind.r"]) == (a("b"),)
    assert targets(chosen(library, "kind.r")["kind.r"]) == (a("a"),)


def test_what_lets_the_slice_gain_as_much_is_passed_over(library: Library) -> None:
    # Without a, query 2 finds d in its place: the mean would stay. Without b, nothing moves up.
    laid(
        library,
        {"q1": "abc", "q2": "aefd", "q3": "b"},
        question("q1", "one", [a("a")], topic="x"),
        question("q2", "two", [a("d")], topic="x"),
        question("q3", "three", [a("b")], topic="x"),
    )
    assert targets(chosen(library, "topic.x")["topic.x"]) == (a("b"),)
    with library.sandbox(k=3) as sandbox:
        every = list(RemovalOrder(sandbox, library.measured(sandbox)).removals("topic.x"))
    assert [each.targets for each in every] == [(a("b"),), (a("a"),)]


def test_judged_and_not_relevant_is_neither_needed_nor_removed(library: Library) -> None:
    first = replace(question("q1", "one", [a("a")], topic="x"), grades={a("a"): 1, a("b"): 0})
    laid(library, {"q1": "ba", "q2": "b"}, first, question("q2", "two", [a("b")], topic="y"))
    found = chosen(library, "topic.x", "topic.y")
    assert targets(found["topic.x"]) == (a("a"),)
    assert told(found["topic.y"]) == ((a("b"),), 1, {1})


def test_a_whole_document_goes_where_documents_are_judged_and_a_passage_for_a_span(library: Library) -> None:
    for unit, page, sign in (("document", "en/alder.md", "zh/丁.md"), ("span", "en/alder.md#limit", "zh/丁.md#價格")):
        library.unit = unit
        with library.sandbox() as sandbox:
            found = first(RemovalOrder(sandbox, library.measured(sandbox)), "topic.limit", "language.zh")
        assert targets(found["topic.limit"]) == (page,)
        assert targets(found["language.zh"]) == (sign,)


def test_struck_out_rows_leave_the_others_in_order(library: Library) -> None:
    with library.sandbox() as sandbox:
        measured = library.measured(sandbox)
    rankings = measured.rankings
    struck = [False] * len(measured.job.stage.snapshot.passages)
    first = int(rankings.one(0)[0][0])
    struck[first] = True
    left = struck_out(rankings, np.array(struck))
    assert left.one(0)[0].tolist() == rankings.one(0)[0].tolist()[1:]
    assert len(left) == len(rankings)
    assert all(first not in left.one(number)[0].tolist() for number in range(len(left)))
