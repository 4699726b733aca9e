"""Why a run of the same configuration scores otherwise: each kind of input by itself, several, and none."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from decide_scores import stored

from runner.decisions.explain import Cause, causes, document_changes, sentence
from runner.suite_formats.own import write_own
from runner.suites import JudgedQuery, Suite
from runner.tracking.manifest import file_sum

QUERIES = tuple(
    JudgedQuery(f"q{number}", f"text {number}", {"en/a.md": 1}, {"language": "en"}) for number in range(1, 9)
)
SUITE = Suite("core", "development", "document", QUERIES, slices=("language",))
HASH = "0123456789abcdef" * 4


def moved(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Every cause between two runs of these parameters, as text."""
    return "; ".join(map(str, causes(stored("a", **before), stored("b", **after))))


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("chunker", "chunking"),
        ("stage.chunker.overlap", "chunking"),
        ("normalization.unicode", "chunking"),
        ("stage.bm25.k1", "settings"),
        ("history", "suite"),
        ("unit", "suite"),
        ("min_grade", "suite"),
        ("suite", "suite"),
        ("stage.bm25.analyzer.lexicon_sha256", "lexicon"),
        ("stage.semantic.embedder.weights_sha256", "model content"),
        ("version.bm25s", "library versions"),
        ("version.python", "library versions"),
        ("seed", "settings"),
        ("program_version", "program version"),
        ("metrics_version", "program version"),
        ("pool", "settings"),
    ],
)
def test_each_input_that_moved_is_named_by_its_kind_with_both_values(key: str, kind: str) -> None:
    assert moved({key: "old"}, {key: "新"}) == f"{kind} ({key}: old -> 新)"


@pytest.mark.parametrize(
    "key",
    [
        "snapshot",
        "snapshot.documents",
        "snapshot.passages",
        "retriever_hash",
        "dataset",
        "suite_role",
        "slicing.freshness.as_of",
    ],
)
def test_what_only_follows_from_another_input_is_no_cause(key: str) -> None:
    assert moved({key: "old"}, {key: "new"}) == ""


def test_a_setting_that_only_one_run_has_is_shown_against_a_dash() -> None:
    assert moved({}, {"stage.late.weight": "1"}) == "settings (stage.late.weight: - -> 1)"


def test_a_hash_is_shown_by_its_beginning() -> None:
    key = "stage.semantic.embedder.weights_sha256"
    assert moved({key: HASH}, {key: HASH[::-1]}) == f"model content ({key}: {HASH[:12]} -> {HASH[::-1][:12]})"


def test_causes_come_most_telling_first() -> None:
    keys = [
        "version.bm25s",
        "program_version",
        "stage.x.k1",
        "chunker.size",
        "stage.x.lexicon_sha256",
        "unit",
        "stage.x.weights_sha256",
    ]
    found = causes(stored("a", **dict.fromkeys(keys, "1")), stored("b", **dict.fromkeys(keys, "2")))
    assert [cause.kind for cause in found] == [
        "chunking",
        "suite",
        "model content",
        "lexicon",
        "settings",
        "library versions",
        "program version",
    ]


def test_another_commit_and_uncommitted_changes_are_the_programs() -> None:
    old, new = (stored(name, {"git_commit": name * 40, "git_dirty": "false"}) for name in "ab")
    (cause,) = causes(old, new)
    assert str(cause) == "program version (commit aaaaaaaaaa -> bbbbbbbbbb)"
    dirty = replace(new, tags={"git_commit": "a" * 40, "git_dirty": "true"})
    assert list(map(str, causes(old, dirty))) == ["program version (uncommitted changes when b was made)"]


def test_the_documents_that_changed_came_and_went_are_named(tmp_path: Path) -> None:
    old = {"en/a.md": "1", "en/b.md": "2", "zh/額度.md": "3", "tab\tin name.md": "4"}
    new = {"en/a.md": "1", "en/c.md": "2", "zh/額度.md": "9", "tab\tin name.md": "5"}
    for name, documents in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        text = "".join(f"{id_}\t{digest}\n" for id_, digest in documents.items())
        (tmp_path / name / "documents.tsv").write_text(text, "utf-8")
    assert document_changes(tmp_path / "old/documents.tsv", tmp_path / "new/documents.tsv") == [
        "2 changed: tab\tin name.md, zh/額度.md",
        "1 added: en/c.md",
        "1 removed: en/b.md",
    ]
    before = stored("a", folder=tmp_path / "old")
    after = stored("b", folder=tmp_path / "new", documents_sha256="docs2")
    assert str(causes(before, after)[0]).startswith("documents (2 changed: tab\tin name.md, zh/額度.md; 1 added")


def test_of_many_documents_the_first_five_are_named(tmp_path: Path) -> None:
    for name, digest in (("old", "1"), ("new", "2")):
        (tmp_path / name).mkdir()
        text = "".join(f"d{number}.md\t{digest}\n" for number in range(9))
        (tmp_path / name / "documents.tsv").write_text(text, "utf-8")
    assert document_changes(tmp_path / "old/documents.tsv", tmp_path / "new/documents.tsv") == [
        "9 changed: d0.md, d1.md, d2.md, d3.md, d4.md and 4 more"
    ]


def test_many_documents_are_named_from_the_snapshots_of_the_store(tmp_path: Path) -> None:
    for name, text in (("aaaaaaaaaaaaaaaa", "d1.md\t1\n"), ("bbbbbbbbbbbbbbbb", "d1.md\t2\nd2.md\t3\n")):
        folder = tmp_path / "snapshots" / name
        folder.mkdir(parents=True)
        (folder / "documents.tsv").write_text(text, "utf-8")
    sums = {path.name: file_sum(path / "documents.tsv") for path in (tmp_path / "snapshots").iterdir()}
    before, after = (
        replace(stored(letter, snapshot=letter * 16, documents_sha256=sums[letter * 16]), home=tmp_path)
        for letter in "ab"
    )
    assert str(causes(before, after)[0]).startswith("documents (1 changed: d1.md; 1 added: d2.md)")
    (tmp_path / "snapshots/bbbbbbbbbbbbbbbb/documents.tsv").write_text("d1.md\t9\n", "utf-8")
    assert str(causes(before, after)[0]) == "documents"


def _changed(number: int, **values: Any) -> tuple[JudgedQuery, ...]:
    return tuple(replace(each, **values) if at == number else each for at, each in enumerate(QUERIES))


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ({"queries": (*QUERIES, JudgedQuery("新", "x", {"en/a.md": 1}))}, "1 query added: 新"),
        ({"queries": QUERIES[2:]}, "2 queries removed: q1, q2"),
        ({"queries": _changed(2, text="other words")}, "1 query reworded: q3"),
        ({"queries": _changed(2, history=("earlier",))}, "1 query reworded: q3"),
        ({"queries": _changed(3, grades={"en/b.md": 1})}, "1 query judged otherwise: q4"),
        ({"queries": _changed(3, grades={"en/a.md": 2})}, "1 query judged otherwise: q4"),
        ({"queries": _changed(3, source="synthetic")}, "1 query judged otherwise: q4"),
        ({"queries": _changed(3, grades={}, answerable=False)}, "1 query judged otherwise: q4"),
        ({"queries": _changed(5, fields={"language": "zh"})}, "1 query with other fields: q6"),
        ({"history_mode": "ignore"}, "no query or judgment, only what the suite says of all of them"),
    ],
)
def test_a_suite_that_moved_says_in_which_queries_or_judgments(
    tmp_path: Path, after: dict[str, Any], told: str
) -> None:
    suites = SUITE, replace(SUITE, **after)
    runs = []
    for name, suite in zip(("old", "new"), suites, strict=True):
        write_own(suite, tmp_path / name / "suite")
        runs.append(stored(name, folder=tmp_path / name, suite_revision=suite.revision))
    assert list(map(str, causes(*runs))) == [f"suite ({told})"]


def test_a_stored_suite_that_was_tampered_with_is_said_to_be_unreadable(tmp_path: Path) -> None:
    write_own(SUITE, tmp_path / "suite")
    runs = [stored(name, folder=tmp_path, suite_revision=name) for name in ("rev1", "rev2")]
    (cause,) = causes(*runs)
    assert "the suites cannot be read (the suite stored with run rev1 has revision" in str(cause)


DOCUMENTS = Cause("documents", ("1 changed: zh/額度.md",))
LIBRARIES = Cause("library versions", ("version.bm25s: 1 -> 2",))


@pytest.mark.parametrize(
    ("before", "after", "found", "said"),
    [
        (
            0.969,
            0.93,
            [DOCUMENTS],
            "mrr fell from 0.969 to 0.930 because the documents (1 changed: zh/額度.md) moved.",
        ),
        (0.5, 0.75, [Cause("lexicon", ())], "mrr rose from 0.500 to 0.750 because the lexicon moved."),
        (
            0.969,
            0.93,
            [DOCUMENTS, LIBRARIES],
            "mrr fell from 0.969 to 0.930; the causes that remain are: documents (1 changed: zh/額度.md), "
            "library versions (version.bm25s: 1 -> 2).",
        ),
        (
            0.5,
            0.25,
            [],
            "mrr fell from 0.500 to 0.250; no recorded input moved, so the retriever is not repeatable or the store "
            "was edited.",
        ),
        (0.5, 0.5, [], "mrr stayed at 0.500; no recorded input moved."),
        (0.5, 0.5, [LIBRARIES], "mrr stayed at 0.500, although these moved: library versions (version.bm25s: 1 -> 2)."),
    ],
)
def test_it_all_ends_in_one_sentence(before: float, after: float, found: list[Cause], said: str) -> None:
    assert sentence("mrr", before, after, found) == said


def test_nothing_moved_between_two_runs_of_the_same_inputs() -> None:
    assert causes(stored("a"), stored("b")) == []
