"""The files of a migrated suite: new ones beside the old, all or nothing, never over something else."""

import json
from pathlib import Path
from typing import Any

import pytest
from migration_world import LIMITS, OTHER, ZH_LIMITS, pages, query, snapshot, suite_file

from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.history.suite_file import SuiteFile
from runner.annotation.migration import files as migration_files
from runner.annotation.migration.files import Written, refuse_unfinished, target_of, write_migration
from runner.annotation.migration.migrate import Migration, migrate
from runner.errors import InputError
from runner.files import atomic

PAGE = f"a.md\n# Limits\n\n{LIMITS}\n\n# Size\n\n{OTHER}\n\n# 限制\n\n{ZH_LIMITS}"
OLD, NEW = snapshot(pages(PAGE)), snapshot(pages(PAGE.replace("hundred", "thousand")))
HEAD = f"""# Questions of the team.
name: core   # never renamed
unit: passage
snapshot: "{OLD.id}"  # the pages of autumn
queries: core.jsonl
fields: [language]

# Ask wei before changing anything.
about: 問題集
"""
ROWS = [
    query("q1", "a.md#limits", "a.md#size", language="en"),
    query("q2", "a.md#size", language="en"),
    query("q3", {"id": "a.md#限制", "grade": 2, "annotator": "wei"}, language="zh-Hant"),
]


def migrated(file: SuiteFile) -> Migration:
    return migrate(file.read(), OLD, NEW, by="wei")


def write(file: SuiteFile, out: Path | None = None) -> Written:
    return write_migration(migrated(file), file, target_of(file.path, NEW.id, out))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_three_files_appear_beside_the_old_ones_which_stay_as_they_were(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    before = contents(tmp_path)
    written = write(file)
    stem = f"core-{NEW.id[:8]}"
    assert written == Written(tmp_path / f"{stem}.yaml")
    assert sorted(contents(tmp_path)) == sorted(
        ["core.jsonl", "core.yaml", f"{stem}.jsonl", f"{stem}.record.jsonl", f"{stem}.yaml"]
    )
    assert {name: contents(tmp_path)[name] for name in before} == before


def test_the_new_suite_is_read_fits_the_new_snapshot_and_is_what_was_migrated(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    suite = SuiteFile(write(file).path).read()
    suite.check(NEW)
    assert suite.revision == migrated(file).new.revision
    assert (suite.name, suite.snapshot) == ("core", NEW.id)
    assert [query.id for query in suite.unjudged()] == ["q1"]


def test_comments_of_the_head_stay_but_for_those_about_the_old_pin(tmp_path: Path) -> None:
    head = write(suite_file(tmp_path, ROWS, HEAD)).path.read_text("utf-8")
    wanted = HEAD.replace(f'"{OLD.id}"  # the pages of autumn', f'"{NEW.id}"')
    assert head == wanted.replace("queries: core.jsonl", f'queries: "core-{NEW.id[:8]}.jsonl"')


def test_lines_that_did_not_change_are_the_same_bytes(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    old = file.queries.read_bytes().split(b"\n")
    new = SuiteFile(write(file).path).queries.read_bytes().split(b"\n")
    assert new[1:] == old[1:]
    row = json.loads(new[0])
    assert row == {**ROWS[0], "relevant": [], "judged": False}
    assert list(row)[:2] == ["query_id", "text"]


def test_a_suite_of_windows_line_ends_and_a_byte_order_mark_keeps_both(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    for path in (file.path, file.queries):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    new = SuiteFile(write(file).path)
    data = new.queries.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf{")
    assert data.count(b"\r\n") == data.count(b"\n") == len(ROWS)
    head = new.path.read_bytes()
    assert head.startswith(b"\xef\xbb\xbf#")
    assert head.count(b"\r\n") == head.count(b"\n") == HEAD.count("\n")
    assert new.read().revision == migrated(file).new.revision


def test_the_record_says_between_what_and_from_where(tmp_path: Path) -> None:
    head, *rest = JudgmentRecord.beside(write(suite_file(tmp_path, ROWS, HEAD)).path).entries()
    assert head.details["old_path"] == "core.yaml"
    assert (head.details["from"], head.details["to"], head.by) == (OLD.id, NEW.id, "wei")
    assert [(entry.what, entry.query) for entry in rest] == [
        ("proposed", "q1"),
        ("carried", "q1"),
        ("carried", "q2"),
        ("carried", "q3"),
    ]


def test_the_same_command_twice_changes_nothing(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    write(file)
    before = contents(tmp_path)
    assert write(file).answers == 0
    assert contents(tmp_path) == before


def answer(path: Path, *, applied: bool) -> None:
    record = JudgmentRecord.beside(path)
    waiting = record.pending()[0]
    record.append("confirmed", query="q1", new=[{"id": "a.md#limits", "grade": 1}], by="wei", answers=waiting.id)
    if applied:
        LiveSuite(SuiteFile(path))


@pytest.mark.parametrize("applied", [True, False])
def test_the_same_command_after_an_answer_leaves_the_answer(tmp_path: Path, applied: bool) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    answer(write(file).path, applied=applied)
    before = contents(tmp_path)
    assert write(file).answers == 1
    assert contents(tmp_path) == before


def test_a_kill_between_answer_and_file_is_made_up_for_by_replay(tmp_path: Path) -> None:
    path = write(suite_file(tmp_path, ROWS, HEAD)).path
    answer(path, applied=False)
    assert SuiteFile(path).read().unjudged()
    with pytest.raises(InputError, match="record holds answers that the file does not"):
        refuse_unfinished(SuiteFile(path))
    LiveSuite(SuiteFile(path))
    refuse_unfinished(SuiteFile(path))
    first = SuiteFile(path).read().queries[0]
    assert (first.judged, first.grades) == (True, {"a.md#size": 1, "a.md#limits": 1})


def test_a_suite_with_something_pending_is_not_migrated_further(tmp_path: Path) -> None:
    path = write(suite_file(tmp_path, ROWS, HEAD)).path
    with pytest.raises(InputError, match=r"1 judgments wait for review .*'q1'.*review .*core-"):
        refuse_unfinished(SuiteFile(path))


def test_the_next_migration_drops_the_last_ones_ending(tmp_path: Path) -> None:
    path = write(suite_file(tmp_path, ROWS, HEAD)).path
    assert target_of(path, "fedcba9876543210", None) == tmp_path / "core-fedcba98.yaml"
    assert target_of(tmp_path / "core.yaml", "fedcba9876543210", None) == tmp_path / "core-fedcba98.yaml"
    # A suite that only looks like one, without a record, keeps its name.
    assert target_of(tmp_path / "a-12345678.yaml", "fedcba9876543210", None).name == "a-12345678-fedcba98.yaml"


@pytest.mark.parametrize("name", ["core.yaml", "new.txt"])
def test_impossible_targets_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        target_of(tmp_path / "core.yaml", NEW.id, tmp_path / name)


@pytest.mark.parametrize("suffix", [".yaml", ".jsonl", ".record.jsonl"])
def test_something_else_in_the_place_is_never_written_over(tmp_path: Path, suffix: str) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    other = tmp_path / f"core-{NEW.id[:8]}{suffix}"
    other.write_text('{"what": "gone"}\n' if "record" in suffix else "name: other\n", encoding="utf-8")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="is already there and is not what this migration makes"):
        write(file)
    assert contents(tmp_path) == before


def test_a_target_that_was_changed_by_hand_is_left_alone(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    queries = SuiteFile(write(file).path).queries
    queries.write_text(queries.read_text("utf-8").replace("question q2?", "another question?"), encoding="utf-8")
    with pytest.raises(InputError, match="is already there"):
        write(file)


def test_a_target_with_another_head_or_history_is_left_alone(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    path = write(file).path
    head = path.read_text("utf-8")
    path.write_text(head.replace("問題集", "別的"), encoding="utf-8")
    with pytest.raises(InputError, match="is already there"):
        write(file)
    path.write_text(head, encoding="utf-8")
    record = JudgmentRecord.beside(path).path
    lines = record.read_text("utf-8").splitlines(keepends=True)
    record.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(InputError, match="is already there"):
        write(file)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_kill_while_writing_leaves_no_half_suite_and_the_next_time_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    file = suite_file(tmp_path, ROWS, HEAD)
    done: list[Path] = []

    def killed(path: Path, data: bytes) -> None:
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(path)
        atomic.replace_file(path, data)

    monkeypatch.setattr(migration_files, "replace_file", killed)
    with pytest.raises(KeyboardInterrupt):
        write(file)
    assert not (tmp_path / f"core-{NEW.id[:8]}.yaml").exists()
    monkeypatch.undo()
    written = write(file)
    assert written.answers is None
    assert SuiteFile(written.path).read().revision == migrated(file).new.revision


def test_out_names_all_three_and_may_be_in_another_folder(tmp_path: Path) -> None:
    file = suite_file(tmp_path / "old", ROWS, HEAD)
    path = write(file, tmp_path / "新" / "核心.yaml").path
    assert sorted(contents(tmp_path / "新")) == ["核心.jsonl", "核心.record.jsonl", "核心.yaml"]
    assert SuiteFile(path).read().queries[1].grades == {"a.md#size": 1}


@pytest.mark.parametrize(
    ("head", "gone"),
    [
        ('name: core\nunit: passage\nfields: [language]\nfrozen: "{revision}"  # for good\n', "frozen"),
        ("fields:\n- language\nname: core\nunit: passage", "nothing"),
        ("---\nname: core\nunit: passage\nfields: [language]\n...\n", "nothing"),
    ],
)
def test_other_ways_to_write_a_head(tmp_path: Path, head: str, gone: str) -> None:
    revision = suite_file(tmp_path, ROWS, "name: core\nunit: passage\nfields: [language]\n").read().revision
    file = suite_file(tmp_path, ROWS, head.replace("{revision}", revision))
    new = SuiteFile(write(file).path)
    assert gone not in new.values
    assert new.values["snapshot"] == NEW.id
    assert new.read().snapshot == NEW.id


def test_a_head_in_braces_is_refused_with_the_remedy(tmp_path: Path) -> None:
    file = suite_file(tmp_path, ROWS, "{name: core, unit: passage, fields: [language]}\n")
    with pytest.raises(InputError, match="write it as `key: value` lines"):
        write(file)


def test_spans_are_pinned_to_the_documents(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [query("q1", {"document": "a.md", "quote": OTHER})]
    head = f'name: facts\nunit: span\ndocuments: "{OLD.documents_sha256[:16]}" # cut in any way\nsnapshot: "{OLD.id}"\n'
    new = SuiteFile(write(suite_file(tmp_path, rows, head)).path)
    assert new.values["documents"] == NEW.documents_sha256[:16]
    assert "snapshot" not in new.values
    new.read().check(NEW)
