"""A cited page is fresh if it was the same in the newest snapshot of its collection when the answer was served."""

import json
import shutil
from pathlib import Path

import pytest
from citation_archive import FAX, OLD, PAGES, RATE, ROTATE, TOKENS, Archive, answer, build, keep, noon

from runner.chunkers import WholeDocument
from runner.documents.document import Document
from runner.engine.inputs import snapshot_store
from runner.errors import InputError
from runner.snapshots import Snapshot


def fresh(archive: Archive, cited: str, snapshot: str, date: str, collection: str | None = None) -> str:
    return archive.finding("freshness", answer(cited, snapshot=snapshot, at=noon(date)), collection)[0]


@pytest.mark.parametrize(
    ("cited", "snapshot", "date", "outcome"),
    [
        # The newest snapshot itself.
        (RATE, "march", "2026-04-01", "held"),
        (RATE, "june", "2026-06-01", "held"),
        (RATE, "september", "2027-01-01", "held"),
        # An older one: the page had changed, or had not.
        (RATE, "march", "2026-06-01", "failed"),
        (RATE, "june", "2026-09-01", "failed"),
        (ROTATE, "march", "2026-10-01", "held"),
        ("zh/額度.md", "march", "2026-10-01", "held"),
        # Deleted in June, back in September.
        (FAX, "march", "2026-05-31", "held"),
        (FAX, "march", "2026-07-01", "failed"),
        (FAX, "march", "2026-10-01", "held"),
    ],
)
def test_the_newest_snapshot_at_the_time_decides(
    archive: Archive, cited: str, snapshot: str, date: str, outcome: str
) -> None:
    assert fresh(archive, cited, snapshot, date) == outcome


def test_the_moment_itself_counts_as_made(archive: Archive) -> None:
    before = answer(RATE, snapshot="march", at="2026-05-31T23:59:59.999999+00:00")
    there = answer(RATE, snapshot="march", at="2026-06-01T02:00:00+02:00")
    assert [archive.finding("freshness", one)[0] for one in (before, there)] == ["held", "failed"]
    served_at_once = answer(RATE, at="2026-06-01T00:00:00+00:00")
    assert archive.finding("freshness", served_at_once)[0] == "held"
    assert archive.check(served_at_once).impossible == ()


def test_a_stale_page_says_what_it_was_compared_with(archive: Archive) -> None:
    _, reason, said = archive.finding("freshness", answer(RATE, snapshot="march", at=noon("2026-07-01")))
    assert reason == "the page had changed"
    assert said == "en/limits.md differs in june, made 2026-06-01T00:00:00Z"
    _, reason, said = archive.finding("freshness", answer(FAX, snapshot="march", at=noon("2026-07-01")))
    assert reason == "the page had been deleted or renamed"
    assert said == "en/fax.md is not in june, made 2026-06-01T00:00:00Z"


def test_a_page_that_lives_on_under_another_id_is_named(tmp_path: Path) -> None:
    store = snapshot_store(tmp_path)
    old = keep(store, build({"en/fax.md": OLD}), "c", "2026-01-01")
    keep(store, build({"en/傳真.md": OLD}), "c", "2026-02-01")
    outcome, reason, said = Archive(tmp_path, store, {}).finding("freshness", answer("en/fax.md", snapshot=old))
    assert (outcome, reason) == ("failed", "the page had been deleted or renamed")
    assert said.endswith("; there it is en/傳真.md")


def test_chunking_does_not_matter(tmp_path: Path) -> None:
    store = snapshot_store(tmp_path)
    old = keep(store, build({"en/tokens.md": TOKENS}), "c", "2026-01-01")
    whole = Snapshot.build([Document("en/tokens.md", "Tokens", TOKENS)], WholeDocument())
    assert keep(store, whole, "c", "2026-02-01") != old
    assert fresh(Archive(tmp_path, store, {}), ROTATE, old, "2026-03-01") == "held"


def test_a_snapshot_from_the_future_is_a_fault_of_the_record_and_no_stale_page(archive: Archive) -> None:
    future = answer(ROTATE, snapshot="september", at=noon("2026-08-01"))
    checked = archive.check(answer(line=1), future)
    ((one, fault),) = checked.impossible
    assert one == future
    assert fault == (
        "cites a snapshot from the future: served 2026-08-01T12:00:00Z, "
        f"but {archive.ids['september']} was made 2026-09-01T00:00:00Z"
    )
    assert archive.finding("freshness", future)[:2] == (
        "unchecked",
        "the snapshot was made after the answer was served",
    )


def test_an_answer_without_citations_can_come_from_the_future_too(archive: Archive) -> None:
    assert len(archive.check(answer(citations=(), snapshot="september", at=noon("2026-08-01"))).impossible) == 1


def test_without_a_time_nothing_is_fresh_or_stale(archive: Archive) -> None:
    assert archive.finding("freshness", answer(RATE, at=None))[:2] == ("unchecked", "no time of serving was given")
    assert archive.check(answer(RATE, at=None)).impossible == ()


def test_a_snapshot_without_a_collection_is_not_checked(tmp_path: Path) -> None:
    store = snapshot_store(tmp_path)
    for text in ("one", "two"):
        store.save(build({"a.md": f"# A\n\nText {text}."}))
    first = store.history()[0].id
    found = Archive(tmp_path, store, {}).finding("freshness", answer("a.md", snapshot=first, at=noon("2999-01-01")))
    assert found[:2] == ("unchecked", "the catalog knows no collection of the snapshot")


def two_collections(tmp_path: Path) -> tuple[Archive, str]:
    """March is in two collections; June only came to the handbook."""
    store = snapshot_store(tmp_path)
    march = keep(store, build(PAGES["march"]), "handbook", "2026-03-01", "march")
    keep(store, build(PAGES["march"]), "archive", "2026-03-02")
    keep(store, build(PAGES["june"]), "handbook", "2026-06-01")
    return Archive(tmp_path, store, {}), march


def test_collections_that_agree_decide_together_and_those_that_do_not_leave_it_open(tmp_path: Path) -> None:
    archive, march = two_collections(tmp_path)
    assert fresh(archive, ROTATE, march, "2026-07-01") == "held"
    found = archive.finding("freshness", answer(RATE, snapshot=march))
    assert found == ("unchecked", "its collections disagree; choose one with collection=NAME", "handbook, archive")


def test_a_collection_can_be_chosen(tmp_path: Path) -> None:
    archive, march = two_collections(tmp_path)
    assert fresh(archive, RATE, march, "2026-07-01", "handbook") == "failed"
    assert fresh(archive, RATE, march, "2026-07-01", "archive") == "held"
    with pytest.raises(InputError, match=r"no collection 'handbok' in .*; known: archive, handbook"):
        fresh(archive, RATE, march, "2026-07-01", "handbok")


def test_a_collection_that_had_no_snapshot_yet_has_no_say(tmp_path: Path) -> None:
    archive, march = two_collections(tmp_path)
    assert fresh(archive, RATE, march, "2026-03-01") == "held"
    found = archive.finding("freshness", answer(RATE, snapshot=march, at=noon("2026-03-01")), "archive")
    assert found[:2] == ("unchecked", "its collection had no snapshot yet when it was served")


def test_a_newest_snapshot_that_was_deleted_leaves_it_open(tmp_path: Path) -> None:
    archive = Archive.make(tmp_path)
    shutil.rmtree(archive.store.root / archive.ids["september"])
    assert fresh(archive, RATE, "june", "2026-07-01") == "held"
    found = archive.finding("freshness", answer(RATE, at=noon("2026-10-01")))
    assert found[:2] == ("unchecked", "the newest snapshot at that time is not stored any more")


def test_hashes_that_were_tampered_with_stop_the_check(tmp_path: Path) -> None:
    archive = Archive.make(tmp_path)
    path = archive.store.root / archive.ids["september"] / "documents.tsv"
    june = archive.store.load("june")
    text = path.read_text("utf-8").splitlines()
    sha256 = next(document.sha256 for document in june.documents if document.id == "en/limits.md")
    kept = [f"en/limits.md\t{sha256}" if line.startswith("en/limits.md\t") else line for line in text]
    path.write_text("\n".join(kept) + "\n", "utf-8")
    with pytest.raises(InputError, match=r"documents.tsv has changed since it was stored"):
        fresh(archive, RATE, "june", "2026-10-01")


def test_a_catalog_with_an_unreadable_time_is_refused(tmp_path: Path) -> None:
    archive = Archive.make(tmp_path)
    event = {"id": archive.ids["june"], "collection": "other", "name": None, "at": "in May", "corpus": ""}
    with (archive.store.root / "catalog.jsonl").open("a", encoding="utf-8") as catalog:
        catalog.write(json.dumps(event) + "\n")
    with pytest.raises(InputError, match="found the time 'in May', expected one like"):
        archive.check(answer())
