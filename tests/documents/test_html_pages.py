"""The text of HTML pages, as a browser shows it."""

from pathlib import Path

import pytest

from runner.chunkers import Heading
from runner.documents import Document, Pages
from runner.errors import InputError


def read(root: Path, html: str | bytes, name: str = "page.html") -> Document:
    (root / name).write_bytes(html if isinstance(html, bytes) else html.encode())
    (document,) = Pages(root).read()
    return document


def sections(document: Document) -> dict[str, str]:
    return {chunk.slug: document.text[chunk.start : chunk.end] for chunk in Heading().split(document)}


def test_end_tags_may_be_left_out(tmp_path: Path) -> None:
    page = "<!doctype html><head><title>Limits</title>\n<body><h1>Limits</h1><p>100 a minute.<ul><li>one<li>two</ul>"
    page += "<table><tr><th>Plan<th>Limit<tr><td>A<td>10</table><dl><dt>term<dd>meaning"
    document = read(tmp_path, page)
    assert document.title == "Limits"
    assert sections(document) == {
        "limits": "100 a minute.\n\none\ntwo\n\nPlan\tLimit\nA\t10\n\nterm\nmeaning",
    }


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>&lt;script&gt; is removed.</p>", "<script> is removed."),
        ("<p># apt install</p>", "# apt install"),
        ("text<br>---", "text\n---"),
        ("&lt;!-- x", "<!-- x"),
        ("<p>* a</p><p>`b` [c](d) | e</p>", "* a\n\n`b` [c](d) | e"),
        ("<pre>```\n# c\n```</pre>", "```\n# c\n```"),
    ],
)
def test_text_is_never_read_as_markup(tmp_path: Path, html: str, text: str) -> None:
    document = read(tmp_path, f"{html}<h2>Limits</h2>ten")
    assert sections(document) == {"top": text, "limits": "ten"}


def test_a_heading_in_a_link_or_by_its_role_is_a_heading(tmp_path: Path) -> None:
    page = '<a href="x"><h2>Linked</h2></a>a<div role="heading" aria-level="3">Role</div>b<blockquote><h2>Q</h2>c'
    assert sections(read(tmp_path, page)) == {"linked": "a", "role": "b\n\nQ\n\nc"}


def test_the_link_to_a_heading_is_no_part_of_it(tmp_path: Path) -> None:
    document = read(
        tmp_path, '<h1>Use C#<a class="headerlink" href="#use">¶</a></h1>x<a href="#top">#</a><p>y<a href="#y">¶</a>'
    )
    assert document.title == "Use C#"
    assert sections(document) == {"use-c": "x#\n\ny"}


@pytest.mark.parametrize(
    "html",
    [
        "<script>no</script>",
        "<style>no</style>",
        "<template>no</template>",
        "<noscript>no</noscript>",
        "<nav>no</nav>",
        '<div role="navigation">no</div>',
        "<p hidden>no</p>",
        '<p style="display : NONE">no',
        "<iframe>no</iframe>",
        "<dialog>no</dialog>",
        "<svg><title>no</title><desc>no</desc></svg>",
        '<img alt="no" src="data:image/png;base64,AAAA">',
        "<!-- no -->",
        "<video>no</video>",
        "<noframes>no</noframes>",
    ],
)
def test_what_a_browser_does_not_show_is_left_out(tmp_path: Path, html: str) -> None:
    assert read(tmp_path, f"<p>before</p>{html}").text == "before"


@pytest.mark.parametrize("html", ["<details><summary>yes</summary></details>", "<p hidden=until-found>yes"])
def test_what_a_reader_can_unfold_stays(tmp_path: Path, html: str) -> None:
    assert read(tmp_path, html).text == "yes"


def test_white_space_is_that_of_a_browser(tmp_path: Path) -> None:
    page = (
        "<p>one\n  <b> two</b>three <i>four</i>\n</p><div>a</div><div>b</div>con&shy;fig&nbsp;x<pre>\n  a\n\n\tb </pre>"
    )
    assert read(tmp_path, page).text == "one twothree four\n\na\nb\ncon\u00adfig\u00a0x\n\n  a\n\n\tb"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "a<select><option>one<option>two</select>b<button>Go</button>c<input value=no>d<textarea>no</textarea>",
            "a\none\ntwo\nbGocd",
        ),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字 <q>quoted</q> a<wbr>b", "漢kan字 quoted ab"),
        ("x<svg><text>drawn</text></svg>y<meter>no</meter><progress>no</progress>", "x\ndrawn\ny"),
        ("<p>a<div>b</p>c</div><table>foster<tr><td>f</table>", "a\n\nb\n\nc\nfoster\n\nf"),
        ("<form><fieldset><legend>L</legend>n <input></fieldset></form><dialog open>d</dialog>", "L\nn\n\nd"),
        ("&copy; &#x4e2d;&#128; &notanentity; a\0b", "© 中€ ¬anentity; ab"),
        ("<?xml version='1.0'?><!DOCTYPE html><title>T</title>a<br/>b<div/>c", "a\nb\nc"),
    ],
)
def test_odd_elements_are_read_as_a_browser_shows_them(tmp_path: Path, html: str, text: str) -> None:
    assert read(tmp_path, html).text == text


def test_a_table_of_values_has_a_line_a_row_and_stays_whole(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td><p>key {n}</p><td>a<br>b<td>" for n in range(200))
    document = read(tmp_path, f"<h2>T</h2><p>above<table><caption>Cap</caption><tr><th>K<th>V<th>W{rows}</table>below")
    parts = list(sections(document).values())
    assert [part for part in parts if "key 0" in part] == ["K\tV\tW\n" + "\n".join(f"key {n}\ta b" for n in range(200))]
    assert parts[0] == "above\n\nCap"


def test_a_table_that_sets_out_a_page_is_cut_at_its_headings(tmp_path: Path) -> None:
    page = "<table><tr><td>menu<td><h2>One</h2>first<h2>Two</h2>second<table><tr><td>1<td>2</table></table>"
    assert sections(read(tmp_path, page)) == {"top": "menu", "one": "first", "two": "second\n\n1\t2"}


def test_lists_are_set_in_by_their_depth(tmp_path: Path) -> None:
    assert read(tmp_path, "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>").text == "a\n  b\n  c\nd"


@pytest.mark.parametrize("page", ["", "<frameset><frame src=a><noframes>no</noframes></frameset>", "<html>", "\n"])
def test_a_page_that_shows_nothing_is_an_empty_document(tmp_path: Path, page: str) -> None:
    document = read(tmp_path, page)
    assert (document.title, document.text) == ("page", "")
    assert sections(document) == {"top": ""}


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "span", "blockquote"])
def test_deep_nesting_is_read(tmp_path: Path, tag: str) -> None:
    assert read(tmp_path, f"<{tag}>" * 1500 + "deep").text.strip() == "deep"


def test_absurd_nesting_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"page\.html: its elements are nested more than 5,000 deep"):
        read(tmp_path, "<div>" * 100_000)


@pytest.mark.parametrize("page", ["<p>x" * 20_000, "<script>" + "a<b;" * 20_000 + "</script>", "<li>" * 20_000])
def test_a_long_page_is_not_a_deep_one(tmp_path: Path, page: str) -> None:
    assert read(tmp_path, f"{page}end").text.endswith("end") or "script" in page


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [
        ("big5", "big5hkscs", "中文，碁銹㗎"),
        ("gb2312", "gb18030", "简体镕朱"),
        ("shift_jis", "cp932", "日本語①髙"),
        ("euc-kr", "cp949", "한국어 똠"),
        ("iso-8859-1", "cp1252", "café “quoted” €"),
        ("utf-8", "utf-8", "中文"),
    ],
)
def test_the_declared_charset_is_used(tmp_path: Path, charset: str, codec: str, text: str) -> None:
    for declaration in (f"<meta charset={charset}>", f'<meta http-equiv="x" content="text/html; charset={charset}">'):
        page = f"<!-- <meta charset=none> --><html><head>{declaration}<title>T</title><p>{text}"
        assert read(tmp_path, page.encode(codec)).text == text


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_goes_before_a_declaration(tmp_path: Path, codec: str) -> None:
    assert read(tmp_path, "<meta charset=big5><p>中文".encode(codec)).text == "中文"


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (b"<p>a\n\xa4\xa4", r"page\.html:2: byte 0xa4 is not UTF-8; .* at offset 5"),
        (b"<meta charset=big5>\n\xff", r"page\.html:2: byte 0xff is not big5, which the page declares"),
        (b"<meta charset=klingon>", r"page\.html: declares the charset 'klingon', which is not known"),
    ],
)
def test_bytes_that_do_not_fit_are_named(tmp_path: Path, page: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, page)
