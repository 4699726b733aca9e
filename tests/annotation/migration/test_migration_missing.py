"""Judgments of what the old documents lacked already: dropped, and said so in the record."""

from runner.annotation.migration.migrate import migrate
from runner.chunkers import WholeDocument
from runner.documents import Document
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite

OLD = Snapshot.build([Document("a", "A", "alpha"), Document("b", "B", "beta")], WholeDocument())
NEW = Snapshot.build([Document("a", "A", "alpha"), Document("c", "C", "beta")], WholeDocument())


def test_what_the_old_documents_lacked_is_dropped_and_recorded() -> None:
    queries = (
        JudgedQuery("q1", "what?", {"a": 1, "b": 0, "never": 0, "lost": 2}),
        JudgedQuery("q2", "and?", {"lost": 1}),
    )
    suite = Suite("core", "development", "document", queries, missing="skip")
    done = migrate(suite, OLD, NEW, at="2026-09-30T14:00:00+00:00")
    dropped = [(entry.query, (entry.old or {})["id"], entry.note) for entry in done.entries if entry.what == "dropped"]
    assert sorted(dropped) == [
        (query, id_, f"not in snapshot {OLD.id}") for query, id_ in (("q1", "lost"), ("q1", "never"), ("q2", "lost"))
    ]
    assert done.new.queries[0].grades["a"] == 1
    assert [query.judged for query in done.new.queries] == [True, False]
