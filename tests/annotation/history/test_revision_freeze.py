"""Freezing a suite: its head says the revision, its record says why, and every frozen revision can be had again."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from migration_world import query, suite_file

from runner.annotation.history import revision
from runner.annotation.history.entry import RecordEntry
from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.history.revision import freeze
from runner.annotation.history.suite_file import SuiteFile
from runner.errors import InputError, RunnerError

HEAD = "# 我們的問題集\nname: core # ours\nunit: passage\n\nslices: [language]  # one\n"
ROWS = [query("q1", "a.md#x", language="en"), query("q2", "a.md#限制", language="zh-Hant")]


@pytest.fixture
def file(tmp_path: Path) -> SuiteFile:
    return suite_file(tmp_path, ROWS, HEAD)


def change(file: SuiteFile, old: str = "question q1?", new: str = "another question?") -> None:
    text = file.queries.read_text("utf-8")
    assert old in text
    file.queries.write_text(text.replace(old, new), encoding="utf-8")


def test_the_head_gets_one_line_and_keeps_everything_else(file: SuiteFile) -> None:
    frozen = freeze(file, by="wei")
    assert frozen.changed
    assert frozen.before is None
    assert file.path.read_text("utf-8") == f'{HEAD}frozen: "{frozen.revision}"\n'
    assert file.read().frozen == frozen.revision == file.read().revision


def test_the_record_says_who_froze_what_and_why(file: SuiteFile) -> None:
    first = freeze(file, by="wei")
    change(file)
    second = freeze(file, by="lin", why="問題一打錯字")
    one, two = JudgmentRecord.beside(file.path).entries()
    assert (one.what, one.by, one.note, one.details) == ("frozen", "wei", "", {"after": first.revision})
    assert (two.what, two.by, two.note) == ("frozen", "lin", "問題一打錯字")
    assert two.details == {"before": first.revision, "after": second.revision}
    assert file.path.read_text("utf-8").count("frozen:") == 1


def test_freezing_twice_changes_nothing_and_says_so(file: SuiteFile) -> None:
    freeze(file)
    before = file.path.read_bytes(), JudgmentRecord.beside(file.path).path.read_bytes()
    again = freeze(file)
    assert not again.changed
    assert (file.path.read_bytes(), JudgmentRecord.beside(file.path).path.read_bytes()) == before


def test_a_changed_suite_is_refused_by_reading_and_frozen_again_only_with_a_reason(file: SuiteFile) -> None:
    freeze(file)
    change(file)
    with pytest.raises(InputError, match="is frozen at revision"):
        file.read()
    with pytest.raises(InputError, match="say why it changes: why=REASON"):
        freeze(file)
    assert freeze(file, why="a slip").changed
    file.read()


def test_a_reason_is_asked_for_also_where_the_line_was_taken_out(file: SuiteFile) -> None:
    first = freeze(file)
    file.path.write_text(HEAD, encoding="utf-8")
    freeze(file)
    file.path.write_text(HEAD, encoding="utf-8")
    change(file)
    with pytest.raises(InputError, match=f"was frozen at revision {first.revision}"):
        freeze(file)


def test_every_frozen_revision_can_be_read_again(file: SuiteFile) -> None:
    original = file.queries.read_bytes()
    first = freeze(file)
    change(file)
    second = freeze(file, why="a slip")
    assert first.copy.name == f"{first.revision}.jsonl"
    assert first.copy.parent.name == "core.revisions"
    assert first.copy.read_bytes() == original
    for frozen in (first, second):
        assert SuiteFile(frozen.copy.with_suffix(".yaml")).read().revision == frozen.revision


def test_a_copy_is_never_changed_and_one_that_somebody_changed_is_refused(file: SuiteFile) -> None:
    copy = freeze(file).copy
    before = copy.read_bytes(), copy.stat().st_mtime_ns
    change(file)
    freeze(file, why="there")
    change(file, "another question?", "question q1?")
    freeze(file, why="and back")
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == before
    copy.write_text(copy.read_text("utf-8").replace("q1?", "q0?"), encoding="utf-8")
    with pytest.raises(InputError, match=r"core\.revisions.*is frozen at revision"):
        freeze(file)


def test_what_waits_is_not_frozen(file: SuiteFile) -> None:
    record = JudgmentRecord.beside(file.path)
    waiting = record.append("proposed", query="q9", old={"id": "a.md#y", "grade": 0})
    with pytest.raises(RunnerError, match=r"1 judgment waits for review: .*review") as caught:
        freeze(file)
    assert not isinstance(caught.value, InputError)
    record.append("dropped", query="q9", answers=waiting.id)
    assert freeze(suite_file(file.path.parent, [*ROWS, query("q9", judged=False, language="en")], HEAD)).changed


def test_what_is_disputed_is_not_frozen(tmp_path: Path) -> None:
    said = [{"id": "a.md#x", "grade": grade, "annotator": who} for who, grade in (("wei", 0), ("lin", 2))]
    file = suite_file(tmp_path, [query("q1", *said, language="en")], HEAD)
    with pytest.raises(RunnerError, match=r"disagree in 1 query \('q1'\).*only=disputed"):
        freeze(file)
    settled = [*said, {"id": "a.md#x", "grade": 1, "annotator": "mei", "adjudicated": True}]
    assert freeze(suite_file(tmp_path, [query("q1", *settled, language="en")], HEAD)).changed


def test_an_answer_that_a_kill_kept_out_of_the_file_is_not_forgotten(file: SuiteFile) -> None:
    JudgmentRecord.beside(file.path).append("judged", query="q1", new=[{"id": "a.md#z", "grade": 1}], by="wei")
    assert freeze(file).changed
    assert file.read().queries[0].grades == {"a.md#x": 1, "a.md#z": 1}


def test_nobody_answers_while_a_suite_is_frozen(file: SuiteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    live, said = LiveSuite(file), RecordEntry(0, "judged", "q1", new=({"id": "a.md#z", "grade": 1},), by="wei")
    keep, answers = revision.keep_copy, []

    def slow(*arguments: Any) -> Path:
        answers.append(pool.submit(live.change, lambda *_: [said]))
        with pytest.raises(TimeoutError):
            answers[0].result(timeout=0.2)
        return keep(*arguments)

    monkeypatch.setattr(revision, "keep_copy", slow)
    with ThreadPoolExecutor(1) as pool:
        frozen = freeze(file)
        with pytest.raises(InputError, match=f"is frozen at revision {frozen.revision}"):
            answers[0].result()
    assert file.read().revision == frozen.revision
    assert [entry.what for entry in JudgmentRecord.beside(file.path).entries()] == ["frozen"]


def test_every_other_fault_of_a_frozen_suite_is_still_an_error(file: SuiteFile) -> None:
    freeze(file)
    change(file, '"relevant": ["a.md#x"]', '"relevant": []')
    with pytest.raises(InputError, match=r"core\.jsonl:1: no relevant item"):
        freeze(file, why="a slip")


def test_a_kill_between_record_and_head_is_finished_by_the_next(file: SuiteFile, tmp_path: Path) -> None:
    frozen = freeze(file)
    file.path.write_text(HEAD, encoding="utf-8")
    again = freeze(file)
    assert (again.revision, again.changed) == (frozen.revision, True)
    assert len(JudgmentRecord.beside(file.path).entries()) == 1
    assert file.read().frozen == frozen.revision


def test_a_head_in_braces_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, "{name: core, unit: passage, slices: [language]}")
    with pytest.raises(InputError, match="write it as `key: value` lines"):
        freeze(file)
    assert sorted(path.name for path in tmp_path.glob("[!.]*")) == ["core.jsonl", "core.yaml"]


def test_saving_keeps_the_lines_of_queries_that_did_not_change(file: SuiteFile) -> None:
    text = file.queries.read_text("utf-8").replace('"query_id"', '   "query_id"')
    file.queries.write_text(f"\n{text}\n", encoding="utf-8")
    before = file.queries.read_text("utf-8").splitlines()
    LiveSuite(file).change(lambda *_: [RecordEntry(0, "judged", "q2", new=({"id": "a.md#z", "grade": 1},), by="wei")])
    after = file.queries.read_text("utf-8").splitlines()
    assert (after[:2], after[2] == before[2], len(after)) == (before[:2], False, 4)
