"""Documents between two snapshots: the same, changed, added, removed, or under another id."""

import pytest
from change_pages import snapshot

from runner.alignment.documents import DocumentChanges, compare_documents
from runner.chunkers import WholeDocument
from runner.documents import Document
from runner.snapshots import Snapshot

RATES = "A project may publish ten messages per second to one queue, and every further one is refused with 429."
CHINESE = "每個專案每秒最多可發布十則訊息到同一個佇列，超過的訊息會被拒絕，並回應狀態碼四二九。"


def test_every_document_is_in_one_group() -> None:
    old = snapshot({"a.md": RATES, "b.md": "Old.", "c.md": CHINESE, "d.md": "Goes."})
    new = snapshot({"a.md": RATES, "b.md": "New.", "e.md": CHINESE, "f.md": "Comes."})
    assert compare_documents(old, new) == DocumentChanges(("a.md",), ("b.md",), ("f.md",), ("d.md",), {"c.md": "e.md"})


def test_a_title_or_a_field_alone_is_a_change() -> None:
    def of(title: str, updated: str) -> Snapshot:
        return Snapshot.build([Document("a.md", title, RATES, {"updated": updated})], WholeDocument())

    first = of("Rates", "2026-03")
    assert compare_documents(first, of("Rates", "2026-03")).same == ("a.md",)
    assert compare_documents(first, of("Limits", "2026-03")).changed == ("a.md",)
    assert compare_documents(first, of("Rates", "2026-09")).changed == ("a.md",)


@pytest.mark.parametrize("text", [RATES, CHINESE])
def test_a_page_under_another_id_with_a_few_words_changed_is_renamed(text: str) -> None:
    long = f"{text} {text[::-1]}"
    edited = long.replace("ten", "twenty").replace("十", "二十")
    assert edited != long
    changes = compare_documents(snapshot({"舊/a.md": long}), snapshot({"新/b.md": edited}))
    assert changes.renamed == {"舊/a.md": "新/b.md"}
    assert (changes.added, changes.removed) == ((), ())


def test_a_page_of_which_half_is_left_is_not_renamed() -> None:
    other = "Nothing of this was ever said before by anybody who writes documentation for a living, or so they say."
    changes = compare_documents(
        snapshot({"a.md": f"{RATES} {CHINESE}"}), snapshot({"b.md": f"{RATES} {other} {other}"})
    )
    assert changes.renamed == {}
    assert (changes.added, changes.removed) == (("b.md",), ("a.md",))


def test_of_two_equally_similar_pages_none_is_the_renamed_one() -> None:
    old = snapshot({"team.md": RATES.replace("ten", "20")})
    new = snapshot({"x.md": RATES.replace("ten", "30"), "y.md": RATES.replace("ten", "40")})
    assert compare_documents(old, new).renamed == {}
    assert compare_documents(new, old).renamed == {}


def test_a_text_that_several_pages_have_is_followed_by_its_file_name_only() -> None:
    old = snapshot({"v1/a.md": RATES, "v1/b.md": RATES, "v1/c.md": RATES})
    new = snapshot({"v2/a.md": RATES, "v2/b.md": RATES, "v2/x.md": RATES})
    changes = compare_documents(old, new)
    assert changes.renamed == {"v1/a.md": "v2/a.md", "v1/b.md": "v2/b.md"}
    assert (changes.removed, changes.added) == (("v1/c.md",), ("v2/x.md",))


def test_a_short_page_is_renamed_only_under_its_title() -> None:
    def of(id_: str, title: str, text: str) -> Snapshot:
        return Snapshot.build([Document(id_, title, text)], WholeDocument())

    old = of("a.md", "Rate", "100 per minute")
    assert compare_documents(old, of("b.md", "Rate", "100 per minute")).renamed == {"a.md": "b.md"}
    assert compare_documents(old, of("b.md", "Size", "100 per minute")).renamed == {}


def test_pages_without_any_text_are_never_the_same_page() -> None:
    assert compare_documents(snapshot({"a/x.md": ""}), snapshot({"b/x.md": ""})).renamed == {}
    several = compare_documents(snapshot({"a/x.md": "", "a/y.md": ""}), snapshot({"b/x.md": "", "b/y.md": ""}))
    assert several.renamed == {}


def test_nothing_and_something_can_be_compared() -> None:
    empty, one = snapshot({}), snapshot({"a.md": RATES})
    assert compare_documents(empty, empty) == DocumentChanges((), (), (), (), {})
    assert compare_documents(empty, one).added == ("a.md",)
    assert compare_documents(one, empty).removed == ("a.md",)
