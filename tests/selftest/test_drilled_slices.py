"""The exercises of each slice: on a sound instrument all are noticed, and a broken one fails the drill."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drill_library import Library, library_queries, named, question, verdicts_of
from engine_world import double

from runner.errors import ConfigError, InputError
from runner.scoring import evaluate as module
from runner.scoring.evaluate import JudgedSet
from runner.scoring.metric_names import parse_metric
from runner.scoring.metrics.hit import Hit
from runner.scoring.metrics.recall import Recall
from runner.scoring.slices import Slices
from runner.selftest.check import FAILED, NOT_APPLICABLE, NOTICED, Check, Drill
from runner.selftest.verdicts import most_lost
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Span, Suite

GROUPS = {
    "relevant_items.one",
    "query_length.long",
    "query_length.medium",
    "query_length.short",
    "language.en",
    "language.zh",
    "topic.limit",
    "topic.price",
    "language x topic.en x limit",
    "language x topic.en x price",
    "language x topic.zh x limit",
    "language x topic.zh x price",
}
UNITS = ("passage", "document", "span")


def test_the_library_is_answered_perfectly(library: Library) -> None:
    with library.sandbox() as sandbox:
        assert library.measured(sandbox).evaluation.overall["recall"] == 1.0


@pytest.mark.parametrize("unit", UNITS)
def test_every_slice_of_every_unit_is_noticed(library: Library, unit: str) -> None:
    library.unit = unit
    drill = library.drill()
    assert not drill.failed
    assert set(drill.slices) <= GROUPS
    assert {"language.zh", "topic.limit", "language x topic.en x price"} <= set(drill.slices)
    for name in ("remove", "refuse", "update"):
        assert set(verdicts_of(drill, name).values()) == {NOTICED}


def test_the_figures_are_those_of_the_slice(library: Library) -> None:
    drill = library.drill()
    removed = named(drill, "remove", "language.zh")
    # One of 20 questions in Chinese has lost its only section.
    assert (removed.before, removed.after, removed.n) == (1.0, pytest.approx(0.95), 20)
    assert len(removed.what) == 1
    assert "needed by 1; of the 39 others 0 fell (by 0 together), 0 rose" in removed.reason
    refused = named(drill, "refuse", "language.zh")
    assert refused.what[0] in refused.reason
    assert refused.n == 1
    updated = named(drill, "update", "language.zh")
    assert (updated.before, updated.after) == (1.0, 1.0)
    assert f"revision {drill.revision} -> " in updated.reason


def test_two_questions_about_one_page_both_lose(library: Library) -> None:
    library.unit = "document"
    removed = named(library.drill(), "remove", "topic.limit")
    # Each page is needed by one question on its limit and one on its price.
    assert (removed.before, removed.after, removed.n) == (1.0, pytest.approx(0.95), 20)
    assert "needed by 2; of the 38 others" in removed.reason


def test_slices_share_a_copy_where_they_can(library: Library) -> None:
    library.pages = {f"{letter}.md": f"{letter}\n" for letter in "abcd"}
    one, two = (question(id_, id_, [f"{page}.md#top"], topic=id_, kind="r") for id_, page in (("q1", "b"), ("q2", "a")))
    library.asked, library.slices = (one, two), ("topic", "kind")
    library.told = double("Fixed", rankings={"q1": ["b.md#top"], "q2": ["a.md#top"]})
    drill = library.drill(fields=["topic", "kind"])
    assert {each.group: each.what for each in drill.checks if each.name == "remove"} == {
        "topic.q1": ("b.md#top",),
        "topic.q2": ("a.md#top",),
        "kind.r": ("a.md#top",),
    }
    # By itself `kind` takes the first by id; after the topic that needs b, the same as that.
    library.asked = (one, replace(two, fields={"kind": "r"}))
    assert named(library.drill(fields=["topic", "kind"]), "remove", "kind.r").what == ("b.md#top",)


def test_only_the_named_fields_are_drilled(library: Library) -> None:
    assert library.drill(fields=["language"]).slices == ("language.en", "language.zh")
    assert set(library.drill(fields=["topic", "language x topic"]).slices) == {
        each for each in GROUPS if each.startswith(("topic", "language x topic"))
    }


def test_a_field_without_slices_is_refused(library: Library) -> None:
    with pytest.raises(ConfigError, match=r"slices=colour: no slice of that field; there are: .*language, topic"):
        library.drill(fields=["language", "colour"])


def test_the_suite_has_to_fit_before_anything_is_drilled(library: Library) -> None:
    library.asked = (question("q1", "quota alder", ["en/nobody.md#limit"], language="en", topic="limit"),)
    library.slices = ()
    with pytest.raises(InputError, match=r"en/nobody\.md"):
        library.drill()


@pytest.mark.parametrize("allowed", [False, True])
def test_a_holdout_is_not_looked_at(library: Library, allowed: bool) -> None:
    library.role = "holdout"
    with pytest.raises(ConfigError, match=r"a drill needs no holdout.*; drill core"):
        library.drill(allow_holdout=allowed)


def test_without_a_scored_query_there_is_nothing_to_drill(library: Library) -> None:
    library.asked = (JudgedQuery("q1", "nobody knows", {}, answerable=False),)
    library.slices = ()
    with pytest.raises(InputError, match="no scored query, nothing to drill"):
        library.drill()


@pytest.mark.parametrize("unit", UNITS)
def test_without_the_existence_check_the_drill_fails(
    library: Library, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    monkeypatch.setattr(Suite, "check", lambda self, snapshot: None)
    library.unit = unit
    drill = library.drill()
    assert drill.failed
    assert set(verdicts_of(drill, "refuse").values()) == {FAILED}
    assert "not refused" in named(drill, "refuse", "language.en").reason
    # The other exercises do not depend on it.
    assert set(verdicts_of(drill, "remove").values()) == {NOTICED}


def test_a_check_that_lets_what_is_missing_pass_as_a_miss_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = JudgedSet.of.__func__  # type: ignore[attr-defined]

    def lenient(cls: type[JudgedSet], suite: Suite, snapshot: Snapshot, freshness: object = None) -> JudgedSet:
        known = {*snapshot.units("passage")}
        kept = tuple(
            replace(query, grades={id_: grade for id_, grade in query.grades.items() if id_ in known})
            for query in suite.queries
        )
        laid: JudgedSet = of(cls, replace(suite, queries=kept), snapshot, freshness)
        return laid

    monkeypatch.setattr(Suite, "check", lambda self, snapshot: None)
    monkeypatch.setattr(JudgedSet, "of", classmethod(lenient))
    refused = named(library.drill(), "refuse", "language.en")
    assert refused.verdict == FAILED
    assert refused.reason.count("it would be reported as a miss") == 2


def only(keep: Callable[[JudgedQuery], JudgedQuery | None]) -> Callable[[Suite, Snapshot], None]:
    """A check that looks at a part of the judgments."""
    check = Suite.check

    def partly(self: Suite, snapshot: Snapshot) -> None:
        check(replace(self, queries=tuple(filter(None, map(keep, self.queries)))), snapshot)

    return partly


def cut_to(query: JudgedQuery, kept: slice) -> JudgedQuery:
    return replace(query, grades=dict(list(query.grades.items())[kept]))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kept", [slice(1), slice(-1, None)], ids=["first", "last"])
def test_a_check_of_one_judgment_a_query_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch, unit: str, kept: slice
) -> None:
    monkeypatch.setattr(Suite, "check", only(lambda query: cut_to(query, kept)))
    library.unit = unit
    drill = library.drill()
    assert set(verdicts_of(drill, "refuse").values()) == {FAILED}


@pytest.mark.parametrize("place", [0, -1])
def test_a_check_of_one_query_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    check = Suite.check
    monkeypatch.setattr(
        Suite, "check", lambda self, snapshot: check(replace(self, queries=(self.queries[place],)), snapshot)
    )
    assert set(verdicts_of(library.drill(), "refuse").values()) == {FAILED}


def test_what_is_judged_not_relevant_may_be_gone(library: Library) -> None:
    def also(query: JudgedQuery) -> JudgedQuery:
        return replace(query, grades={**query.grades, "en/alder.md#price": int(query.id == "alder-price")})

    library.asked = tuple(map(also, library_queries("passage")))
    refused = named(library.drill(fields=["topic"]), "refuse", "topic.price")
    assert (refused.verdict, refused.n, refused.what) == (NOTICED, 1, ("en/alder.md#price",))


def test_a_refusal_that_does_not_name_what_is_missing_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Suite.check

    def vague(self: Suite, snapshot: Snapshot) -> None:
        try:
            check(self, snapshot)
        except InputError:
            raise InputError("something is missing") from None

    monkeypatch.setattr(Suite, "check", vague)
    refused = named(library.drill(), "refuse", "topic.limit")
    assert refused.verdict == FAILED
    assert refused.reason.startswith("removed: 1 not refused by name, such as 'en/")


def test_a_recall_that_does_not_move_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recall, "per_query", lambda self, found, k: np.full(len(found.length), 0.5))
    library.unit = "document"
    drill = library.drill()
    assert set(verdicts_of(drill, "remove").values()) == {FAILED}
    for group in drill.slices:
        loser = named(drill, "remove", group).reason.partition("though query '")[2].partition("'")[0]
        [query] = [each for each in library_queries("document") if each.id == loser]
        assert group.startswith("language.zh") <= (query.fields["language"] == "zh")
        assert group.startswith("topic.price") <= (query.fields["topic"] == "price")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", ["precision", "ndcg"])
def test_another_metric_that_does_not_move_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch, name: str, unit: str
) -> None:
    constant = lambda self, found, k: np.full(len(found.length), 0.5)  # noqa: E731
    monkeypatch.setattr(type(parse_metric(name)), "per_query", constant)
    library.unit = unit
    drill = library.drill()
    if (name, unit) != ("precision", "span"):
        assert set(verdicts_of(drill, "remove").values()) == {FAILED}
        assert f"but {name} did not fall" in named(drill, "remove", "language.zh").reason
    assert named(drill, "shuffle").verdict == FAILED


@pytest.mark.parametrize("name", ["rbp(p=0.8)", "mrr@10"])
def test_a_chosen_metric_that_rises_with_a_loss_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    cls = type(parse_metric(name))
    sound = cls.per_query
    monkeypatch.setattr(cls, "per_query", lambda self, found, k: 1.0 - sound(self, found, k))
    removed = named(library.drill(metrics=[name]), "remove", "language.zh")
    assert removed.verdict == FAILED
    assert f"lost something relevant, but {parse_metric(name).of_query} rose" in removed.reason


def test_a_metric_that_rises_with_a_loss_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Hit.per_query
    monkeypatch.setattr(Hit, "per_query", lambda self, found, k: 1.0 - sound(self, found, k))
    removed = named(library.drill(), "remove", "language.zh")
    assert removed.verdict == FAILED
    assert "lost something relevant, but hit rose" in removed.reason


def test_of_spans_precision_may_rise_where_others_fall(library: Library) -> None:
    # a's section shows two spans; without it, b's two show one together, and are two passages that are right.
    library.pages = {
        "a.md": "# a\n\n## One\n\nFirst. Second.\n",
        "b.md": "# b\n\n## One\n\nxxxx.\n\n## Two\n\nyyyy.\n",
        "c.md": "c\n",
    }
    spans = [Span("a.md", "First."), Span("a.md", "Second."), Span("b.md", "xxxx. ## Two yyyy.")]
    library.unit, library.slices = "span", ()
    library.asked = (
        JudgedQuery("q1", "text", {each.id: 1 for each in spans}, spans={each.id: each for each in spans}),
    )
    told = {"q1": ["a.md#one", "b.md#one", "c.md#top", "b.md#two"]}
    library.told = {"_target_": "drill_doubles.Rising", "watched": "a.md", "told": told, "otherwise": told}
    removed = named(library.drill(), "remove", "relevant_items.several")
    assert (removed.verdict, removed.what) == (NOTICED, ("a.md#one",))
    assert "recall alone" not in removed.reason


def moving_up(library: Library, *queries: JudgedQuery) -> Library:
    """q1 needs a, b and e of which two are in the first 3; without a and b, e is the first."""
    library.pages, library.slices = {f"{letter}.md": f"{letter}\n" for letter in "abcdefgh"}, ("topic",)
    library.asked = queries
    told = {"q1": [f"{each}.md#top" for each in "habe"], "q2": ["d.md#top"]}
    library.told = {
        "_target_": "drill_doubles.Rising",
        "watched": "b.md",
        "told": told,
        "otherwise": {**told, "q1": ["e.md#top"]},
    }
    return library


def test_what_moves_up_is_passed_over_where_another_passage_tells_more(library: Library) -> None:
    one = question("q1", "q1", ["a.md#top", "b.md#top", "e.md#top"], topic="x")
    both = moving_up(library, one, question("q2", "q2", ["d.md#top"], topic="x"))
    assert named(both.drill(), "remove", "topic.x").what == ("d.md#top",)
    removed = named(moving_up(library, one).drill(), "remove", "topic.x")
    assert (removed.verdict, removed.what) == (NOTICED, ("a.md#top", "b.md#top"))
    assert "what is left of query 'q1' moved up, so that recall alone tells" in removed.reason


def test_a_retriever_that_always_gives_the_same_fails_the_drill(library: Library) -> None:
    drill = library.drill(double("Counting"))
    assert drill.failed
    shuffled = named(drill, "shuffle")
    assert shuffled.verdict == FAILED
    assert "no better than chance before" in shuffled.reason
    # It finds nothing in Chinese, so nothing can be lost there.
    chinese = named(drill, "remove", "language.zh")
    assert chinese.verdict == NOT_APPLICABLE
    assert "none of its queries finds anything relevant in the first 3" in chinese.reason


def test_others_that_fall_fail_the_drill(library: Library) -> None:
    removed = named(library.drill({"_target_": "drill_doubles.Brittle", "passages": 40}), "remove", "language.en")
    assert removed.verdict == FAILED
    assert "queries that need nothing of it lost more than 1 query's worth" in removed.reason


@pytest.mark.parametrize(("others", "most"), [(0, 1), (39, 1), (1000, 1), (3490, 3.49)])
def test_others_may_lose_one_query_s_worth_in_a_thousand(others: int, most: float) -> None:
    assert most_lost(others) == pytest.approx(most)


@pytest.mark.parametrize("name", ["recall", "ndcg", "mrr"])
def test_a_mean_that_does_not_follow_its_queries_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    right = module._means

    def skewed(*arguments: Any) -> dict[str, dict[str, float]]:
        table = right(*arguments)
        if table[""]["recall"] < 1:
            table["topic.price"][name] -= 0.01
        return table

    monkeypatch.setattr(module, "_means", skewed)
    removed = named(library.drill(), "remove", "language.en")
    assert removed.verdict == FAILED
    assert (
        f"means are not those of their queries: {name} of topic.price moved by -0.01, its queries by 0"
        in removed.reason
    )


def test_a_mean_that_does_not_come_back_with_its_queries_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, calls = module._means, []

    def skewed(*arguments: Any) -> dict[str, dict[str, float]]:
        table = right(*arguments)
        calls.append(table[""]["recall"])
        if len(calls) > 1 and table[""]["recall"] == 1:
            table["topic.price"]["recall"] -= 0.01
        return table

    monkeypatch.setattr(module, "_means", skewed)
    updated = named(library.drill(), "update", "language.en")
    assert updated.verdict == FAILED
    assert "topic.price moved by -0.01, its queries by 0" in updated.reason


def rising(library: Library, *queries: JudgedQuery, **told: str) -> Library:
    """Without a.md, q2 finds d.md, which it had not ranked at all."""
    library.pages = {f"{letter}.md": f"{letter}\n" for letter in "abcd"}
    library.asked, library.slices = queries, ("topic",)
    rankings = {id_: [f"{letter}.md#top" for letter in ranked] for id_, ranked in told.items()}
    library.told = {
        "_target_": "drill_doubles.Rising",
        "watched": "a.md",
        "told": rankings,
        "otherwise": {**rankings, "q2": ["d.md#top"]},
    }
    return library


def test_the_next_passage_is_tried_where_another_query_gains_what_was_lost(library: Library) -> None:
    one, two = (question(id_, id_, [f"{page}.md#top"], topic="x") for id_, page in (("q1", "a"), ("q2", "d")))
    three = question("q3", "q3", ["b.md#top"], topic="x")
    removed = named(rising(library, one, two, three, q1="a", q2="c", q3="b").drill(), "remove", "topic.x")
    assert removed.verdict == NOTICED
    assert removed.what == ("b.md#top",)
    assert (removed.before, removed.after) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_a_slice_that_always_gains_as_much_proves_nothing(library: Library) -> None:
    one, two = (question(id_, id_, [f"{page}.md#top"], topic="x") for id_, page in (("q1", "a"), ("q2", "d")))
    drill = rising(library, one, two, q1="a", q2="c").drill()
    removed = named(drill, "remove", "topic.x")
    assert removed.verdict == NOT_APPLICABLE
    assert "other queries of the slice gain as much; needed by 1; of the 1 others 0 fell" in removed.reason
    assert (removed.before, removed.after) == (0.5, 0.5)
    assert named(drill, "refuse", "topic.x").verdict == NOTICED


def test_slices_that_hold_the_wrong_queries_fail_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    right = module.slice_queries

    def shifted(*arguments: object, **named: object) -> Slices:
        slices = right(*arguments, **named)  # type: ignore[arg-type]
        return Slices(slices.names, np.roll(slices.members, 1, axis=1))

    monkeypatch.setattr(module, "slice_queries", shifted)
    removed = named(library.drill(), "remove", "topic.limit")
    assert removed.verdict == FAILED
    assert "the slice" in removed.reason
    assert "whose own value is" in removed.reason


def test_derived_slices_that_hold_the_wrong_queries_fail_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = module.slice_queries

    def shifted(*arguments: object, **named: object) -> Slices:
        slices = right(*arguments, **named)  # type: ignore[arg-type]
        own = [not name.startswith(("query_length", "relevant_items")) for name in slices.names]
        return Slices(
            slices.names, np.where(np.array(own)[:, None], slices.members, np.roll(slices.members, 1, axis=1))
        )

    first, *rest = library_queries("passage")
    other = replace(first, text="quota alder quota alder", grades={**first.grades, "zh/甲.md#額度": 1})
    library.asked = (other, *rest)
    sound = library.drill(fields=["relevant_items", "query_length", "language"])
    assert not sound.failed
    monkeypatch.setattr(module, "slice_queries", shifted)
    drill = library.drill(fields=["relevant_items", "query_length", "language"])
    for group in drill.slices:
        right_queries = group.startswith("language")
        assert (named(drill, "remove", group).verdict == NOTICED) == right_queries
    reason = named(drill, "remove", "relevant_items.several").reason
    assert reason == "the slice lacks query 'alder-limit', whose own value is several"


def test_freshness_is_left_to_the_slices_themselves(library: Library) -> None:
    library.asked = tuple(replace(query, fields={"updated": "2026-09-30"}) for query in library_queries("passage"))
    library.slices = ()
    drill = library.drill(fields=["freshness"], slicing={"freshness": {"field": "updated", "days": [30]}})
    assert drill.slices == ("freshness.0-30 days",)
    assert not drill.failed


def test_a_revision_that_stays_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suite, "revision", "0123456789abcdef")
    drill = library.drill()
    assert set(verdicts_of(drill, "update").values()) == {FAILED}
    assert "the revision is still 0123456789abcdef" in named(drill, "update", "language.zh").reason


def test_a_score_that_does_not_come_back_fails_the_drill(library: Library) -> None:
    updated = named(library.drill({"_target_": "drill_doubles.Remembering"}), "update", "language.en")
    assert updated.verdict == FAILED
    assert (updated.before, updated.after) == (1.0, pytest.approx(0.95))
    assert "1 queries did not come back" in updated.reason


def test_another_metric_that_does_not_come_back_fails_the_drill(library: Library) -> None:
    updated = named(library.drill({"_target_": "drill_doubles.Demoting"}), "update", "language.en")
    assert updated.verdict == FAILED
    assert (updated.before, updated.after) == (1.0, 1.0)
    assert updated.reason == "1 queries did not come back to what they were in ndcg, rr, ap"


def test_a_retriever_that_cannot_rank_the_copy_says_nothing_of_the_instrument(library: Library) -> None:
    drill = library.drill({"_target_": "drill_doubles.Refusing", "passages": 40})
    removed = named(drill, "remove", "language.en")
    assert removed.verdict == NOT_APPLICABLE
    assert "made for 40 passages" in removed.reason
    assert named(drill, "refuse", "language.en").verdict == NOTICED
    assert named(drill, "update", "language.en").verdict == NOTICED
    assert named(drill, "duplicate").verdict == NOT_APPLICABLE


def test_a_drill_that_proves_nothing_has_failed(library: Library) -> None:
    nothing = Check("swap", "", NOT_APPLICABLE, "no file")
    assert Drill("core", "", "passage", "", "bm25", "", 3, 13, (nothing,)).failed
    seen = Check("shuffle", "", NOTICED, "")
    assert not Drill("core", "", "passage", "", "bm25", "", 3, 13, (nothing, seen)).failed


def test_a_question_in_no_mean_is_never_the_one_that_loses(library: Library) -> None:
    asked = list(library.suite(library.settings({})).queries)
    waiting = replace(asked[0], judged=False, grades=dict.fromkeys(asked[0].grades, 0))
    nothing = JudgedQuery("a", "no answer", {}, {"language": "en"}, answerable=False)
    library.asked = (nothing, waiting, *asked[1:])
    drill = library.drill()
    assert not drill.failed
    assert named(drill, "remove", "language.en").n == 19


def test_values_that_are_no_text_are_read_as_the_slices_read_them(library: Library) -> None:
    library.asked = tuple(
        replace(query, fields={"flag": number % 2 == 0, "tags": ["a", "b"] if number % 3 else [], "level": number % 2})
        for number, query in enumerate(library.suite(library.settings({})).queries)
    )
    library.slices = ("flag", "tags", "level", "flag x level")
    drill = library.drill(fields=library.slices)
    assert set(drill.slices) == {
        "flag.true",
        "flag.false",
        "tags.a+b",
        "level.0",
        "level.1",
        "flag x level.true x 0",
        "flag x level.false x 1",
    }
    assert not drill.failed


def test_a_field_whose_name_begins_another_s_is_told_apart(library: Library) -> None:
    library.asked = tuple(
        replace(query, fields={"kind": "r", "kind.sub": "y" if number % 2 else "x"})
        for number, query in enumerate(library.suite(library.settings({})).queries)
    )
    library.slices = ("kind", "kind.sub")
    drill = library.drill(fields=["kind"])
    assert drill.slices == ("kind.r", "kind.sub.x", "kind.sub.y")
    assert not drill.failed
