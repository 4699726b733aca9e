"""Building snapshots: what is in them, and what their id depends on."""

from dataclasses import replace

import pytest

from runner.chunkers import Chunk, Chunker, Heading, WholeDocument, Window
from runner.documents import Document, Normalization
from runner.errors import InputError, RunnerError
from runner.snapshots import Snapshot

PAGES = (
    Document("b.md", "B", "# B\n\nbee\n\n## 限制\n\n十", {"lang": "zh", "n": 1}),
    Document("a.md", "A", "intro\n\n# A\n\nay", {"lang": "en"}),
)


def build(documents: tuple[Document, ...] = PAGES, chunker: Chunker | None = None) -> Snapshot:
    return Snapshot.build(documents, chunker or Heading())


def test_documents_and_passages_are_sorted_and_readable() -> None:
    snapshot = build()
    assert [document.id for document in snapshot.documents] == ["a.md", "b.md"]
    assert [passage.id for passage in snapshot.passages] == ["a.md#a", "a.md#top", "b.md#b", "b.md#限制"]
    assert snapshot.units("document") == ("a.md", "b.md")
    assert snapshot.units("passage") == ("a.md#a", "a.md#top", "b.md#b", "b.md#限制")
    assert snapshot.fields == ("lang", "n")


def test_a_passages_text_is_exactly_its_range() -> None:
    snapshot = build()
    assert [snapshot.text(passage) for passage in snapshot.passages] == ["ay", "intro", "bee", "十"]


def test_retrievers_get_title_and_body() -> None:
    passages = build().passages_for_retrieval()
    assert passages.ids == ("a.md#a", "a.md#top", "b.md#b", "b.md#限制")
    assert passages.documents == ("a.md", "a.md", "b.md", "b.md")
    assert passages.texts == ("A\nay", "A\nintro", "B\nbee", "B > 限制\n十")


def test_documents_without_title_or_text_give_stripped_texts() -> None:
    documents = (Document("1", "", "body"), Document("2", "title", ""), Document("3", "", ""))
    passages = build(documents, WholeDocument()).passages_for_retrieval()
    assert passages.ids == ("1", "2", "3")
    assert passages.texts == ("body", "title", "")


def test_a_unit_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no unit 'span'; it has document and passage"):
        build().units("span")


def test_the_id_does_not_depend_on_the_order_of_documents() -> None:
    assert build().id == build(PAGES[::-1]).id
    assert len(build().id) == 16
    assert build() == build(PAGES[::-1])


def test_everything_that_decides_the_content_changes_the_id() -> None:
    one = PAGES[0]
    changed = [
        build((one,)),
        build((replace(one, id="c.md"),)),
        build((replace(one, text=one.text + "!"),)),
        build((replace(one, title="b"),)),
        build((replace(one, fields={"lang": "zh", "n": 2}),)),
        build((one,), Heading(size=1201)),
        build((one,), Heading(overlap=1)),
        build((one,), Window()),
        build((one,), WholeDocument()),
        Snapshot.build((one,), Heading(), normalization=Normalization(unicode="NFKC")),
        build(),
    ]
    assert len({snapshot.id for snapshot in changed}) == len(changed)


def test_a_new_version_of_a_chunker_changes_the_id(monkeypatch: pytest.MonkeyPatch) -> None:
    before = build().id
    monkeypatch.setattr(Heading, "version", Heading.version + 1)
    assert build().id != before


def test_a_new_splitter_that_cuts_the_same_way_is_recorded_and_keeps_the_id(monkeypatch: pytest.MonkeyPatch) -> None:
    before = build()
    monkeypatch.setattr("runner.snapshots.snapshot.version", lambda name: "99.0")
    assert build().id == before.id
    assert build().settings["chunker"]["libraries"] != before.settings["chunker"]["libraries"]
    assert build(chunker=WholeDocument()).settings["chunker"]["libraries"] == {}


def test_defaults_and_the_same_values_written_out_have_one_id() -> None:
    written = {"_target_": "runner.chunkers.Heading", "size": 1200, "overlap": 0}
    assert Snapshot.build(PAGES, Heading(1200, 0), written, Normalization()).id == build().id


class Halves:
    """A chunker from outside: no dataclass, no version, no libraries."""

    def __init__(self, at: int = 2, slugs: tuple[str, str] = ("1", "2")) -> None:
        self.at, self.slugs = at, slugs

    def split(self, document: Document) -> list[Chunk]:
        ends = (0, self.at, len(document.text))
        return [Chunk(ends[n], ends[n + 1], "", slug) for n, slug in enumerate(self.slugs)]


def halves(*args: object, **settings: object) -> Snapshot:
    return Snapshot.build(PAGES, Halves(*args), settings)  # type: ignore[arg-type]


def test_a_chunker_of_ones_own_is_known_by_its_settings_and_by_what_it_cut() -> None:
    assert halves().id == halves().id
    assert halves(2, at=2).id != halves(2, at=3).id
    # Edited without a new version: the passages themselves tell.
    assert halves(2, at=2).id != halves(3, at=2).id


def test_a_chunker_that_names_two_passages_alike_is_refused() -> None:
    with pytest.raises(RunnerError, match=r"passage id 'a\.md#x' is given twice"):
        halves(2, ("x", "x"))


def test_a_chunker_that_leaves_the_text_is_refused() -> None:
    with pytest.raises(RunnerError, match=r"passage 'a\.md#1' has the range 0-500, outside the 14 characters"):
        halves(500)


def test_documents_with_one_id_are_refused() -> None:
    with pytest.raises(RunnerError, match=r"document id 'a\.md' is given twice"):
        build((*PAGES, PAGES[1]))
