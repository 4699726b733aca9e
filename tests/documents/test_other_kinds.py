"""reStructuredText, notebooks, books, PDF and office documents."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.chunkers import Heading
from runner.documents import Document, Normalization, Pages
from runner.documents.kinds import SUFFIXES, kind_of_page
from runner.errors import InputError


def read(root: Path, content: str | bytes, name: str) -> Document:
    (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (document,) = Pages(root).read()
    return document


def sections(document: Document) -> dict[str, str]:
    return {chunk.title: document.text[chunk.start : chunk.end] for chunk in Heading().split(document)}


RST = """
限制
====

Use *at most* ``max_size``, see :ref:`the guide <guide>` and :py:func:`~a.b.send`. `Link <x.html>`_

.. note:: Ten a minute.

.. versionadded:: 2.0
   With **care**.

.. toctree::

   other

Table
-----

====  =====
Plan  Limit
====  =====
A     10
====  =====

.. code-block:: python
   :linenos:
   :emphasize-lines: 2

   # not a heading
   x = 1

.. unknown-thing:: Shown
   :option: no

   Also shown.

+---+
| broken

.. include:: /etc/passwd

.. raw:: html
   :file: /etc/passwd

.. raw:: html

   <b>raw</b> words<script>no</script>
"""


def test_restructured_text_is_read_as_it_is_set(tmp_path: Path) -> None:
    document = read(tmp_path, RST, "page.rst")
    assert document.title == "限制"
    found = sections(document)
    assert list(found) == ["限制", "限制 > Table"]
    assert found["限制"] == (
        "Use at most max_size, see the guide and send. Link\n\nNote\n\nTen a minute.\n\n2.0 With care."
    )
    body = found["限制 > Table"]
    assert body == (
        "Plan\tLimit\nA\t10\n\n# not a heading\nx = 1\n\nShown\n\nAlso shown.\n\n+---+\n| broken\n\nraw words"
    )


def test_a_notebook_is_its_markdown_and_its_code(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# 計費\n", "\n", "See ![x](data:image/png;base64,AAAA)."]},
        {"cell_type": "code", "source": "# not a heading\nx = '```'", "outputs": [{"text": ["noise"]}]},
        {"cell_type": "raw", "source": "raw"},
        {"cell_type": "code", "source": []},
    ]
    page = json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}})
    document = read(tmp_path, page, "page.ipynb")
    assert document.title == "計費"
    assert document.text == "# 計費\n\nSee ![x]().\n\n````python\n# not a heading\nx = '```'\n````"


def test_an_old_notebook_has_heading_cells(tmp_path: Path) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "A"}, {"cell_type": "code", "input": "x"}]
    assert read(tmp_path, json.dumps({"worksheets": [{"cells": cells}]}), "p.ipynb").text == "## A\n\n```\nx\n```"


@pytest.mark.parametrize("page", ["", "[]", "{}", '{"cells": 1}', '{"worksheets": [1]}', "[" * 100_000])
def test_what_is_no_notebook_is_named(tmp_path: Path, page: str) -> None:
    with pytest.raises(InputError, match=r"p\.ipynb: .*expected a Jupyter notebook"):
        read(tmp_path, page, "p.ipynb")


def book(chapters: dict[str, str], title: str = "書") -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        container = '<container xmlns="x"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
        archive.writestr("META-INF/container.xml", container)
        items = "".join(
            f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
        )
        items += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        order = '<itemref idref="nav"/>' + "".join(f'<itemref idref="i{n}"/>' for n in reversed(range(len(chapters))))
        package = (
            f'<package xmlns:dc="dc"><metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest>'
        )
        archive.writestr("OEBPS/book.opf", f"{package}<spine>{order}</spine></package>")
        archive.writestr("OEBPS/nav.xhtml", "<nav>no</nav>no")
        for name, text in chapters.items():
            archive.writestr(f"OEBPS/{name}", text)
    return data.getvalue()


def test_a_book_is_its_chapters_in_their_order(tmp_path: Path) -> None:
    chapters = {
        "b.xhtml": '<?xml version="1.0"?><html><head><title/></head><body><h2>Second</h2><p>two</p></body></html>',
        "a.xhtml": "<html><body><h2>First</h2><p>一</p></body></html>",
    }
    document = read(tmp_path, book(chapters), "book.epub")
    assert document.title == "書"
    assert sections(document) == {"書 > First": "一", "書 > Second": "two"}


def test_an_archive_that_unpacks_too_far_is_refused(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x", "w", force_zip64=True) as file:
        for _ in range(520):
            file.write(bytes(1024**2))
    with pytest.raises(InputError, match=r"book\.epub: unpacks to [\d,]+ bytes"):
        read(tmp_path, data.getvalue(), "book.epub")


def test_a_word_document_keeps_headings_lists_and_tables(tmp_path: Path) -> None:
    pytest.importorskip("mammoth")
    styles = {"Heading1": "heading 1", "Heading2": "heading 2"}
    body = (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>計費</w:t></w:r></w:p>'
        "<w:p><w:r><w:t># 10 a minute &lt;b&gt;</w:t></w:r></w:p>"
        '<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Plans</w:t></w:r></w:p>'
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>10</w:t></w:r></w:p></w:tc>"
        "</w:tr></w:tbl>"
    )
    document = read(tmp_path, docx(body, styles), "page.docx")
    assert document.title == "計費"
    assert sections(document) == {"計費": "# 10 a minute <b>", "計費 > Plans": "A\t10"}


def test_a_word_document_of_megabytes_without_a_tag_is_refused_at_once(tmp_path: Path) -> None:
    pytest.importorskip("mammoth")
    with pytest.raises(InputError, match=r"page\.docx: word/document\.xml in it holds more than 4,194,304 bytes"):
        read(tmp_path, docx(f'<w:p w:x="{"0" * (4 * 1024**2)}"/>', {}), "page.docx")


def docx(body: str, styles: dict[str, str]) -> bytes:
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kinds = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    named = "".join(
        f'<w:style w:type="paragraph" w:styleId="{id_}"><w:name w:val="{name}"/></w:style>'
        for id_, name in styles.items()
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{kinds}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{kinds}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f"<w:styles {word}>{named}</w:styles>",
        "word/document.xml": f"<w:document {word}><w:body>{body}</w:body></w:document>",
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return data.getvalue()


def test_a_presentation_has_a_section_a_slide(tmp_path: Path) -> None:
    pptx: Any = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "限制"
    first.placeholders[1].text = "ten a minute\nmore"
    first.notes_slide.notes_text_frame.text = "say it"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(1, 2, 0, 0, 100, 100).table
    table.cell(0, 0).text, table.cell(0, 1).text = "A", "10"
    deck.core_properties.title = "Deck"
    data = io.BytesIO()
    deck.save(data)
    document = read(tmp_path, data.getvalue(), "deck.pptx")
    assert sections(document) == {"Deck > 限制": "ten a minute\nmore\n\nsay it", "Deck > Slide 2": "A\t10"}


def pdf(pages: list[str]) -> bytes:
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{4 + 2 * n} 0 R' for n in range(len(pages)))}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        stream = "BT /F1 12 Tf 72 720 Td 16 TL " + " ".join(f"({line}) Tj T*" for line in text.split("\n")) + " ET"
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    data, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{each}endobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(data)}\n%%EOF"
    return f"{data}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()


def test_a_pdf_has_a_section_a_page(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    document = read(tmp_path, pdf(["Ten a minute\nfor all", "", "More"]), "limits.pdf")
    assert sections(document) == {"limits > Page 1": "Ten a minute\nfor all", "limits > Page 3": "More"}


@pytest.mark.parametrize("suffix", [".epub", ".docx", ".pptx", ".pdf", ".ipynb"])
@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04", b"%PDF-1.4\n", b"\x00\xff" * 5, book({})[:200], book({})[:-30]]
)
def test_a_damaged_file_is_one_line(tmp_path: Path, suffix: str, content: bytes) -> None:
    if kind_of_page(f"x{suffix}").missing():
        pytest.skip("needs the extra documents")
    with pytest.raises(InputError, match=rf"page\{suffix}(:1)?: .*(expected|convert)") as caught:
        read(tmp_path, content, f"page{suffix}")
    assert len(str(caught.value).splitlines()) == 1


PIECES = st.sampled_from(
    [
        "<table>",
        "<tr>",
        "<td>",
        "<p>",
        "</p>",
        "<li>",
        "<ul>",
        "</ul>",
        "<h2>",
        "</h2>",
        "<pre>",
        "<a href=#x>",
        "<br>",
        "<svg>",
        "<title>",
        "<select>",
        "<template>",
        "<!--",
        "字 ",
        "\n\n",
        "# ",
        "---\n",
        "+++\n",
        "{\n",
        "```\n",
        ".. note:: x\n",
        "====\n",
        ":ref:`x`",
        "| a |\n|---|\n",
        "&amp;",
        "\x00",
        "\ufeff",
        "\u0301",
        "](",
        "::\n\n ",
        '"',
        "}",
        "]",
        ":",
        "1",
    ]
)


@pytest.mark.parametrize("suffix", [each for each in SUFFIXES if not kind_of_page(f"x{each}").missing()])
@settings(max_examples=60, deadline=None)
@given(
    content=st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=40).map(lambda each: "".join(each).encode()))
)
def test_any_bytes_make_a_document_or_one_input_error(suffix: str, content: bytes) -> None:
    reader = kind_of_page(f"x{suffix}").load()
    problems: list[Any] = []
    try:
        page = reader(content, problems)
    except InputError:
        return
    assert page is not None or problems
    if page is None or isinstance(page.content, str):
        return
    text, outline = page.content.laid_out(Normalization())
    assert text == Normalization().text(text)
    document = Document(f"x{suffix}", "T", text, {}, outline)
    for start, end in (*outline.whole, *outline.tables, *((each.start, each.end) for each in outline.headings)):
        assert 0 <= start <= end <= len(text)
    for chunk in Heading(size=50).split(document):
        assert 0 <= chunk.start <= chunk.end <= len(text)
