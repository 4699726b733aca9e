"""Real documentation, English and Traditional Chinese, read and cut."""

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from runner.chunkers import Heading, Window
from runner.documents import Beir, Pages
from runner.snapshots import Snapshot, SnapshotStore

DATA = Path(os.environ.get("RUNNER_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
SITES = [f"fastapi_docs_{language}/{date}/pages" for language in ("en", "zh_hant") for date in ("v1", "v2")]


def need(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"the public collection {name} is not in {DATA}; set RUNNER_SHARED_DATA")
    return DATA / name


@pytest.fixture(scope="module", params=SITES)
def site(request: pytest.FixtureRequest) -> Snapshot:
    return Snapshot.build(Pages(need(request.param)).read(), Heading())


def test_every_page_becomes_a_document(site: Snapshot, request: pytest.FixtureRequest) -> None:
    pages = need(request.node.callspec.params["site"])
    assert len(site.documents) == sum(1 for _ in pages.rglob("*.md"))
    assert all(document.title for document in site.documents)


def test_passages_are_ranges_with_unique_readable_ids(site: Snapshot) -> None:
    texts = {document.id: document.text for document in site.documents}
    assert len(set(site.units("passage"))) == len(site.passages) > 1000
    for passage in site.passages:
        body = texts[passage.document][passage.start : passage.end]
        assert body == site.text(passage) == body.rstrip()
        assert re.fullmatch(r"[^#\s]+\.md#[\w-]+", passage.id), passage.id
        assert not body.startswith("\n")


def test_passages_of_a_page_do_not_overlap_and_lose_only_headings(site: Snapshot) -> None:
    by_page: dict[str, list[tuple[int, int]]] = {}
    for passage in site.passages:
        by_page.setdefault(passage.document, []).append((passage.start, passage.end))
    for document in site.documents:
        ranges = sorted(by_page[document.id])
        for (_, end), (start, _) in pairwise([(0, 0), *ranges, (len(document.text), 0)]):
            assert end <= start
            lost = [line for line in document.text[end:start].split("\n") if line.strip()]
            assert all(re.match(r"\s{0,3}(#{1,6}\s|=+$|-+$)", line) for line in lost), (document.id, lost)


def test_no_passage_holds_half_a_code_block(site: Snapshot) -> None:
    cut = []
    for passage in site.passages:
        opened = ""
        for line in site.text(passage).split("\n"):
            fence = re.match(r"\s*(`{3,}|~{3,})", line)
            if fence and not opened:
                opened = fence[1]
            elif fence and fence[1].startswith(opened) and line.strip() == fence[1]:
                opened = ""
        if opened:
            cut.append(passage.id)
    assert cut == []


def test_long_passages_are_whole_blocks(site: Snapshot) -> None:
    for passage in site.passages:
        if passage.end - passage.start > 1200:
            assert re.match(r"\s*(`{3,}|~{3,}|\||<table)", site.text(passage)), passage.id


def test_a_table_is_never_cut() -> None:
    snapshot = Snapshot.build(Pages(need(SITES[0])).read(), Heading(size=200))
    tables = {
        (document.id, match[0])
        for document in snapshot.documents
        for match in re.finditer(r"(?m)^\|.*\n\|[ :|-]+\|\n(?:\|.*(?:\n|\Z))+", document.text)
    }
    assert tables
    texts: dict[str, list[str]] = {}
    for passage in snapshot.passages:
        texts.setdefault(passage.document, []).append(snapshot.text(passage))
    assert all(any(table.strip() in text for text in texts[page]) for page, table in tables)


@pytest.mark.parametrize("name", ["drcd_test", "nfcorpus"])
def test_windows_over_public_collections_lose_no_text(name: str) -> None:
    documents = Beir(need(name)).read()
    snapshot = Snapshot.build(documents, Window(200, 40))
    parts: dict[str, list[tuple[int, int]]] = {}
    for passage in snapshot.passages:
        parts.setdefault(passage.document, []).append((passage.start, passage.end))
    for document in documents:
        end = 0
        for start, stop in sorted(parts[document.id]):
            assert document.text[end:start].strip() == ""
            assert stop - start <= 200
            end = max(end, stop)
        assert document.text[end:].strip() == ""


def test_chinese_windows_of_public_paragraphs_end_with_sentences_where_they_fit() -> None:
    documents = Beir(need("drcd_test")).read()
    ends = total = 0
    for document in documents:
        if max(map(len, re.split(r"[。！？]", document.text))) < 190:
            for chunk in Window(200, 0).split(document)[:-1]:
                total += 1
                ends += bool(re.search(r"[。！？!?.][」』）)\"”]*$", document.text[: chunk.end]))
    assert total > 500
    assert ends / total > 0.99


def test_empty_documents_of_a_public_collection_are_kept(tmp_path: Path) -> None:
    documents = Beir(need("cranfield")).read()
    assert sum(not document.text for document in documents) == 2
    store = SnapshotStore(tmp_path)
    snapshot = Snapshot.build(documents, Window())
    assert len({passage.document for passage in snapshot.passages}) == len(documents) == 1400
    store.save(snapshot)
    assert store.load(snapshot.id) == snapshot
