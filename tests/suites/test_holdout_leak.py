"""A holdout holds no question that was tuned on: by its words, by its id, in the files beside it and in the record."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from runner.configuration.settings import data_directory
from runner.errors import InputError, RunnerError
from runner.suite_formats.beside import suites_beside
from runner.suite_formats.own import OwnSuite
from runner.suites import ROLES, JudgedQuery, Suite
from runner.suites.leak import Leak, holdout_leaks
from runner.suites.question_key import question_key, question_keys
from runner.workflows.clean_holdout import leaks_of, refuse_leaks
from runner.workflows.seen_queries import SeenQueries


def suite(name: str, role: str, *queries: tuple[str, str] | JudgedQuery, **more: Any) -> Suite:
    made = [each if isinstance(each, JudgedQuery) else JudgedQuery(each[0], each[1], {"a.md": 1}) for each in queries]
    return Suite(name, role, "document", tuple(made), **more)


def said(leaks: Sequence[Leak]) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(leak.query_id, leak.suite, leak.other_id, leak.matched) for leak in leaks]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How large may a message be?", "how LARGE may a message be"),
        ("How large may a message be?", "  How\tlarge -- may a message,\nbe ??"),
        ("ｈｏｗ large？", "How large?"),
        ("Straße", "STRASSE"),
        ("cafe\u0301", "café"),
        ("zero\u200bwidth", "zerowidth"),
        ("use `--force`", "use force"),
        ("Team 方案的額度，是多少？", "team方案的額度是多少?"),
        ("１００ 則訊息", "100則訊息"),
        ("???", " ? ? ?"),
    ],
)
def test_these_are_one_question(one: str, other: str) -> None:
    assert question_key(JudgedQuery("a", one, {})) == question_key(JudgedQuery("b", other, {})) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How large may a message be?", "How large may messages be?"),
        ("limit of C", "limit of C#"),
        ("limit of C", "limit of C++"),
        ("5 of them", "5% of them"),
        ("1.5 GB", "15 GB"),
        ("to gether", "together"),
        ("方案的額度", "方案的限額"),
        ("???", "!!!"),
    ],
)
def test_these_are_two_questions(one: str, other: str) -> None:
    assert question_key(JudgedQuery("a", one, {})) != question_key(JudgedQuery("a", other, {}))


def test_a_follow_up_is_known_with_what_came_before_it_only() -> None:
    team = JudgedQuery("h1", "And on Team?", {"a.md": 1}, history=("How many tokens on Starter?",))
    scale = JudgedQuery("c1", "And on Team?", {"a.md": 1}, history=("How many queues on Scale?",))
    same = replace(team, id="c2", text="and on team", history=("how many tokens, on Starter",))
    found = holdout_leaks(suite("last", "holdout", team), [suite("core", "regression", scale, same)])
    assert said(found) == [("h1", "core", "c2", ("text",))]


def test_a_question_is_known_by_its_words_or_by_its_id_and_each_pair_is_told_once() -> None:
    last = suite("last", "holdout", ("h1", "one?"), ("h2", "two?"), ("h3", "three?"), ("h4", "four?"))
    core = suite("core", "regression", ("c1", "One"), ("h2", "another"), ("h3", "Three!"), ("c4", "five"))
    assert said(holdout_leaks(last, [core])) == [
        ("h1", "core", "c1", ("text",)),
        ("h2", "core", "h2", ("id",)),
        ("h3", "core", "h3", ("id", "text")),
    ]


def test_words_of_one_question_and_the_id_of_another_are_two_leaks() -> None:
    last = suite("last", "holdout", ("h1", "one?"), ("h2", "two?"))
    assert said(holdout_leaks(last, [suite("core", "development", ("h2", "one"))])) == [
        ("h1", "core", "h2", ("text",)),
        ("h2", "core", "h2", ("id",)),
    ]


def test_other_holdouts_and_queries_without_a_text_do_not_count() -> None:
    last = suite("last", "holdout", ("h1", "one?"), ("h2", ""))
    assert (
        holdout_leaks(last, [suite("later", "holdout", ("h1", "one?")), suite("core", "development", ("c", ""))]) == ()
    )


def test_unjudged_and_unanswerable_questions_count() -> None:
    last = suite("last", "holdout", JudgedQuery("h1", "one", {}, answerable=False), JudgedQuery("h2", "two", {}))
    core = suite("core", "development", JudgedQuery("c1", "one", {}, judged=False), ("c2", "two"))
    assert [leak.query_id for leak in holdout_leaks(last, [core])] == ["h1", "h2"]


def write(folder: Path, name: str, role: str, *queries: tuple[str, str], file: str | None = None) -> Path:
    """A suite of the own format, its third line the first query."""
    head = folder / f"{name}.yaml"
    head.write_text(f"name: {name}\nrole: {role}\nunit: document\nqueries: {file or name + '.jsonl'}\n", "utf-8")
    rows = [{"query_id": id_, "text": text, "relevant": ["a.md"]} for id_, text in queries]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    if queries:
        (folder / f"{name}.jsonl").write_text("\n\n" + "\n".join(lines) + "\n", "utf-8")
    return head


def read(head: Path) -> Suite:
    return OwnSuite(head).read()


def refusal(store: Path, *suites: Suite, dataset: str = "demo") -> str:
    with pytest.raises(InputError) as caught:
        refuse_leaks([(each, dataset) for each in suites], store)
    return str(caught.value)


def test_a_holdout_is_refused_for_a_suite_that_lies_beside_it_with_the_line_of_each_query(tmp_path: Path) -> None:
    last = read(write(tmp_path, "last", "holdout", ("h1", "一則訊息可以多大？"), ("h2", "two?"), ("h3", "three?")))
    write(tmp_path, "fresh", "development", ("f9", "一則訊息，可以多大"), ("h3", "other words"))
    message = refusal(tmp_path / "store", last)
    beside, own = tmp_path / "fresh.jsonl", tmp_path / "last.jsonl"
    assert message.splitlines() == [
        f"{own}: 2 problems",
        f"  {own}:3: query 'h1' is query 'f9' of suite 'fresh' ({beside}): same text",
        f"  {own}:5: query 'h3' is query 'h3' of suite 'fresh' ({beside}): same id, other words: 'other words'",
        "  what was tuned on shows nothing about a release: take it out of the holdout suite; if it has the same id "
        "by chance only, give it another id",
    ]


def test_a_single_leak_is_one_line(tmp_path: Path) -> None:
    last = read(write(tmp_path, "last", "holdout", ("h1", "one?")))
    write(tmp_path, "fresh", "development", ("f1", "one"))
    message = refusal(tmp_path, last)
    assert message.count("\n") == 0
    assert message.endswith(
        "same text; what was tuned on shows nothing about a release: take it out of the holdout suite"
    )


def test_the_first_20_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    many = [(f"q{number:02}", f"question {number}") for number in range(23)]
    message = refusal(tmp_path, suite("last", "holdout", *many), suite("core", "regression", *many))
    assert message.startswith("suite last: 23 problems\n")
    assert message.count("same id and text") == 20 and "... and 3 more" in message


def test_a_suite_of_the_same_file_under_another_name_is_another_suite(tmp_path: Path) -> None:
    last = read(write(tmp_path, "last", "holdout", ("h1", "one?")))
    refuse_leaks([(last, "demo")], tmp_path)
    write(tmp_path, "again", "development", file="last.jsonl")
    assert "query 'h1' is query 'h1' of suite 'again'" in refusal(tmp_path, last)


def test_two_heads_of_one_name_over_the_same_queries_cannot_be_tuned_on_and_held_out(tmp_path: Path) -> None:
    write(tmp_path, "last", "development", ("h1", "one?"))
    for role in ROLES:
        (tmp_path / f"{role}.yaml").write_text(f"name: core\nrole: {role}\nunit: document\nqueries: last.jsonl\n")
    for role in ROLES[:2]:
        (tmp_path / "last.yaml").unlink(missing_ok=True)
        message = refusal(tmp_path, read(tmp_path / f"{role}.yaml"))
        assert f"is query 'h1' of the holdout suite 'core' ({tmp_path / 'holdout.yaml'})" in message
    message = refusal(tmp_path, read(tmp_path / "holdout.yaml"))
    assert f"query 'h1' is query 'h1' of suite 'core' ({tmp_path / 'development.yaml'})" in message


def test_what_lies_beside_a_suite_lies_beside_its_head(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    write(tmp_path / "rows", "last", "holdout", ("h1", "one?"))
    write(tmp_path, "last", "holdout", file="rows/last.jsonl")
    write(tmp_path, "fresh", "development", ("f1", "one"))
    assert "query 'h1' is query 'f1' of suite 'fresh'" in refusal(tmp_path / "store", read(tmp_path / "last.yaml"))


ALONE = JudgedQuery("h1", "And on Team?", {"a.md": 1})
AFTER = replace(ALONE, id="c1", text="and on team", history=("How many on Scale?",))
IN_ONE = replace(ALONE, id="h1", text="How many on Scale?\nAnd on Team?")


@pytest.mark.parametrize("tuned_role", ROLES[:2])
@pytest.mark.parametrize(
    ("held", "tuned", "same"),
    [
        ((ALONE, "prepend"), (AFTER, "prepend"), False),
        ((ALONE, "prepend"), (AFTER, "ignore"), True),
        ((AFTER, "ignore"), (ALONE, "prepend"), True),
        ((AFTER, "prepend"), (AFTER, "ignore"), True),
        ((replace(AFTER, history=("How many on Starter?",)), "ignore"), (AFTER, "ignore"), True),
        ((replace(AFTER, history=("How many on Starter?",)), "prepend"), (AFTER, "ignore"), False),
        # The retriever gets the very same text.
        ((IN_ONE, "prepend"), (AFTER, "prepend"), True),
    ],
)
def test_questions_are_compared_as_they_are_asked_in_files_and_in_the_record(
    tmp_path: Path, held: tuple[JudgedQuery, str], tuned: tuple[JudgedQuery, str], same: bool, tuned_role: str
) -> None:
    last = suite("last", "holdout", replace(held[0], id="h"), history_mode=held[1])
    core = suite("core", tuned_role, replace(tuned[0], id="c"), history_mode=tuned[1])
    expected = [("h", "core", "c", ("text",))] if same else []
    assert said(holdout_leaks(last, [core])) == expected
    SeenQueries(tmp_path).add([(core, "demo")])
    assert said(SeenQueries(tmp_path).leaks(last, "elsewhere")) == expected


@pytest.mark.parametrize(("mode", "leaks"), [("ignore", 1), ("prepend", 0), ("[7]", 0), ("sometimes", 0)])
def test_a_suite_beside_is_read_with_what_it_does_with_earlier_turns(tmp_path: Path, mode: str, leaks: int) -> None:
    last = read(write(tmp_path, "last", "holdout", ("h1", "and on team?")))
    head = write(tmp_path, "fresh", "development")
    head.write_text(head.read_text("utf-8") + f"history: {mode}\n", "utf-8")
    (tmp_path / "fresh.jsonl").write_text(json.dumps({"query_id": "f", "text": "And on Team", "history": ["x"]}))
    assert len(leaks_of(last, tmp_path, "demo")) == leaks


def test_what_is_no_suite_is_passed_over_and_broken_judgments_of_another_are_no_hindrance(tmp_path: Path) -> None:
    last = read(write(tmp_path, "last", "holdout", ("h1", "one?")))
    (tmp_path / "policy.yaml").write_text("name: release\nrules: []\n", "utf-8")
    (tmp_path / "broken.yaml").write_text("name: [\n", "utf-8")
    (tmp_path / "list.yaml").write_text("- name\n", "utf-8")
    (tmp_path / "fresh.yaml").write_text('name: fresh\nunit: document\nfrozen: "0123456789abcdef"\n', "utf-8")
    (tmp_path / "fresh.jsonl").write_text('{"query_id": "f1", "text": "two", "relevant": [{"grade": -3}]}\n', "utf-8")
    refuse_leaks([(last, "demo")], tmp_path)
    assert [each.name for each in suites_beside(last, ROLES[:2])] == ["fresh"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "fresh.jsonl: not found; expected the queries of suite 'fresh', which lies beside"),
        ("{", "fresh.jsonl:1: not JSON"),
        ('{"query_id": 7, "text": "x"}', "fresh.jsonl:1: expected a query_id and a text, both strings"),
    ],
)
def test_a_holdout_is_not_scored_while_the_questions_beside_it_cannot_be_read(
    tmp_path: Path, content: str | None, message: str
) -> None:
    last = read(write(tmp_path, "last", "holdout", ("h1", "one?")))
    write(tmp_path, "fresh", "development")
    if content is not None:
        (tmp_path / "fresh.jsonl").write_text(content, "utf-8")
    assert message in refusal(tmp_path, last)


def test_tuning_on_a_question_of_a_holdout_beside_is_refused_before_it_is_spent(tmp_path: Path) -> None:
    write(tmp_path, "last", "holdout", ("h1", "one?"), ("h2", "two?"))
    fresh = read(write(tmp_path, "fresh", "development", ("f1", "zero"), ("f2", "Two")))
    message = refusal(tmp_path, fresh)
    place, of = tmp_path / "fresh.jsonl", tmp_path / "last.jsonl"
    assert message.startswith(f"{place}:4: query 'f2' is query 'h2' of the holdout suite 'last' ({of}): same text; ")
    assert "take it out of one of the two" in message
    assert not (tmp_path / "seen_queries.db").exists()


def test_a_holdout_that_is_kept_elsewhere_or_broken_keeps_nobody_from_tuning(tmp_path: Path) -> None:
    write(tmp_path, "last", "holdout")
    refuse_leaks([(read(write(tmp_path, "fresh", "development", ("f1", "one"))), "demo")], tmp_path)
    (tmp_path / "last.jsonl").write_text("{", "utf-8")
    refuse_leaks([(read(tmp_path / "fresh.yaml"), "demo")], tmp_path)


def test_a_suite_without_a_file_has_nothing_beside_it() -> None:
    assert suites_beside(suite("core", "development", ("c1", "one")), ROLES) == ()


def test_what_is_tuned_on_in_the_same_sweep_counts(tmp_path: Path) -> None:
    last, core = suite("last", "holdout", ("h1", "one?")), suite("core", "regression", ("c1", "one"))
    assert "query 'h1' is query 'c1' of suite 'core': same text" in refusal(tmp_path, core, last)
    refuse_leaks([(core, "demo")], tmp_path)
    refuse_leaks([(last, "demo")], tmp_path)


def test_in_one_sweep_too_an_id_means_something_within_a_dataset_only(tmp_path: Path) -> None:
    last, core = suite("last", "holdout", ("1", "one?"), ("2", "two")), suite("core", "regression", ("1", "Two"))
    refuse_leaks([(replace(core, queries=(JudgedQuery("1", "drei", {}),)), "cranfield"), (last, "nfcorpus")], tmp_path)
    with pytest.raises(InputError) as caught:
        refuse_leaks([(core, "cranfield"), (last, "nfcorpus")], tmp_path)
    assert str(caught.value).startswith("suite last: query '2' is query '1' of suite 'core': same text; ")


MEND = "what was tuned on shows nothing about a release: take it out of the holdout suite"
OTHER_ID = "; if it has the same id by chance only, give it another id"


def test_where_only_the_id_is_the_same_the_message_says_whose_and_how_to_tell_the_two_apart(tmp_path: Path) -> None:
    SeenQueries(tmp_path).add([(suite("qa", "development", ("q1", "how many requests a minute")), "docs")])
    last = suite("hb", "holdout", ("q1", "how often are webhooks retried"))
    message = refusal(tmp_path, last, dataset="docs")
    assert message.startswith("suite hb: query 'q1' is query 'q1' of suite 'qa' (dataset 'docs', scored here since 20")
    assert message.endswith(
        f"): same id; {MEND}{OTHER_ID}, or its collection another name than the other's (dataset.name=...)"
    )
    refuse_leaks([(last, "other docs")], tmp_path)


def test_another_name_of_the_collection_is_offered_only_where_it_helps(tmp_path: Path) -> None:
    last, fresh = suite("last", "holdout", ("h1", "one?")), suite("fresh", "development", ("h1", "Two" * 40))
    for known in ([], [fresh]):
        SeenQueries(tmp_path).add([(each, "demo") for each in known])
        message = refusal(tmp_path, last, fresh)
        assert message.endswith(f"same id, other words: '{('Two' * 40)[:79]}…'; {MEND}{OTHER_ID}")
    assert refusal(tmp_path, suite("last", "holdout", ("x", "two" * 40))).endswith(f"same text; {MEND}")


@pytest.mark.parametrize(("text", "other"), [("", "two"), ("one", ""), ("", "")])
def test_a_query_without_words_is_known_by_its_id_and_not_said_to_have_other_words(
    tmp_path: Path, text: str, other: str
) -> None:
    last, core = suite("last", "holdout", ("1", text)), suite("core", "development", ("1", other))
    assert [str(leak) for leak in holdout_leaks(last, [core])] == ["query '1' is query '1' of suite 'core': same id"]
    SeenQueries(tmp_path).add([(core, "demo")])
    assert said(SeenQueries(tmp_path).leaks(last, "demo")) == [("1", "core", "1", ("id",))]


def test_a_sweep_over_what_is_done_with_earlier_turns_is_refused_once(tmp_path: Path) -> None:
    last, core = suite("last", "holdout", ("h1", "one?")), suite("core", "development", ("c1", "one"))
    assert refusal(tmp_path, last, replace(last, history_mode="ignore"), core).count("query 'h1' is") == 1


def test_the_record_knows_what_was_tuned_on_after_the_suite_is_gone(tmp_path: Path) -> None:
    seen, last = SeenQueries(tmp_path), suite("last", "holdout", ("h1", "一則訊息可以多大？"), ("h2", "two?"))
    assert seen.leaks(last, "demo") == () and not seen.path.exists()
    seen.add([(suite("fresh", "development", ("f1", "一則訊息，可以多大"), ("f2", "three")), "demo")])
    (leak,) = leaks_of(last, tmp_path, "demo")
    assert said([leak]) == [("h1", "fresh", "f1", ("text",))]
    assert leak.where.startswith("dataset 'demo', scored here since 20")
    # The question has left the suite: it was tuned on all the same.
    seen.add([(suite("fresh", "development", ("f2", "three")), "demo")])
    assert len(seen.leaks(last, "demo")) == 1


def test_words_are_the_same_in_every_dataset_an_id_only_in_its_own(tmp_path: Path) -> None:
    seen = SeenQueries(tmp_path)
    seen.add([(suite("dev", "development", ("1", "one"), ("2", "two")), "nfcorpus")])
    last = suite("test", "holdout", ("1", "eins"), ("9", "Two?"))
    assert said(seen.leaks(last, "cranfield")) == [("9", "dev", "2", ("text",))]
    assert said(seen.leaks(last, "nfcorpus")) == [("1", "dev", "1", ("id",)), ("9", "dev", "2", ("text",))]


def test_the_same_question_beside_and_in_the_record_is_told_once_with_its_file(tmp_path: Path) -> None:
    last = read(write(tmp_path, "last", "holdout", ("h1", "one?"), ("h2", "two")))
    fresh = read(write(tmp_path, "fresh", "development", ("h1", "One")))
    SeenQueries(tmp_path).add([(fresh, "demo")])
    assert [str(leak) for leak in leaks_of(last, tmp_path, "demo")] == [
        f"query 'h1' is query 'h1' of suite 'fresh' ({fresh.path}): same id and text"
    ]


def test_two_ids_of_the_same_words_are_both_told(tmp_path: Path) -> None:
    SeenQueries(tmp_path).add([(suite("dev", "development", ("c", "one")), "demo")])
    last = suite("last", "holdout", ("h1", "one?"), ("h2", "One!"))
    assert [leak.query_id for leak in SeenQueries(tmp_path).leaks(last, "demo")] == ["h1", "h2"]


def test_a_holdout_enters_no_record(tmp_path: Path) -> None:
    seen, last = SeenQueries(tmp_path), suite("last", "holdout", ("h1", "one"))
    seen.add([(last, "demo")])
    assert not seen.path.exists()
    seen.add([(replace(last, role="development"), "demo")])
    assert said(seen.leaks(last, "demo")) == [("h1", "last", "h1", ("id", "text"))]


def rows(seen: SeenQueries, table: str) -> int:
    with sqlite3.connect(seen.path) as connection:
        found = int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    connection.close()
    return found


def test_a_known_revision_is_passed_over_and_a_new_one_adds_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = SeenQueries(tmp_path)
    one = suite("fresh", "development", ("f1", "one"), ("f2", "two"))
    two = suite("fresh", "development", ("f1", "one"), ("f2", "two, in other words"), ("f3", "three"))
    seen.add([(one, "demo"), (one, "demo"), (two, "demo")])
    assert (rows(seen, "revision"), rows(seen, "query")) == (2, 4)
    monkeypatch.setattr("runner.workflows.seen_queries.question_keys", lambda suite, query: 1 / 0)
    before = seen.path.read_bytes()
    seen.add([(one, "demo"), (two, "demo")])
    assert seen.path.read_bytes() == before


def test_what_cannot_be_entered_whole_is_not_entered_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = SeenQueries(tmp_path)
    seen.add([(suite("a", "development", ("1", "one")), "demo")])
    new = suite("b", "development", *((str(number), f"question {number}") for number in range(50)))

    def fails_on_the_last(suite: Suite, query: JudgedQuery) -> tuple[str, ...]:
        if query.id == "49":
            raise KeyboardInterrupt
        return question_keys(suite, query)

    monkeypatch.setattr("runner.workflows.seen_queries.question_keys", fails_on_the_last)
    with pytest.raises(KeyboardInterrupt):
        seen.add([(new, "demo")])
    assert (rows(seen, "revision"), rows(seen, "query")) == (1, 1)
    monkeypatch.undo()
    seen.add([(new, "demo")])
    assert (rows(seen, "revision"), rows(seen, "query")) == (2, 51)


def test_more_questions_than_one_statement_asks_for_are_all_found(tmp_path: Path) -> None:
    many = [(f"q{number}", f"question {number}") for number in range(1203)]
    SeenQueries(tmp_path).add([(suite("core", "regression", *many), "demo")])
    assert len(SeenQueries(tmp_path).leaks(suite("last", "holdout", *many), "demo")) == 1203


def enter(store: str, name: str) -> None:
    SeenQueries(store).add([(suite(name, "development", *((f"{name}{n}", f"{name} {n}") for n in range(200))), "demo")])


def test_two_sweeps_may_enter_at_once_into_a_record_that_is_not_there_yet(tmp_path: Path) -> None:
    context = get_context("spawn")
    others = [context.Process(target=enter, args=(str(tmp_path), name)) for name in "abc"]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0, 0, 0]
    assert rows(SeenQueries(tmp_path), "query") == 600


def test_a_damaged_record_and_one_of_a_later_format_are_errors_not_a_clean_bill(tmp_path: Path) -> None:
    seen, last = SeenQueries(tmp_path), suite("last", "holdout", ("h1", "one"))
    seen.path.write_bytes(b"no database " * 100)
    with pytest.raises(RunnerError, match=r"seen_queries\.db, the record of the questions .* is damaged"):
        seen.leaks(last, "demo")
    seen.path.unlink()
    connection = sqlite3.connect(seen.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(RunnerError, match="has format 99, this program reads 1"):
        seen.leaks(last, "demo")


def test_the_suites_of_the_demo_are_clean(tmp_path: Path) -> None:
    suites = [read(head) for head in sorted((data_directory() / "demo/suites").glob("*.yaml"))]
    assert {"core", "fresh", "holdout", "pages"} <= {each.name for each in suites}
    refuse_leaks([(each, "demo") for each in suites], tmp_path)
    SeenQueries(tmp_path).add([(each, "demo") for each in suites])
    refuse_leaks([(each, "demo") for each in suites], tmp_path)
