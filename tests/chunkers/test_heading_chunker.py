"""Cutting Markdown at its headings."""

from itertools import pairwise

import pytest

from runner.chunkers import Chunk, Heading, WholeDocument
from runner.documents import Document
from runner.documents.markdown_outline import slug_of
from runner.errors import ConfigError


def cut(text: str, title: str = "Page", id_: str = "page.md", **settings: int) -> list[tuple[str, str, str]]:
    return [
        (chunk.slug, chunk.title, text[chunk.start : chunk.end])
        for chunk in Heading(**settings).split(Document(id_, title, text))
    ]


def test_a_passage_is_the_body_of_one_section() -> None:
    text = "# Page\n\nintro\n\n## Limits\n\nten\n\n### Soft\nfive\n\n## 限制 Limits\n\n十\n"
    assert cut(text) == [
        ("page", "Page", "intro"),
        ("limits", "Page > Limits", "ten"),
        ("soft", "Page > Limits > Soft", "five"),
        ("限制-limits", "Page > 限制 Limits", "十"),
    ]


def test_text_before_the_first_heading_is_the_top() -> None:
    assert cut("hello\n\n# Page\n\nx") == [("top", "Page", "hello"), ("page", "Page", "x")]


def test_a_first_heading_that_differs_from_the_title_stays_in_the_path() -> None:
    assert [title for _, title, _ in cut("# Other\n\nx\n\n## Sub\n\ny")] == ["Page > Other", "Page > Other > Sub"]


def test_a_document_without_title_has_its_headings_as_path() -> None:
    assert [title for _, title, _ in cut("intro\n\n# A\n\nx", title="")] == ["", "A"]


def test_a_section_without_body_makes_no_passage() -> None:
    assert [slug for slug, *_ in cut("# A\n\n## B\n\n \n\n## C\n\nx\n\n## D")] == ["c"]


@pytest.mark.parametrize("text", ["", "# Only\n\n## headings"])
def test_a_page_without_any_body_can_still_be_found_by_its_title(text: str) -> None:
    assert cut(text) == [("top", "Page", "")]


def test_levels_may_be_skipped_and_return() -> None:
    text = "#### Deep\n\na\n\n## Mid\n\nb\n\n#### Low\n\nc\n\n# Top\n\nd"
    assert [title for _, title, _ in cut(text)] == ["Page > Deep", "Page > Mid", "Page > Mid > Low", "Page > Top"]


def test_underlined_headings_count() -> None:
    assert cut("Big\n===\n\na\n\nSmall one\n---\nb") == [
        ("big", "Page > Big", "a"),
        ("small-one", "Page > Big > Small one", "b"),
    ]


@pytest.mark.parametrize(
    "text",
    ["```sh\n# comment\n```", "~~~\n# a\n\n# b\n~~~", "> # quoted", "- # in a list", "    # indented code", "#hashtag"],
)
def test_a_hash_inside_code_quotes_and_lists_is_no_heading(text: str) -> None:
    assert cut(text) == [("top", "Page", text)]


def test_a_plain_text_page_has_no_headings() -> None:
    assert cut("# one\n\nx", id_="notes.TXT") == [("top", "Page", "# one\n\nx")]


def test_the_same_heading_again_is_numbered() -> None:
    text = "## Limits\n\na\n\n## limits!\n\nb\n\n## Limits 2\n\nc\n\n## Limits\n\nd"
    assert [slug for slug, *_ in cut(text)] == ["limits", "limits-2", "limits-2-2", "limits-3"]


def test_a_heading_called_top_does_not_collide() -> None:
    assert [slug for slug, *_ in cut("a\n\n# Top\n\nb")] == ["top", "top-2"]


def test_a_heading_without_letters_gets_a_name() -> None:
    assert cut("# 🎉\n\na\n\n# !!\n\nb") == [("section", "Page > 🎉", "a"), ("section-2", "Page > !!", "b")]


def test_an_id_written_into_the_heading_is_the_slug_and_not_the_title() -> None:
    assert cut("## 贊助 { #sponsors }\n\na") == [("sponsors", "Page > 贊助", "a")]
    assert cut("## A {: #b .c }\n\na") == [("b", "Page > A", "a")]
    assert cut("## Use {x}\n\na") == [("use-x", "Page > Use {x}", "a")]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Rate  limits (v2)", "rate-limits-v2"),
        ("snake_case – and—dash", "snake_case-anddash"),
        ("回應　代碼", "回應-代碼"),
        ("हिन्दी", "हिन्दी"),
        ("cafe\u0301", "caf\u00e9"),
        ("-- a --", "a"),
        ("«»", ""),
    ],
)
def test_slugs_keep_letters_of_any_script(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_markup_leaves_no_trace_in_titles_and_slugs() -> None:
    ((slug, title, _),) = cut("## The [`max_size`](x.md) *option* &amp; ![logo](l.png)\n\na")
    assert (slug, title) == ("the-max_size-option-logo", "Page > The max_size option & logo")


def test_a_long_section_is_cut_between_paragraphs_and_numbered() -> None:
    paragraphs = [f"{word} " + "x" * 30 for word in ("one", "two", "three")]
    parts = cut("## A\n\n" + "\n\n".join(paragraphs), size=80)
    assert [slug for slug, *_ in parts] == ["a", "a-2"]
    assert [text for *_, text in parts] == ["\n\n".join(paragraphs[:2]), paragraphs[2]]


def test_no_text_is_lost_by_cutting_long_sections() -> None:
    text = "## A\n\n" + "\n\n".join(f"第{n}段。這是一個句子！" * 5 for n in range(20))
    chunks = Heading(size=100).split(Document("p", "", text))
    assert all(chunk.end - chunk.start <= 100 for chunk in chunks)
    assert all(text[a.end : b.start].strip() == "" for a, b in pairwise(chunks))
    assert "".join(text[c.start : c.end] for c in chunks).replace("\n", "") == text[4:].replace("\n", "")


TABLE = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | {'x' * 20} |" for n in range(10))
FENCE = "```python\n" + "\n\n".join(f"# line {n}\nx = {n}" for n in range(20)) + "\n```"
HTML = (
    "<table>\n<tr><td>1</td></tr>\n\n<tr><td>\n\n# no heading\n\n<table></table></td></tr>\n" + "x" * 90 + "\n</table>"
)


@pytest.mark.parametrize("block", [TABLE, FENCE, HTML], ids=["table", "fence", "html table"])
def test_tables_and_code_longer_than_the_limit_stay_whole(block: str) -> None:
    before, after = "before. " * 8, "after. " * 8
    parts = [text for *_, text in cut(f"## A\n\n{before}\n\n{block}\n\n{after}", size=100)]
    assert parts == [before.strip(), block, after.strip()]


def test_a_small_table_goes_with_its_neighbours() -> None:
    table = "| a |\n|---|\n| 1 |"
    text = f"intro\n\n{table}\n\nnext\n\n" + "long " * 20
    assert cut(text, size=60)[0][2] == f"intro\n\n{table}\n\nnext"


def test_code_inside_a_list_stays_whole() -> None:
    block = "  ```\n" + "\n\n".join("  code" for _ in range(30)) + "\n  ```"
    parts = [text for *_, text in cut(f"- item\n\n{block}\n- item two " + "y" * 50, size=60)]
    assert sum("```" in part for part in parts) == 1


def test_code_that_never_closes_reaches_to_the_end() -> None:
    text = "## A\n\n```\n# x\n\n# y" + "\n\nz" * 40
    assert [part for *_, part in cut(text, size=20)] == [text[6:]]


def test_parts_may_overlap() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(20))
    chunks = Heading(size=100, overlap=40).split(Document("p", "", text))
    assert all(b.start < a.end for a, b in pairwise(chunks))


@pytest.mark.parametrize("settings", [{"size": 0}, {"size": 10, "overlap": 10}, {"overlap": -1}])
def test_impossible_sizes_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=r"chunker\.size must be from 1 to"):
        Heading(**settings)


@pytest.mark.parametrize("text", ["", "body\n\nmore"])
def test_a_whole_document_is_one_passage_even_if_empty(text: str) -> None:
    assert WholeDocument().split(Document("d", "T", text)) == [Chunk(0, len(text), "T", "")]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("⚙️ Settings", "settings"),
        ("Settings ⚙️", "settings"),
        ("1️⃣ First step", "1-first-step"),
        ("👩‍💻 Developers 👩🏽‍💻", "developers"),
        ("🇹🇼 台灣", "台灣"),
        ("con\u00adfigu\u200bration", "configuration"),
        ("設\u200b定 ⚠️ 注意", "設定-注意"),
        ("हिन्दी में", "हिन्दी-में"),
        ("ภาษาไทยที่นี่", "ภาษาไทยที่นี่"),
        ("Cafe\u0301", "café"),
        ("a\u20dd b", "a-b"),
        ("⚙️", ""),
        ("\u200b", ""),
    ],
)
def test_a_slug_holds_only_what_can_be_typed(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_headings_of_nothing_that_can_be_typed_are_sections_by_number() -> None:
    slugs = [slug for slug, *_ in cut("## ⚙️\n\na\n\n## 🚀\n\nb\n\n## ⚙️ Settings\n\nc")]
    assert slugs == ["section", "section-2", "settings"]
