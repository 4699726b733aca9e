"""A review by lines: what each answer does to the suite and to its record, and what it refuses."""

import io
import json
from typing import Any

import pytest
from review_world import HOOKS, MESSAGES, NEW, OLD, QUERIES, TOKENS, WAITING, World, 權杖, 訊息

from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.suite_file import SuiteFile
from runner.annotation.review.passage_texts import PassageTexts
from runner.annotation.review.queue import Wanted
from runner.annotation.review.review import Review
from runner.annotation.review.screen import Screen
from runner.annotation.review.session import Session
from runner.annotation.review.terminal import LineAnswers
from runner.engine.inputs import snapshot_store


def untimed(world: World) -> list[tuple[str, str, int | None]]:
    """What happened to which query, and the number of the entry that it answers."""
    entries = world.record.entries()
    numbers = {entry.id: entry.number for entry in entries}
    return [(entry.what, entry.query, numbers.get(entry.answers or "")) for entry in entries]


def test_what_holds_is_confirmed_by_name_and_the_query_is_judged_again(world: World) -> None:
    world.migrated()
    world.review("s\ny\n")
    assert world.said("zh-2") == [(權杖, 2, "bo")]
    assert world.query("zh-2").judged
    confirmed = world.record.entries()[-1]
    assert (confirmed.what, confirmed.by, untimed(world)[-1]) == ("confirmed", "bo", ("confirmed", "zh-2", 3))
    assert confirmed.old == {"id": 權杖, "grade": 2}
    assert world.query("zh-2").every_judgment[0].at == confirmed.at


def test_a_query_waits_until_all_of_it_is_answered(world: World) -> None:
    world.migrated()
    world.review("y\n")
    assert not world.query("en-2").judged
    assert world.said("en-2") == []
    world.review("n\n", "--only", "gone")
    assert world.said("en-2") == [(TOKENS, 2, "bo")]
    assert world.query("en-2").judged


def test_another_grade_and_a_note(world: World) -> None:
    world.migrated()
    world.review("s\ne\n只剩一部分\n1\n")
    assert world.said("zh-2") == [(權杖, 1, "bo")]
    assert world.query("zh-2").every_judgment[0].note == "只剩一部分"


def test_a_number_of_thousands_of_digits_is_no_answer_and_ends_nothing(world: World) -> None:
    world.migrated()
    world.review(f"{'1' * 5000}\ns\ny\n")
    assert world.said("zh-2") == [(權杖, 2, "bo")]


def test_what_does_not_hold_leaves_the_query_unjudged(world: World) -> None:
    world.migrated()
    world.review("s\nn\n")
    assert world.said("zh-2") == []
    assert not world.query("zh-2").judged
    assert untimed(world)[-1] == ("dropped", "zh-2", 3)


def test_what_is_gone_can_be_found_elsewhere(world: World) -> None:
    world.migrated()
    done = world.review(f"i\nen/retry.md#waitin\ni\n{WAITING}\n2\n", "--only", "gone")
    assert f"snapshot {NEW.id} holds no passage 'en/retry.md#waitin'; nearest: '{WAITING}'" in done.out
    assert untimed(world)[-1] == ("confirmed", "en-2", 4)
    world.review("y\n", "--only", "proposed")
    assert world.query("en-2").grades == {TOKENS: 2, WAITING: 2}


def test_parts_of_a_split_passage(world: World) -> None:
    new = [{"id": TOKENS, "grade": 2}, {"id": MESSAGES, "grade": 2}]
    world.record.append("proposed", query="en-2", old={"id": "en/plans.md#all", "grade": 2}, new=new, similarity=0.5)
    done = world.review("p\n3\np\n2\n")
    assert "found '3', expected numbers of parts like 1 2, or all" in done.out
    assert world.said("en-2") == [(MESSAGES, 2, "bo")]
    world.review("u\ny\n")
    assert world.said("en-2") == [(TOKENS, 2, "bo"), (MESSAGES, 2, "bo")]


def test_who_settles_a_dispute_adjudicates(world: World) -> None:
    assert world.query("en-1").disputed == (MESSAGES,)
    world.review("2\n")
    settled = world.query("en-1").every_judgment[-1]
    assert (settled.id, settled.grade, settled.annotator, settled.adjudicated) == (MESSAGES, 2, "bo", True)
    assert world.query("en-1").disputed == ()
    # The others' words stay.
    assert world.said("en-1")[:2] == [(MESSAGES, 2, "wei"), (MESSAGES, 1, "amy")]
    assert world.whats() == ["adjudicated"]


def test_nobody_is_asked_twice_about_one_pair(world: World) -> None:
    world.review("1\n2\n0\n", "--only", "all")
    assert world.said("en-1")[3:] == [(MESSAGES, 1, "bo"), (WAITING, 2, "bo")]
    assert world.said("zh-1") == [(訊息, 2, None), (訊息, 0, "bo")]
    assert "0 answered, 0 left" in world.review("", "--only", "all").out
    assert "0 answered, 1 left" in world.review("", "--only", "all", annotator="wei").out.replace("2 left", "1 left")


def test_undo_takes_back_the_last_answer_also_of_an_earlier_session(world: World) -> None:
    world.migrated()
    before = world.head.with_suffix(".jsonl").read_bytes(), world.suite.revision
    world.review("s\ny\n")
    world.review("n\n", "--only", "gone")
    done = world.review("u\nu\nu\n")
    assert "taken back: dropped of query en-2" in done.out
    assert "taken back: confirmed of query zh-2" in done.out
    assert "you have no answer here that could be taken back" in done.out
    assert world.suite.revision == before[1]
    assert len(world.record.pending()) == 3


def test_undo_takes_back_nobody_elses_answer(world: World) -> None:
    world.review("2\n", annotator="cy")
    assert "you have no answer here" in world.review("u\n").out
    assert world.query("en-1").disputed == ()


def test_undo_asks_again_what_was_taken_back(world: World) -> None:
    world.migrated()
    world.review("y\nu\n1\n", "--only", "proposed")
    assert untimed(world)[4:] == [("confirmed", "en-2", 2), ("undone", "en-2", 5), ("confirmed", "en-2", 2)]


def test_undoing_an_opinion_brings_back_what_the_file_said(world: World) -> None:
    before = world.head.with_suffix(".jsonl").read_text("utf-8")
    world.review("1\n", "--only", "all")
    assert len(world.said("en-1")) == 4
    world.review("u\n", "--only", "all")
    assert world.said("en-1") == [(MESSAGES, 2, "wei"), (MESSAGES, 1, "amy"), (WAITING, 1, None)]
    lines = world.head.with_suffix(".jsonl").read_text("utf-8").splitlines()
    assert lines[1:] == before.splitlines()[1:]


def test_only_the_lines_of_changed_queries_change(world: World) -> None:
    before = world.head.with_suffix(".jsonl").read_text("utf-8").splitlines()
    world.migrated()
    world.review("s\ny\n")
    after = world.head.with_suffix(".jsonl").read_text("utf-8").splitlines()
    assert [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [3]
    assert json.loads(after[3])["language"] == "zh-Hant"


def test_progress_counts_what_was_answered_and_skipped(world: World) -> None:
    world.migrated()
    out = world.review("y\ns\nn\nq\n").out
    for line in ("1 of 4 · proposed", "2 of 4 · proposed", "3 of 4, 1 skipped · gone", "4 of 4, 1 skipped · disputed"):
        assert line in out
    assert "2 answered, 2 left (1 skipped)" in out
    assert "go on with the same command" in out


def test_the_words_that_changed_are_marked(world: World) -> None:
    world.migrated()
    out = world.review("s\nq\n").out
    assert "Team has [-5-]{+20+} tokens." in out
    assert "團隊有[-5-]{+20+}個權杖。" in out
    assert "How many tokens?\nAnd on Team?\nen-2 · language en" in out


def test_the_old_text_of_what_is_gone_is_shown(world: World) -> None:
    world.migrated()
    assert "A hook is called once." in world.review("q\n", "--only", "gone").out


def test_old_texts_that_are_not_stored_are_missed_aloud(world: World) -> None:
    import shutil

    world.migrated()
    shutil.rmtree(snapshot_store(world.store).root / OLD.id)
    out = world.review("y\n").out
    assert "note: the old snapshot is not stored" in out
    assert "Team has 20 tokens." in out


def test_blind_hides_what_others_said(world: World) -> None:
    seen, blind = (world.review("q\n", *arguments).out for arguments in ((), ("--blind",)))
    for said in ("wei: 2", "amy: 1 (no headers)"):
        assert said in seen
        assert said not in blind
    assert "A message holds 256 KB." in blind


@pytest.mark.parametrize("line", ["x", "y", "n", "p", "3", "10", "-1", "１２", "yes", "0-2"])
def test_what_is_no_answer_changes_nothing(world: World, line: str) -> None:
    out = world.review(f"{line}\n").out
    assert "is no answer here; ? shows what is" in out or "is no grade here, expected 0 to 2" in out
    assert world.whats() == []


def test_full_width_keys_of_an_input_method_count(world: World) -> None:
    world.review("１\n")
    assert world.said("en-1")[-1] == (MESSAGES, 1, "bo")


def test_more_grades_can_be_allowed(world: World) -> None:
    world.review("12\n", "--grades", "12")
    assert world.query("en-1").grades[MESSAGES] == 12


def test_the_highest_grade_is_the_one_that_was_ever_given(world: World) -> None:
    world.write([{**QUERIES[3]}])
    world.record.append("proposed", query="zh-2", old={"id": 權杖, "grade": 3}, new=[{"id": 權杖, "grade": 3}])
    assert "0-3 holds with this grade" in world.review("3\n").out
    assert world.said("zh-2") == [(權杖, 3, "bo")]


def test_all_of_a_query_is_asked_in_a_row(world: World) -> None:
    world.record.append("gone", query="zh-2", old={"id": HOOKS, "grade": 1})
    world.record.append("proposed", query="zh-2", old={"id": 權杖, "grade": 2}, new=[{"id": 權杖, "grade": 2}])
    world.record.append("gone", query="en-2", old={"id": HOOKS, "grade": 1}, note="its page is gone")
    out = world.review("s\ns\ns\n").out
    order = [out.index(text) for text in ("1 of 4 · gone", "2 of 4, 1 skipped · proposed", "3 of 4, 2 skipped · gone")]
    assert order == sorted(order)
    assert f"was: {HOOKS} (grade 1): its page is gone" in out


def test_the_end_of_the_input_leaves_the_rest(world: World) -> None:
    assert "0 answered, 1 left" in world.review("").out
    assert not world.record.path.exists()


def test_an_answer_that_a_kill_kept_from_the_file_is_written_at_the_next_start(world: World) -> None:
    world.migrated()
    world.record.append("confirmed", query="zh-2", new=[{"id": 權杖, "grade": 2}], by="bo", answers=world.id_of(3))
    assert not world.query("zh-2").judged
    world.review("q\n")
    assert world.query("zh-2").judged


def test_a_torn_line_is_told_and_left_out(world: World) -> None:
    world.migrated()
    with world.record.path.open("a", encoding="utf-8") as file:
        file.write('{"number":5,"what":"confir')
    out = world.review("s\ny\n").out
    assert "was not written to its end" in out
    assert world.query("zh-2").judged


def test_control_characters_of_a_page_do_not_reach_the_terminal(world: World) -> None:
    note = "\u202ebad\u001b[2J"
    relevant = [{"id": 訊息, "grade": 2, "annotator": "a"}, {"id": 訊息, "grade": 1, "annotator": "b", "note": note}]
    world.write([{"query_id": "q", "text": "a\u001b[31mb", "language": "en", "relevant": relevant}])
    out = world.review("q\n").out
    assert "\u001b" not in out and "\u202e" not in out
    assert "a\\u001b[31mb" in out


def candidates(world: World, *rows: dict[str, Any]) -> tuple[str, ...]:
    path = world.root / "candidates.jsonl"
    base = {
        "history": [],
        "source": "human",
        "kind": "failing",
        "priority": 0.5,
        "why": "nobody judged it",
        "evidence": {},
        "fields": {},
        "rules": [],
    }
    path.write_text("".join(json.dumps({**base, **row}, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return ("--candidates", str(path), "--only", "candidates")


CLICKED = {
    "query_id": "c-1",
    "text": "等多久？",
    "id": WAITING,
    "source": "click",
    "kind": "clicked",
    "priority": 0.9,
    "fields": {"language": "zh-Hant", "tenant": "x"},
    "history": ["會重試嗎？"],
}


def test_a_candidate_becomes_a_judgment_of_the_person_who_confirmed_it(world: World) -> None:
    known = {"query_id": "zh-1", "text": "一則訊息最大多少？", "id": 權杖, "kind": "pooled"}
    out = world.review("1\n0\n", *candidates(world, CLICKED, known)).out
    assert out.index("等多久？") < out.index("一則訊息最大多少？")
    assert "clicked, click: nobody judged it" in out
    query = world.query("c-1")
    assert (query.text, query.history, query.source, query.judged) == ("等多久？", ("會重試嗎？",), "click", True)
    # The question is one of a click log, what answers it is what a person says.
    assert query.weakest_source == "human"
    assert query.fields == {"language": "zh-Hant"}
    (judgment,) = query.every_judgment
    assert (judgment.id, judgment.grade, judgment.source, judgment.annotator) == (WAITING, 1, "human", "bo")
    assert judgment.note == "candidate (clicked, click): nobody judged it"
    assert world.said("zh-1") == [(訊息, 2, None), (權杖, 0, "bo")]
    assert "0 answered, 0 left" in world.review("", *candidates(world, known, CLICKED)).out


def test_a_candidate_without_an_answer_adds_nothing(world: World) -> None:
    before = world.head.with_suffix(".jsonl").read_bytes()
    world.review("s\n", *candidates(world, CLICKED))
    assert world.head.with_suffix(".jsonl").read_bytes() == before
    assert world.whats() == []


def test_taking_back_a_candidate_takes_its_query_back(world: World) -> None:
    before = world.suite.revision
    world.review("1\nu\nq\n", *candidates(world, CLICKED))
    assert world.suite.revision == before


def test_a_candidate_judged_irrelevant_is_kept_as_an_unjudged_query(world: World) -> None:
    world.review("0\n", *candidates(world, CLICKED))
    assert world.query("c-1").grades == {WAITING: 0}
    assert not world.query("c-1").judged


def test_a_question_that_the_suite_asks_already_is_the_same_query(world: World) -> None:
    same = {"query_id": "c-2", "text": "一則訊息最大多少？", "id": TOKENS}
    world.review("0\n", *candidates(world, same))
    assert world.said("zh-1") == [(訊息, 2, None), (TOKENS, 0, "bo")]


def test_a_candidate_that_names_no_passage_asks_for_one(world: World) -> None:
    asked = {"query_id": "zh-2", "text": "團隊有幾個權杖？", "id": None}
    world.review(f"2\ni\n{權杖}\n2\n", *candidates(world, asked))
    assert world.said("zh-2") == [(權杖, 2, "bo")]


def test_what_a_person_judged_is_no_candidate(world: World) -> None:
    judged = {"query_id": "zh-1", "text": "一則訊息最大多少？", "id": 訊息}
    assert "0 answered, 0 left" in world.review("", *candidates(world, judged)).out


def test_what_only_a_program_judged_is_one(world: World) -> None:
    world.write([{**QUERIES[2], "relevant": [{"id": 訊息, "grade": 2, "source": "synthetic"}]}])
    world.review("1\n", *candidates(world, {"query_id": "zh-1", "text": "一則訊息最大多少？", "id": 訊息}))
    assert world.query("zh-1").grades == {訊息: 1}


def test_where_a_candidate_comes_from_stays_with_its_query_and_its_record(world: World) -> None:
    world.write(QUERIES, slices="[language, source]")
    world.review("1\n", *candidates(world, {**CLICKED, "rules": ["e-mail", "long number"]}))
    assert world.query("c-1").source == "click"
    assert world.query("c-1").fields["source"] == "click"
    brought = world.record.entries()[-1].details["query"]
    assert (brought["source"], brought["rules"]) == ("click", ["e-mail", "long number"])


NOTHING = {"query_id": "new-1", "text": "沒有人回答的問題？", "id": None, "source": "click", "kind": "failing"}


def test_a_question_that_nothing_answers_is_answered_by_saying_so(world: World) -> None:
    before = world.suite.revision
    out = world.review("?\n0\nn\n", *candidates(world, NOTHING)).out
    assert "n  nothing answers the question" in out
    assert "0-2" not in out and "'0' is no answer here" in out
    query = world.query("new-1")
    assert (query.judged, query.answerable, query.grades, query.source) == (True, False, {}, "click")
    assert [each.id for each in world.suite.unanswerable()] == ["new-1"]
    assert "0 answered, 0 left" in world.review("", *candidates(world, NOTHING)).out
    world.review("u\n", *candidates(world, NOTHING))
    assert world.suite.revision == before


def test_what_is_found_later_answers_a_question_that_nothing_answered(world: World) -> None:
    asked = {"query_id": "zh-2", "text": "團隊有幾個權杖？", "id": None}
    world.review("n\n", *candidates(world, asked))
    assert (world.query("zh-2").judged, world.query("zh-2").answerable) == (True, False)
    world.review("2\n", *candidates(world, {**asked, "id": 權杖}))
    assert (world.query("zh-2").judged, world.query("zh-2").answerable) == (True, True)


SPANS = [
    {
        "query_id": "q",
        "text": "幾個？",
        "language": "zh-Hant",
        "relevant": [{"document": "zh/方案.md", "quote": "團隊有20個權杖", "grade": 1}],
    }
]
PIN = f'"{NEW.documents_sha256[:16]}"'


def spans_of(world: World, id_: str = "q") -> list[tuple[str, str | None, int]]:
    """What a suite of spans holds: the words, and which grade they have."""
    query, texts = world.query(id_), {document.id: document.text for document in NEW.documents}
    places = ((query.spans[each.id], each.grade) for each in query.every_judgment)
    return [
        (texts[span.document][slice(*span.locate(texts[span.document]))], span.quote, grade) for span, grade in places
    ]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("n\n", ("一則訊息最大 256 KB。", None, 0)),
        ("0\n", ("一則訊息最大 256 KB。", None, 0)),
        ("y\n\n", ("一則訊息最大 256 KB。", None, 1)),
        ("1\n最大 256 KB\n", ("最大 256 KB", "最大 256 KB", 1)),
        ("y\n最大 257 KB\ny\n最大 256 KB\n", ("最大 256 KB", "最大 256 KB", 1)),
        ("i\nen/plans.md\nTeam has 20 tokens\n1\n", ("Team has 20 tokens", "Team has 20 tokens", 1)),
    ],
)
def test_a_passage_is_a_candidate_in_a_suite_of_spans_although_something_is_relevant_already(
    world: World, given: str, wanted: tuple[str, str | None, int]
) -> None:
    world.write(SPANS, unit="span", snapshot="null", documents=PIN)
    asked = candidates(world, {"query_id": "q", "text": "幾個？", "id": 訊息, "kind": "pooled"})
    out = world.review(given, *asked).out
    assert f"{訊息}\n" in out and "一則訊息最大 256 KB。" in out
    assert spans_of(world) == [("團隊有20個權杖", "團隊有20個權杖", 1), wanted]
    # And it is not asked again, whichever words were named.
    assert "0 answered, 0 left" in world.review("", *asked).out


def test_a_place_that_has_a_name_already_keeps_it(world: World) -> None:
    said = {"document": "zh/方案.md", "quote": "團隊有20個權杖。", "grade": 1}
    world.write([{**SPANS[0], "relevant": [said]}], unit="span", snapshot="null", documents=PIN)
    asked = candidates(world, {"query_id": "q", "text": "幾個？", "id": 權杖, "kind": "pooled"})
    world.review("0\n", *asked)
    (name,) = world.query("q").spans
    assert world.said("q") == [(name, 1, None), (name, 0, "bo")]
    world.suite.check(NEW)


def test_a_whole_passage_is_quoted_where_the_documents_are_not_pinned(world: World) -> None:
    world.write(SPANS, unit="span", snapshot="null")
    asked = candidates(world, {"query_id": "q", "text": "幾個？", "id": 訊息, "kind": "pooled"})
    world.review("n\n", *asked, "--snapshot", NEW.id)
    assert spans_of(world)[-1] == ("一則訊息最大 256 KB。", "一則訊息最大 256 KB。", 0)


def test_words_are_asked_for_only_of_a_document_that_is_there(world: World) -> None:
    world.write(SPANS, unit="span", snapshot="null", documents=PIN)
    asked = candidates(world, {"query_id": "q2", "text": "幾個？？", "id": 訊息})
    out = world.review("i\nzh/方安.md\ni\n\ns\n", *asked).out
    assert "holds no document 'zh/方安.md'; nearest: 'zh/方案.md'" in out
    assert "words of it:" not in out


def test_the_proposed_words_are_marked_and_only_what_changed_around_them(world: World) -> None:
    from runner.chunkers import Heading
    from runner.documents import Document
    from runner.snapshots import Snapshot

    def page(*before: str, said: str) -> Snapshot:
        text = "\n\n".join(
            ["# A", *before, " ".join(f"word{n}" for n in range(20)), said, " ".join(f"tailing{n}" for n in range(99))]
        )
        return Snapshot.build([Document("a.md", "A", text)], Heading())

    old = page(" ".join(f"first{n}" for n in range(90)), said="The limit is 5 a day.")
    new = page(" ".join(f"first{n}" for n in range(90)), "A sentence that is new.", said="The limit is 20 a day.")
    for snapshot in (old, new):
        snapshot_store(world.store).save(snapshot)
    world.write(
        [{"query_id": "q", "text": "x", "language": "en", "judged": False, "relevant": []}],
        unit="span",
        snapshot="null",
        documents=f'"{new.documents_sha256[:16]}"',
    )
    world.record.append("migrated", details={"from": old.id, "to": new.id})
    spans = [{"document": "a.md", "quote": f"The limit is {n} a day.", "grade": 1} for n in (5, 20)]
    world.record.append("proposed", query="q", old=spans[0], new=spans[1:], similarity=0.9)
    shown = " ".join(world.review("q\n").out.split())
    assert "[[The limit is [-5-]{+20+} a day.]]" in shown
    assert shown.count("{+") == 2 and "A sentence that is new.+}" in shown.replace(" +}", "+}")
    assert shown.count("[-") == 1


@pytest.mark.parametrize(("kind", "keys"), [("proposed", "0-2 y n i"), ("gone", "n i"), ("disputed", "0-2")])
def test_help_lists_the_keys_that_apply(world: World, kind: str, keys: str) -> None:
    world.migrated()
    out = world.review("?\nq\n", "--only", kind).out
    listed = out.split("? help > ")[1].split("s  skip")[0]
    assert [line.split()[0] for line in listed.splitlines()] == keys.split()


def test_a_key_of_another_kind_of_item_is_no_answer(world: World) -> None:
    assert "'i' is no answer here" in world.review("i\n").out
    world.migrated()
    assert "'p' is no answer here" in world.review("p\n").out
    assert "'2' is no answer here" in world.review("2\n", "--only", "gone").out


def test_a_grade_below_zero_is_told_what_there_is(world: World) -> None:
    assert "-1 is no grade here, expected 0 to 2 (grades=N allows more)" in world.review("-1\n").out


def test_dropping_the_last_relevant_judgment_is_said(world: World) -> None:
    world.migrated()
    said = "nothing relevant to it is left, so it is in no mean until something is"
    assert f"query zh-2: {said}" in world.review("s\nn\n", "--only", "proposed", annotator="cy").out
    assert said not in world.review("1\n", "--only", "disputed").out
    world.write(QUERIES[:1])
    world.record.path.unlink()
    dropped = [{**QUERIES[2], "relevant": [{"id": 訊息, "grade": 2, "annotator": n} for n in "ab"]}]
    dropped[0]["relevant"][1] = {**dropped[0]["relevant"][1], "grade": 0}
    world.write(dropped)
    assert f"query zh-1: {said}" in world.review("0\n").out


def test_who_answers_what_another_answered_is_told_so(world: World) -> None:
    world.migrated()
    review = Review(LiveSuite(SuiteFile(world.head)), Wanted("proposed", "bo"))
    review.items()
    world.review("s\n1\n", "--only", "proposed", annotator="cy")
    out = io.StringIO()
    given = LineAnswers(io.StringIO("s\n2\n"), out)
    Session(review, given, Screen(out, PassageTexts(NEW, "passage")), 2).run()
    assert "cy answered this, too; both answers are kept" in out.getvalue()
    assert world.query("zh-2").disputed == (權杖,)


def test_a_change_by_hand_is_told_at_the_next_start(world: World) -> None:
    world.review("2\n")
    text = world.head.with_suffix(".jsonl").read_text("utf-8")
    assert '"grade": 2, "annotator": "bo"' in text
    world.head.with_suffix(".jsonl").write_text(
        text.replace('"grade": 2, "annotator": "bo"', '"grade": 1, "annotator": "bo"')
    )
    out = world.review("q\n").out
    assert "note: query en-1 was changed in the file by hand; the record says so" in out
    assert world.query("en-1").grades[MESSAGES] == 1
    assert "note:" not in world.review("q\n").out


def test_who_gave_no_name_is_called_the_same_everywhere(world: World) -> None:
    said = {"id": MESSAGES, "grade": 1}
    world.write([{**QUERIES[0], "relevant": [said, {**said, "grade": 2, "annotator": "wei"}]}])
    assert "unnamed: 1\nwei: 2" in world.review("q\n").out
    assert "unnamed 1, wei 2" in world.run("agreement", world.head).out


def test_undo_takes_back_what_was_imported_too(world: World) -> None:
    path = world.root / "given.jsonl"
    path.write_text(json.dumps({"query_id": "zh-1", "id": 訊息, "grade": 1, "annotator": "bo"}) + "\n", "utf-8")
    before = world.suite.revision
    assert world.run("import", world.head, path).status == 0
    assert world.suite.revision != before
    assert "taken back: imported of query zh-1" in world.review("u\n").out
    assert world.suite.revision == before


def refusal(world: World, *arguments: str) -> str:
    done = world.run("review", world.head, "--annotator", "bo", *arguments, given="2\n")
    assert done.status == 2
    assert world.whats() == []
    return done.err


def test_a_candidate_for_a_passage_that_is_not_there_is_refused(world: World) -> None:
    message = refusal(world, *candidates(world, CLICKED, {**CLICKED, "id": "en/retry.md#waitin"}))
    assert (
        f"candidates.jsonl:2: snapshot {NEW.id} holds no passage 'en/retry.md#waitin'; nearest: '{WAITING}'" in message
    )


def test_a_candidate_never_says_what_is_relevant(world: World) -> None:
    assert "candidates.jsonl:1: says what is relevant" in refusal(world, *candidates(world, {**CLICKED, "grade": 1}))


def test_nothing_seen_enters_a_holdout(world: World) -> None:
    world.write(QUERIES, role="holdout")
    assert "is a holdout; candidates come from what was seen" in refusal(world, *candidates(world, CLICKED))


def test_a_frozen_suite_is_refused_with_the_way_on(world: World) -> None:
    world.write(QUERIES, frozen=f'"{world.suite.revision}"')
    message = refusal(world)
    assert "is frozen at revision" in message
    assert f"python -m runner judgments freeze {world.head} why=REASON" in message


def test_what_is_no_suite_of_the_own_form_is_refused(world: World) -> None:
    done = world.run("review", world.root, "--annotator", "bo")
    assert done.status == 2
    assert "expected the YAML head of a suite" in done.err


def test_a_snapshot_is_needed(world: World) -> None:
    world.write(QUERIES, snapshot="null")
    assert "is pinned to no snapshot, so say which one to judge (snapshot=ID)" in refusal(world)
    world.review("2\n", "--snapshot", NEW.id[:6])
    assert world.whats() == ["adjudicated"]


def test_a_suite_of_another_snapshot_is_refused(world: World) -> None:
    assert f"is pinned to snapshot {NEW.id}, this one is {OLD.id}" in refusal(world, "--snapshot", OLD.id)


def test_documents_are_judged_whole_and_found_by_their_pin(world: World) -> None:
    relevant = [{"id": "zh/方案.md", "grade": 1, "annotator": "a"}, {"id": "zh/方案.md", "grade": 0, "annotator": "b"}]
    world.write(
        [{"query_id": "q", "text": "幾個？", "language": "zh-Hant", "relevant": relevant}],
        unit="document",
        snapshot="null",
        documents=f'"{NEW.documents_sha256[:16]}"',
    )
    out = world.review("1\n").out
    assert "一則訊息最大 256 KB。" in out and "團隊有20個權杖。" in out
    assert world.query("q").disputed == ()


def test_spans_are_shown_where_they_stand_and_named_by_their_words(world: World) -> None:
    quoted = {"document": "zh/方案.md", "quote": "團隊有20個權杖"}
    world.write(
        [
            {
                "query_id": "q",
                "text": "幾個？",
                "language": "zh-Hant",
                "relevant": [{**quoted, "grade": 1, "annotator": "a"}, {**quoted, "grade": 0, "annotator": "b"}],
            }
        ],
        unit="span",
        snapshot="null",
        documents=f'"{NEW.documents_sha256[:16]}"',
    )
    out = world.review("1\n").out
    assert "方案不同。" in out and "一則訊息最大 256 KB。" in out  # what surrounds it
    assert world.query("q").disputed == ()
    asked = {"query_id": "q2", "text": "多少？", "id": 訊息}
    out = world.review("i\nzh/方案.md\n最大 257 KB\ni\nzh/方案.md\n最大 256 KB\n1\n", *candidates(world, asked)).out
    assert f"{訊息}\n" in out
    assert "is not in the text; nearest" in out
    (span,) = world.query("q2").spans.values()
    assert (span.document, span.quote) == ("zh/方案.md", "最大 256 KB")


def test_long_texts_are_cut_until_they_are_asked_for(world: World) -> None:
    from runner.chunkers import Heading
    from runner.documents import Document
    from runner.snapshots import Snapshot

    long = Snapshot.build([Document("a.md", "A", "# A\n\n" + "word " * 3000 + "the-end")], Heading(size=100_000))
    snapshot_store(world.store).save(long)
    relevant = [{"id": "a.md#a", "grade": 1, "annotator": "a"}, {"id": "a.md#a", "grade": 0, "annotator": "b"}]
    world.write([{"query_id": "q", "text": "x", "language": "en", "relevant": relevant}], snapshot=f'"{long.id}"')
    assert "more characters; m shows all" in world.review("q\n").out
    assert "the-end" not in world.review("q\n").out
    assert "the-end" in world.review("m\nq\n").out


def test_help_says_what_the_keys_do(world: World) -> None:
    out = world.review("?\n").out
    assert "0-2  the grade of what is shown: 0 is not relevant, 1 and above is relevant" in out
    assert "u  undo your last answer" in out
