"""Whatever is done to pages: what is carried has the same text, and nothing that was judged disappears unsaid."""

from collections import defaultdict
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.annotation.history.entry import RecordEntry, pending_in
from runner.annotation.history.replay import is_relevant, replay
from runner.annotation.migration.migrate import Migration, migrate
from runner.chunkers import Chunker, Heading, WholeDocument, Window
from runner.documents import Document
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Judgment, Span, Suite
from runner.suites.existence import SpanPlaces

# Few sentences, short and long, so that texts repeat, move and collide all the time.
SENTENCES = (
    "100 a minute.",
    "200 a minute.",
    "每分鐘一百次。",
    "每分鐘二百次。",
    "The free plan may publish a hundred messages a minute to every one of its queues.",
    "The team plan may publish a hundred messages a minute to every one of its queues.",
    "免費方案的每一個佇列每分鐘最多可以發佈一百則訊息，超過這個數量的請求會被拒絕，並且在一分鐘後才可以再次嘗試。",
    "A message may be up to 256 KB large, counted with all of its headers and its key.",
)
section = st.tuples(st.sampled_from(["Free", "Team", "限制"]), st.lists(st.sampled_from(SENTENCES), max_size=3))
page = st.lists(section, min_size=1, max_size=3)
corpus = st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md", "文件.md"]), page, min_size=1, max_size=3)
chunkers = st.sampled_from([Heading(), Heading(), Heading(90), WholeDocument(), Window(60, 10)])
grades = st.sampled_from([0, 1, 1, 2])


def built(pages: dict[str, list[tuple[str, list[str]]]], chunker: Chunker) -> Snapshot:
    documents = [
        Document(id_, sections[0][0], "\n\n".join(f"# {title}\n\n{chr(10).join(body)}" for title, body in sections))
        for id_, sections in pages.items()
    ]
    return Snapshot.build(documents, chunker)


def migrated(data: st.DataObject, old: Snapshot, new: Snapshot, unit: str) -> Migration:
    names = list(old.units(unit)) if unit != "span" else []
    spans: dict[str, Span] = {}
    # A suite may name a place in one way only.
    where: dict[str, object] = {}
    if unit == "span":
        places = SpanPlaces(old)
        for document in old.documents:
            for line in {line for line in document.text.split("\n") if line and not line.startswith("#")}:
                start = document.text.rindex(line)
                for span in (
                    Span(document.id, line),
                    Span(document.id, line, start),
                    Span(document.id, None, start, start + 9),
                ):
                    if places.fault(span) is None:
                        spans[span.id] = span
                        where[span.id] = document.id, places.find(span)
        names = sorted(spans)
    queries = []
    for number in range(2):
        chosen = (
            data.draw(
                st.lists(
                    st.tuples(st.sampled_from(names), grades),
                    max_size=4,
                    unique_by=lambda each: where.get(each[0], each[0]),
                )
            )
            if names
            else []
        )
        judgments = tuple(Judgment(id_, grade, annotator=f"w{number}") for id_, grade in chosen)
        relevant = any(judgment.grade for judgment in judgments)
        mine = {id_: spans[id_] for id_, _ in chosen if id_ in spans}
        queries.append(JudgedQuery.of_judgments(f"q{number}", "?", judgments, spans=mine, judged=relevant))
    documents = old.documents_sha256[:16] if unit == "span" else None
    return migrate(Suite("s", "development", unit, tuple(queries), documents=documents), old, new, at="2026-11-30")


def everything_holds(migration: Migration, new: Snapshot) -> None:
    migration.new.check(new)
    told: dict[str, set[str]] = defaultdict(set)
    for entry in migration.entries[1:]:
        told[entry.query].add(
            str({key: value for key, value in (entry.old or {}).items() if key not in ("grade", "annotator")})
        )
    for query in migration.old.queries:
        assert len(told[query.id]) == len(query.grades)
    assert replay(migration.new, migration.entries) == migration.new
    history = list(migration.entries)
    for entry in pending_in(history):
        history.append(
            RecordEntry(
                len(history) + 1, "confirmed", entry.query, new=entry.new, by="w", at="2026-11-30", answers=entry.id
            )
        )
    done = replay(migration.new, history)
    assert replay(done, history) == done
    for query, before in zip(done.queries, migration.old.queries, strict=True):
        assert query.judged <= before.judged
        if before.judged and not any(entry.what == "gone" for entry in history if entry.query == query.id):
            assert query.judged
    back = [
        *history,
        *(
            RecordEntry(len(history) + n, "undone", e.query, answers=e.id)
            for n, e in enumerate(history[len(migration.entries) :], 1)
        ),
    ]
    assert replay(done, back) == replace(migration.new)


@settings(max_examples=120, deadline=None)
@given(st.data(), corpus, corpus, chunkers, chunkers)
def test_carried_passages_show_the_text_that_was_judged(data, first, second, chunker, other) -> None:  # type: ignore[no-untyped-def]
    old, new = built(first, chunker), built(second, other)
    before = {passage.id: old.text(passage).strip() for passage in old.passages}
    after = {passage.id: new.text(passage).strip() for passage in new.passages}
    migration = migrated(data, old, new, "passage")
    for entry in migration.entries[1:]:
        if entry.what == "carried":
            assert entry.old is not None
            for item in entry.new:
                if is_relevant(entry):
                    assert before[entry.old["id"]] in after[item["id"]]
                else:
                    assert after[item["id"]] in before[entry.old["id"]]
    everything_holds(migration, new)


@settings(max_examples=80, deadline=None)
@given(st.data(), corpus, chunkers, chunkers)
def test_cutting_the_same_pages_anew_leaves_nothing_gone(data, pages, chunker, other) -> None:  # type: ignore[no-untyped-def]
    old, new = built(pages, chunker), built(pages, other)
    migration = migrated(data, old, new, "passage")
    shown = {passage.id: old.text(passage).strip() for passage in old.passages}
    gone = [entry for entry in migration.entries if entry.what == "gone"]
    # A section's heading is shown by whole pages and windows only.
    assert all(entry.old and not shown[entry.old["id"]].replace("#", "").strip("FreTam 限制\n") for entry in gone)
    everything_holds(migration, new)


@settings(max_examples=120, deadline=None)
@given(st.data(), corpus, corpus)
def test_carried_spans_are_the_same_words(data, first, second) -> None:  # type: ignore[no-untyped-def]
    old, new = built(first, Heading()), built(second, Heading())
    migration = migrated(data, old, new, "span")
    texts = [{document.id: document.text for document in each.documents} for each in (old, new)]
    places = SpanPlaces(old), SpanPlaces(new)
    for entry in migration.entries[1:]:
        if entry.what == "carried" and entry.old:
            for item in entry.new:
                words = []
                for each, place, text in zip((entry.old, item), places, texts, strict=True):
                    span = Span(each["document"], each.get("quote"), each.get("start"), each.get("end"))
                    start, end = place.find(span)
                    words.append(" ".join(text[span.document][start:end].split()))
                assert words[0] == words[1]
        else:
            for item in entry.new:
                places[1].find(Span(item["document"], item.get("quote"), item.get("start"), item.get("end")))
    everything_holds(migration, new)


@settings(max_examples=60, deadline=None)
@given(st.data(), corpus, corpus)
def test_carried_documents_have_the_same_text(data, first, second) -> None:  # type: ignore[no-untyped-def]
    old, new = built(first, Heading()), built(second, Heading())
    migration = migrated(data, old, new, "document")
    before, after = ({document.id: document.text for document in each.documents} for each in (old, new))
    for entry in migration.entries[1:]:
        if entry.what == "carried" and entry.old:
            assert all(before[entry.old["id"]] == after[item["id"]] for item in entry.new)
    everything_holds(migration, new)
