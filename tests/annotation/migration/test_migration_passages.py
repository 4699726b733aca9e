"""Judged passages in another snapshot: carried where the text is the same, proposed or gone where it is not."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from migration_world import LIMITS, OTHER, ZH_LIMITS, moved, outcomes, pages, query, snapshot

from runner.alignment.passage_change import PassageChange
from runner.annotation.migration import passage_follower
from runner.annotation.migration.migrate import migrate
from runner.chunkers.base import Chunk
from runner.documents import Document
from runner.errors import InputError
from runner.suites import Judgment, Suite

TWO_SECTIONS = f"a.md\n# Limits\n\n{LIMITS}\n\n# Size\n\n{OTHER}"


@pytest.mark.parametrize("text", [LIMITS, ZH_LIMITS])
def test_the_same_text_is_carried(tmp_path: Path, text: str) -> None:
    old = snapshot(pages(f"a.md\n# 限制\n\n{text}"))
    new = snapshot(pages(f"a.md\n# 限制\n\n{text}", f"b.md\n# More\n\n{OTHER}"))
    migration = moved(tmp_path, [query("q1", "a.md#限制")], old, new)
    assert outcomes(migration) == [("carried", "a.md#限制", ["a.md#限制"])]
    assert migration.new.queries[0].grades == {"a.md#限制": 1}
    assert migration.new.queries[0].judged
    assert migration.new.snapshot == new.id
    assert migration.whole


@pytest.mark.parametrize("text", [LIMITS, ZH_LIMITS])
def test_the_same_text_is_proposed_where_its_heading_got_a_new_name(tmp_path: Path, text: str) -> None:
    old = snapshot(pages(f"a.md\n# Limits\n\n{text}\n\n# Size\n\n{OTHER}"))
    new = snapshot(pages(f"a.md\n# Rates\n\n{text}\n\n# Size\n\n{OTHER}"))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
    assert outcomes(migration) == [("proposed", "a.md#limits", ["a.md#rates"])]
    assert (migration.entries[1].similarity, migration.entries[1].note) == (1.0, "same text, other heading")
    # A heading that was there before, or still is, may say something else of the same words.
    for before, after in (
        ("# Limits\n\n{}\n\n# Rates\n\nx", "# Rates\n\n{}"),
        ("# Limits\n\n{}", "# Rates\n\n{}\n\n# Limits\n\nx"),
        ("# Free\n\n## Limits\n\n{}", "# Team\n\n## Limits\n\n{}"),
    ):
        old, new = (snapshot(pages(f"a.md\n{page.format(text)}\n\n# Size\n\n{OTHER}")) for page in (before, after))
        migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
        assert [what for what, *_ in outcomes(migration)] == ["proposed"]
        assert migration.new.queries[0].grades == {}


def test_a_few_words_under_a_heading_of_a_new_name_are_proposed(tmp_path: Path) -> None:
    old, new = (snapshot(pages(f"a.md\n# {name}\n\n100 a minute\n\n# Size\n\n{OTHER}")) for name in ("Limits", "Rates"))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
    assert outcomes(migration) == [("proposed", "a.md#limits", ["a.md#rates"])]


@pytest.mark.parametrize("text", [LIMITS, ZH_LIMITS])
def test_texts_that_changed_places_under_their_headings_are_proposed(tmp_path: Path, text: str) -> None:
    other = text.replace("hundred", "thousand").replace("一百", "九千")
    page = "a.md\n# Limits\n\n## Free plan\n\n{}\n\n## Enterprise plan\n\n{}"
    old, new = snapshot(pages(page.format(text, other))), snapshot(pages(page.format(other, text)))
    migration = moved(tmp_path, [query("q1", "a.md#free-plan")], old, new)
    assert outcomes(migration) == [("proposed", "a.md#free-plan", ["a.md#enterprise-plan"])]


def test_a_renamed_page_takes_its_judgments_along(tmp_path: Path) -> None:
    old = snapshot(pages(TWO_SECTIONS, title="Limits"))
    renamed = TWO_SECTIONS.replace("a.md", "guide/b.md")
    for new in (snapshot(pages(renamed, title="Limits")), snapshot(pages(f"{renamed}\n\n# More", title="Limits"))):
        migration = moved(tmp_path, [query("q1", "a.md#limits", "a.md#size")], old, new)
        assert outcomes(migration) == [
            ("carried", "a.md#limits", ["guide/b.md#limits"]),
            ("carried", "a.md#size", ["guide/b.md#size"]),
        ]


def test_the_same_text_under_the_same_headings_of_another_page_is_proposed(tmp_path: Path) -> None:
    old = snapshot(pages(TWO_SECTIONS, f"b.md\n{ZH_LIMITS}", title="Limits"))
    more = f"b.md\n{ZH_LIMITS}\n\n# Limits\n\n{LIMITS}\n\n# Else\n\nMuch more that was never said."
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, snapshot(pages(more, title="Limits")))
    assert outcomes(migration) == [("proposed", "a.md#limits", ["b.md#limits"])]
    assert migration.entries[1].note == "same text, on another page"


def test_a_window_of_text_under_another_heading_is_proposed(tmp_path: Path) -> None:
    page = "a.md\n{}\n\n# {} plan\n\n{}"
    old, new = (snapshot(pages(page.format(OTHER, plan, LIMITS)), Parts(LIMITS)) for plan in ("Free", "Enterprise"))
    assert outcomes(moved(tmp_path, [query("q1", "a.md#part")], old, old))[0][0] == "carried"
    assert outcomes(moved(tmp_path, [query("q1", "a.md#part")], old, new))[0][0] == "proposed"


@pytest.mark.parametrize(("text", "word", "other"), [(LIMITS, "hundred", "thousand"), (ZH_LIMITS, "一百", "兩百")])
def test_an_edited_passage_is_proposed_and_its_query_waits(tmp_path: Path, text: str, word: str, other: str) -> None:
    old = snapshot(pages(f"a.md\n# Limits\n\n{text}"))
    new = snapshot(pages(f"a.md\n# Limits\n\n{text.replace(word, other)}"))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
    (entry,) = migration.entries[1:]
    assert (entry.what, entry.new) == ("proposed", ({"id": "a.md#limits", "grade": 1},))
    assert entry.similarity is not None
    assert 0.8 < entry.similarity < 1
    assert migration.waiting == ("q1",)
    assert (migration.new.queries[0].judged, migration.new.queries[0].grades) == (False, {})
    assert not migration.whole


def test_a_passage_that_was_taken_out_is_gone(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(f"a.md\n# Size\n\n{OTHER}"))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
    assert outcomes(migration) == [("gone", "a.md#limits", [])]
    assert migration.waiting == ("q1",)


def test_a_few_words_under_another_heading_are_never_carried(tmp_path: Path) -> None:
    old = snapshot(pages("a.md\n# Free\n\n100 per minute\n\n# Team\n\n300 per minute"))
    new = snapshot(pages("a.md\n# Free\n\n50 per minute\n\n# Team\n\n100 per minute"))
    migration = moved(tmp_path, [query("q1", "a.md#free", "a.md#team")], old, new)
    assert {what for what, *_ in outcomes(migration)} <= {"proposed", "gone"}


def test_nothing_on_a_page_of_another_title_is_carried(tmp_path: Path) -> None:
    old = snapshot((Document("a.md", "Free plan", "100 per minute"), Document("b.md", "Size", OTHER)))
    new = snapshot((Document("a.md", "Team plan", "100 per minute"), Document("b.md", "Sizes", OTHER)))
    migration = moved(tmp_path, [query("q1", "a.md#top", "b.md#top")], old, new)
    assert outcomes(migration) == [("proposed", "a.md#top", ["a.md#top"]), ("proposed", "b.md#top", ["b.md#top"])]
    assert [entry.similarity for entry in migration.entries[1:]] == [1.0, 1.0]


def test_an_empty_page_stays_what_it_is(tmp_path: Path) -> None:
    old = snapshot((Document("a.md", "Empty", ""), *pages(f"b.md\n{OTHER}")))
    new = snapshot((Document("a.md", "Empty", ""), *pages(f"b.md\n{LIMITS}")))
    migration = moved(tmp_path, [query("q1", "a.md#top")], old, new)
    assert outcomes(migration) == [("carried", "a.md#top", ["a.md#top"])]


@dataclass(frozen=True)
class Parts:
    """Cuts every page where the same words stand, one after the other, without titles of their own."""

    words: str
    names: tuple[str, ...] = ("part",)

    def split(self, document: Document) -> list[Chunk]:
        starts = [found.start() for found in re.finditer(re.escape(self.words), document.text)]
        return [
            Chunk(start, start + len(self.words), document.title, name)
            for start, name in zip(starts, self.names, strict=True)
        ]


@pytest.mark.parametrize(("other", "title"), [(OTHER, "a.md"), (ZH_LIMITS, "Other")])
def test_another_text_is_not_carried_whatever_the_comparison_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, title: str
) -> None:
    old = snapshot((Document("a.md", "a.md", f"{LIMITS}\n\n# More\n\n{ZH_LIMITS}"),))
    new = snapshot((Document("a.md", title, f"{other}\n\n# More\n\nSomething else."),))
    wrong = (PassageChange("moved", ("a.md#top",), ("a.md#top",), 1.0),)
    monkeypatch.setattr(passage_follower, "compare_passages", lambda *_: wrong)
    assert [what for what, *_ in outcomes(moved(tmp_path, [query("q1", "a.md#top")], old, new))] == ["proposed"]


def test_a_text_that_now_stands_twice_is_not_guessed(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n# Limits\n\n{LIMITS}\n\n# Size\n\n{OTHER}"))
    new = snapshot(pages(f"a.md\n# Rates\n\n{LIMITS}\n\n# Bounds\n\n{LIMITS}\n\n# Size\n\n{OTHER}"))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
    assert [what for what, *_ in outcomes(migration)] == ["proposed"]


def test_one_that_may_be_either_of_two_with_the_same_title_and_text_is_not_guessed(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n{LIMITS} {LIMITS}"), Parts(LIMITS, ("one", "two")))
    new = snapshot(pages(f"a.md\n{LIMITS} {OTHER}"), Parts(LIMITS, ("three",)))
    migration = moved(tmp_path, [query("q1", "a.md#two")], old, new)
    assert outcomes(migration) == [("proposed", "a.md#two", ["a.md#three"])]
    assert migration.entries[1].note == "same text, other surroundings"


def test_what_was_split_is_proposed_to_its_parts(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n# Limits\n\n{LIMITS}\n\n{OTHER}"))
    new = snapshot(pages(f"a.md\n# Limits\n\n{LIMITS}\n\n# Size\n\n{OTHER}"))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
    assert [(what, sorted(ids)) for what, _, ids in outcomes(migration)] == [("proposed", ["a.md#limits", "a.md#size"])]


def test_only_what_is_pending_holds_a_query_back_and_what_was_carried_waits_in_the_record(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS.replace("hundred", "thousand")))
    rows = [query("both", "a.md#limits", "a.md#size"), query("size", "a.md#size")]
    migration = moved(tmp_path, rows, old, new)
    assert migration.waiting == ("both",)
    both, size = migration.new.queries
    assert (both.judged, both.grades) == (False, {})
    assert (size.judged, size.grades) == (True, {"a.md#size": 1})
    assert ("carried", "a.md#size", ["a.md#size"]) in outcomes(migration)
    assert migration.judgments == {"carried": 2, "proposed": 1}


def test_pending_zeros_hold_nothing_back(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS.replace("hundred", "thousand")))
    migration = moved(tmp_path, [query("q1", "a.md#size", {"id": "a.md#limits", "grade": 0})], old, new)
    assert migration.waiting == ()
    assert (migration.new.queries[0].judged, migration.new.queries[0].grades) == (True, {"a.md#size": 1})
    assert not migration.whole


def test_a_pending_grade_below_the_bar_holds_back_too_since_it_counts_in_ndcg(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS.replace("hundred", "thousand")))
    rows = [query("q1", {"id": "a.md#size", "grade": 2}, {"id": "a.md#limits", "grade": 1})]
    migration = moved(tmp_path, rows, old, new, "name: core\nunit: passage\nmin_grade: 2\n")
    assert migration.waiting == ("q1",)


def test_unanswerable_and_unjudged_queries_stay_what_they_are(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS.replace("hundred", "thousand")))
    zero = {"id": "a.md#limits", "grade": 0}
    rows = [
        query("kept", "a.md#size"),
        query("nothing", zero, answerable=False),
        query("open", zero, judged=False),
        query("empty", judged=False),
    ]
    migration = moved(tmp_path, rows, old, new)
    empty, _, nothing, open_ = migration.new.queries
    assert (nothing.judged, nothing.answerable) == (True, False)
    assert (open_.judged, empty.judged) == (False, False)
    assert migration.waiting == ()


def test_everything_known_of_a_judgment_goes_along(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n# Limits\n\n{LIMITS}", title="Limits"))
    new = snapshot(pages(f"b.md\n# Limits\n\n{LIMITS}", title="Limits"))
    said = [
        {"id": "a.md#limits", "grade": 1, "annotator": "wei", "at": "2026-09-30T14:00:00+00:00", "note": "看第二句"},
        {"id": "a.md#limits", "grade": 3, "annotator": "lin", "source": "synthetic"},
        {"id": "a.md#limits", "grade": 2, "annotator": "wei", "at": "2026-10-01T09:00:00+00:00", "adjudicated": True},
    ]
    migration = moved(tmp_path, [query("q1", *said)], old, new)
    assert migration.new.queries[0].judgments == (
        Judgment("b.md#limits", 1, "human", "wei", "2026-09-30T14:00:00+00:00", "看第二句"),
        Judgment("b.md#limits", 3, "synthetic", "lin"),
        Judgment("b.md#limits", 2, "human", "wei", "2026-10-01T09:00:00+00:00", adjudicated=True),
    )
    (entry,) = migration.entries[1:]
    assert entry.details["judgments"] == said
    assert [item["id"] for item in entry.new] == ["b.md#limits"] * 3


def test_a_dispute_stays_a_dispute(tmp_path: Path) -> None:
    renamed = TWO_SECTIONS.replace("a.md", "b.md")
    old, new = snapshot(pages(TWO_SECTIONS, title="A")), snapshot(pages(renamed, title="A"))
    said = [{"id": "a.md#limits", "grade": grade, "annotator": who} for who, grade in (("wei", 0), ("lin", 2))]
    migration = moved(tmp_path, [query("q1", *said)], old, new)
    assert migration.new.queries[0].disputed == ("b.md#limits",)
    assert migration.entries[1].details["disputed"] is True


def test_who_and_when_and_between_what_is_in_the_first_line(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS.replace("hundred", "thousand")))
    migration = moved(tmp_path, [query("q1", "a.md#size")], old, new)
    head = migration.entries[0]
    assert (head.number, head.what, head.by, head.at) == (1, "migrated", "wei", "2026-11-30")
    assert head.details == {
        "from": old.id,
        "to": new.id,
        "old_revision": migration.old.revision,
        "new_revision": migration.new.revision,
    }
    assert [entry.number for entry in migration.entries] == [1, 2]


def test_snapshots_in_the_wrong_order_are_named(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(f"a.md\n# Size\n\n{OTHER}"))
    head = f'name: core\nunit: passage\nsnapshot: "{old.id}"\n'
    said = rf"core\.jsonl: fits snapshot {old.id} \(to=\), not {new.id} \(from=\); exchange from= and to=\?"
    for pinned in (head, ""):
        with pytest.raises(InputError) as caught:
            moved(tmp_path, [query("q1", "a.md#limits")], new, old, pinned)
        assert re.fullmatch(f".*{said}", str(caught.value))


def test_a_suite_pinned_to_a_third_snapshot_is_refused(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(f"a.md\n# Size\n\n{OTHER}"))
    head = 'name: core\nunit: passage\nsnapshot: "0123456789abcdef"\n'
    with pytest.raises(InputError) as caught:
        moved(tmp_path, [query("q1", "a.md#size")], old, new, head)
    said = f"core.yaml: is pinned to snapshot 0123456789abcdef; give that with from=, not {old.id}"
    assert str(caught.value).endswith(said)
    with pytest.raises(InputError, match="is pinned to the documents 0123456789abcdef; give that with from="):
        moved(
            tmp_path, [query("q1", "a.md#size")], old, new, 'name: core\nunit: passage\ndocuments: "0123456789abcdef"\n'
        )


def test_unknown_ids_are_refused_before_anything_is_carried(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS.replace("hundred", "thousand")))
    with pytest.raises(InputError, match=r"core\.jsonl:1: query 'q1' judges 'a\.md#limit'.*nearest: 'a\.md#limits'"):
        moved(tmp_path, [query("q1", "a.md#limit")], old, new)


def test_several_annotators_of_two_passages_that_became_one_are_not_made_to_disagree(tmp_path: Path) -> None:
    from runner.chunkers import WholeDocument

    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS), WholeDocument())
    said = [
        {"id": "a.md#limits", "grade": 2, "annotator": "wei"},
        {"id": "a.md#size", "grade": 1, "annotator": "lin"},
    ]
    migration = moved(tmp_path, [query("q1", *said)], old, new)
    (moved_query,) = migration.new.queries
    assert moved_query.every_judgment == (Judgment("a.md", 2, annotator="wei"),)
    assert moved_query.disputed == ()
    assert outcomes(migration) == [("carried", "a.md#limits", ["a.md"]), ("carried", "a.md#size", [])]


def test_an_unpinned_suite_in_memory_is_pinned(tmp_path: Path) -> None:
    old, new = snapshot(pages(TWO_SECTIONS)), snapshot(pages(TWO_SECTIONS.replace("hundred", "thousand")))
    empty = migrate(Suite("none", "development", "passage", ()), old, new)
    assert (empty.new.snapshot, empty.whole, len(empty.entries)) == (new.id, True, 1)
