"""Each check fails by itself, and one that cannot be made counts in no denominator."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from citation_archive import FAX, LIMITS, RATE, ROTATE, SIZE, UPPER, ZH, Archive, answer, build, keep, noon

from runner.citation_checks.answer_file import Citation
from runner.citation_checks.check_result import CHECKS
from runner.documents.document import Normalization
from runner.engine.inputs import snapshot_store
from runner.errors import InputError

QUOTED = Citation(ROTATE, "Rotate an access token every ninety days.")


def expected(existence: str, containment: str, quotation: str, freshness: str) -> dict[str, str]:
    words = {"y": "held", "n": "failed", "-": "unchecked"}
    return dict(zip(CHECKS, (words[each] for each in (existence, containment, quotation, freshness)), strict=True))


@pytest.mark.parametrize(
    ("one", "outcomes"),
    [
        (answer(QUOTED), "yyyy"),
        # One check fails alone.
        (answer(Citation("en/token.md#x")), "ny--"),
        (answer(QUOTED, retrieved=(RATE,)), "ynyy"),
        (answer(Citation(ROTATE, "every ninety years")), "yyny"),
        (answer(Citation(RATE, "at most 200 requests"), at=noon("2026-10-01")), "yyyn"),
        # Two and three at once.
        (answer(Citation("made-up"), retrieved=(RATE,)), "nn--"),
        (answer(Citation(RATE, "at most 900"), retrieved=(), at=noon("2026-10-01")), "ynnn"),
        (answer(Citation("made-up", "words"), retrieved=(), at=None), "nn--"),
        # The snapshot is not there: only ids can be compared.
        (answer(QUOTED, snapshot="may"), "ny--"),
        (answer(QUOTED, snapshot="may", retrieved=(RATE,)), "nn--"),
        (answer(Citation("en/tokens.md"), snapshot="may", retrieved=(ROTATE,)), "n---"),
        (answer(QUOTED, snapshot="may", retrieved=("en/tokens.md",)), "n---"),
        # Nothing to check by.
        (answer(), "yy-y"),
        (answer(at=None), "yy--"),
        (answer(QUOTED, at=noon("2026-05-01")), "yyy-"),
    ],
)
def test_each_combination_of_outcomes(archive: Archive, one: Any, outcomes: str) -> None:
    assert archive.outcomes(one) == expected(*outcomes)


@pytest.mark.parametrize("how", ["id", "prefix", "name"])
def test_a_snapshot_is_found_by_id_beginning_and_name(archive: Archive, how: str) -> None:
    id_ = archive.ids["june"]
    named = {"id": id_, "prefix": id_[:9], "name": "june"}[how]
    checked = archive.check(answer(QUOTED, snapshot=named))
    assert checked.snapshots == (id_,)
    assert checked.citations[0].snapshot == id_


def test_a_beginning_of_several_ids_is_refused_by_line(tmp_path: Path) -> None:
    store = snapshot_store(tmp_path)
    ids: list[str] = []
    while len({id_[0] for id_ in ids}) == len(ids):
        ids.append(keep(store, build({"a.md": f"# A\n\nText {len(ids)}."}), "c", "2026-01-01"))
    archive = Archive(tmp_path, store, {})
    with pytest.raises(InputError, match=rf"answers.jsonl:7: snapshot '{ids[-1][0]}' could be"):
        archive.check(answer(line=7, snapshot=ids[-1][0]))


def test_a_snapshot_that_is_not_stored_is_a_failure_of_existence(archive: Archive) -> None:
    found = archive.finding("existence", answer(snapshot="may"))
    assert found == ("failed", "the snapshot is not stored", "no 'may' among 3 stored")


def test_a_named_snapshot_that_was_deleted_is_a_failure_of_existence(tmp_path: Path) -> None:
    store = snapshot_store(tmp_path)
    gone = keep(store, build({"a.md": "# A\n\nText."}), "c", "2026-01-01", "first")
    shutil.rmtree(store.root / gone)
    outcome, reason, said = Archive(tmp_path, store, {}).finding("existence", answer("a.md", snapshot="first"))
    assert (outcome, reason) == ("failed", "the snapshot is not stored")
    assert f"snapshot {gone}, named 'first'" in said


def test_a_missing_passage_comes_with_the_nearest_ids(archive: Archive) -> None:
    outcome, reason, said = archive.finding("existence", answer("en/tokens.md#rotat"))
    assert (outcome, reason) == ("failed", "not in the snapshot")
    assert said.startswith(f"nearest: {ROTATE}")


def test_a_passage_of_another_snapshot_does_not_exist(archive: Archive) -> None:
    assert archive.outcomes(answer(FAX)) == expected(*"ny--")
    assert archive.outcomes(answer(FAX, snapshot="march", at=None)) == expected(*"yy--")


def test_a_stored_snapshot_that_was_tampered_with_stops_the_check(tmp_path: Path) -> None:
    archive = Archive.make(tmp_path)
    path = archive.store.root / archive.ids["june"] / "documents.jsonl"
    path.write_text(path.read_text("utf-8").replace("ninety", "eighty"), "utf-8")
    with pytest.raises(InputError, match=r"documents.jsonl has changed since it was stored"):
        archive.check(answer(QUOTED))


@pytest.mark.parametrize(
    ("cited", "retrieved", "outcome"),
    [
        (ROTATE, ("en/tokens.md",), "held"),
        ("en/tokens.md", (ROTATE,), "held"),
        ("en/tokens.md", ("en/tokens.md",), "held"),
        ("en/tokens.md", (RATE,), "failed"),
        (ROTATE, ("en/tokens.md#revoke",), "failed"),
        (ROTATE, ("en/limits.md",), "failed"),
        (ROTATE, (), "failed"),
    ],
)
def test_containment_knows_pages_and_passages(
    archive: Archive, cited: str, retrieved: tuple[str, ...], outcome: str
) -> None:
    assert archive.finding("containment", answer(cited, retrieved=retrieved))[0] == outcome


def test_what_was_retrieved_of_the_same_page_is_said(archive: Archive) -> None:
    found = archive.finding("containment", answer(ROTATE, retrieved=(RATE, "en/tokens.md#revoke")))
    assert found == ("failed", "not among the retrieved", "2 retrieved, of the same page: en/tokens.md#revoke")
    assert archive.finding("containment", answer(retrieved=()))[1] == "nothing was retrieved"


@pytest.mark.parametrize(
    "quotation",
    [
        "Rotate an access token every ninety days.",
        "access   token\nevery\tninety",
        "Rotate an access token every\nninety days",
        # The title was served with the passage.
        "Tokens > Rotate",
    ],
)
def test_a_quotation_stands_whatever_its_white_space(archive: Archive, quotation: str) -> None:
    assert archive.finding("quotation", answer(Citation(ROTATE, quotation)))[0] == "held"


@pytest.mark.parametrize(
    ("quotation", "outcome"),
    [
        ("免費帳號「每分鐘」最多送出一百次請求，超過的會被拒絕。", "held"),
        ("最多送出\n一百次請求", "held"),
        ("最多 送出 一百次", "held"),
        ("每分鐘最多送出", "failed"),
        ("一百次請求,超過的", "failed"),
        ("付費帳號沒有上限", "failed"),
    ],
)
def test_a_chinese_quotation_stands_across_line_ends(archive: Archive, quotation: str, outcome: str) -> None:
    assert archive.finding("quotation", answer(Citation(UPPER, quotation)))[0] == outcome


def test_a_quotation_is_made_uniform_as_the_documents_were(tmp_path: Path) -> None:
    store = snapshot_store(tmp_path)
    composed = Normalization(unicode="NFKC")
    id_ = keep(
        store, build({"zh.md": composed.text("# 價格\n\nＡＰＩ 每月 ５０ 元，cafe\u0301")}, composed), "c", "2026-01-01"
    )
    plain = keep(store, build({"zh.md": "# 價格\n\nＡＰＩ 每月 ５０ 元"}), "d", "2026-01-01")
    archive = Archive(tmp_path, store, {})
    # The heading is the title of the page's passage, its text the rest.
    passage = "zh.md#價格"
    for quotation in ("ＡＰＩ 每月 ５０ 元，", "API每月50元", "caf\u00e9"):
        assert archive.finding("quotation", answer(Citation(passage, quotation), snapshot=id_))[0] == "held"
    assert archive.finding("quotation", answer(Citation(passage, "API 每月 50 元"), snapshot=plain))[0] == "failed"


@pytest.mark.parametrize(
    ("cited", "quotation", "retrieved", "reason", "said"),
    [
        (ROTATE, "every ninety years", None, "not in the text", "83% alike: every ninety days"),
        (ROTATE, "完全不同", None, "not in the text", "nothing like it there"),
        (ROTATE, "Revoke a lost token", None, "stands elsewhere on the page", "in en/tokens.md#revoke"),
        (ROTATE, "ninety days. ## Revoke", None, "stands elsewhere on the page", "across passages of en/tokens.md"),
        (ROTATE, "at most 200 requests", (ROTATE, RATE), "stands in another retrieved passage", f"in {RATE}"),
        (RATE, "at most 20", None, "cuts a word or a number", "at most 200 requests a minute."),
        (SIZE, "at most 1", None, "cuts a word or a number", "A body has at most 1.5 MB."),
    ],
)
def test_a_quotation_that_does_not_stand_says_what_is_there(
    archive: Archive, cited: str, quotation: str, retrieved: tuple[str, ...] | None, reason: str, said: str
) -> None:
    outcome, why, found = archive.finding(
        "quotation", answer(Citation(cited, quotation), retrieved=retrieved or (cited,))
    )
    assert (outcome, why) == ("failed", reason)
    assert said in found


def test_the_similarity_of_the_nearest_text_is_kept(archive: Archive) -> None:
    (checked,) = archive.check(answer(Citation(UPPER, "最多送出三百次請求"))).citations
    # One of nine characters is another.
    assert checked.findings["quotation"].similarity == pytest.approx(1 - 2 / 18)


def test_a_quotation_of_a_cited_page_may_stand_anywhere_on_it(archive: Archive) -> None:
    for quotation in ("Revoke a lost token", "ninety days. ## Revoke"):
        assert archive.finding("quotation", answer(Citation("en/tokens.md", quotation)))[0] == "held"


def test_several_citations_of_several_snapshots_keep_the_order_of_the_file(archive: Archive) -> None:
    answers = [
        answer(SIZE, RATE, line=1, snapshot="june"),
        answer(FAX, line=2, snapshot="march", at=noon("2026-04-01")),
        answer(ROTATE, UPPER, line=3, snapshot="may"),
        answer(UPPER, ROTATE, line=4, snapshot="june"),
        answer(line=5, citations=(), repeated=0),
    ]
    checked = archive.check(*answers)
    assert [(each.answer.line, each.citation.id) for each in checked.citations] == [
        (1, SIZE),
        (1, RATE),
        (2, FAX),
        (3, ROTATE),
        (3, UPPER),
        (4, UPPER),
        (4, ROTATE),
    ]
    assert checked.without_citation == 1
    assert checked.snapshots == tuple(sorted([archive.ids["june"], archive.ids["march"]]))


def test_retrieved_ids_that_the_snapshot_does_not_hold_are_counted(archive: Archive) -> None:
    answers = [answer(retrieved=(ROTATE, "en/tokens.md", FAX, "made-up")), answer(snapshot="may", line=2)]
    assert archive.check(*answers).retrieved_unknown == 2


def test_every_snapshot_is_read_once(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    load = type(archive.store).load

    def counted(self: Any, wanted: str) -> Any:
        read.append(wanted)
        return load(self, wanted)

    monkeypatch.setattr(type(archive.store), "load", counted)
    answers = [answer(line=n, snapshot=("june", archive.ids["june"], "march")[n % 3], at=None) for n in range(1, 40)]
    archive.check(*answers)
    assert sorted(read) == sorted([archive.ids["june"], archive.ids["march"]])


def test_many_failing_quotations_are_all_found_and_the_first_ones_compared(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.citation_checks.checking._MOST_ALIGNED", 3)
    answers = [answer(Citation(ROTATE, f"every ninety years {n}"), line=n) for n in range(1, 6)]
    found = [each.findings["quotation"] for each in archive.check(*answers).citations]
    assert [each.outcome for each in found] == ["failed"] * 5
    assert [each.similarity is None for each in found] == [False, False, False, True, True]


def test_the_pages_of_the_handbook_are_what_these_tests_say(archive: Archive) -> None:
    june = archive.store.load("june")
    assert {RATE, SIZE, ROTATE, UPPER} <= {passage.id for passage in june.passages}
    assert FAX not in {passage.id for passage in june.passages}
    assert json.loads((archive.store.root / june.id / "snapshot.json").read_text("utf-8"))["documents"] == 3
    assert "一百次" in ZH and "{}" in LIMITS
