"""Reading a folder of pages."""

from pathlib import Path

import pytest

from runner.documents import Document, Normalization, Pages
from runner.errors import InputError


def write(root: Path, pages: dict[str, str | bytes]) -> Path:
    for name, content in pages.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def read_one(root: Path, name: str, content: str | bytes) -> Document:
    (document,) = Pages(write(root, {name: content})).read()
    return document


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        Pages(path).read()
    return str(caught.value)


def test_ids_are_paths_below_the_folder_in_order(tmp_path: Path) -> None:
    write(tmp_path, {"z.md": "z", "en/b.md": "b", "en/a.html": "<p>a", "說明.txt": "x"})
    assert [document.id for document in Pages(tmp_path).read()] == ["en/a.html", "en/b.md", "z.md", "說明.txt"]


def test_hidden_files_and_folders_and_other_kinds_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "a", ".b.md": "b", ".git/c.md": "c", "d/.e/f.md": "f", "g.png": b"\xff", "H.MD": "h"})
    assert [document.id for document in Pages(tmp_path).read()] == ["H.MD", "a.md"]


def test_include_chooses_the_pages(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "a", "b.rst": "b", "x/c.rst": "c"})
    assert [document.id for document in Pages(tmp_path, include=["*.rst"]).read()] == ["b.rst", "x/c.rst"]


def test_a_single_page_is_a_corpus(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A", "b.md": "# B"})
    assert [document.title for document in Pages(tmp_path / "a.md").read()] == ["A"]


def test_front_matter_becomes_fields_and_leaves_the_text(tmp_path: Path) -> None:
    page = "---\ntitle: 計費\nupdated: 2026-03-06\ntags: [a, b]\ndraft: false\n---\n# Other\n\nbody\n"
    document = read_one(tmp_path, "a.md", page)
    assert document.title == "計費"
    assert document.text == "# Other\n\nbody"
    assert document.fields == {"title": "計費", "updated": "2026-03-06", "tags": ["a", "b"], "draft": False}


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("---\n\nonly a rule above\n", "---\n\nonly a rule above"),
        ("---\nplain words between rules\n---\nrest", "---\nplain words between rules\n---\nrest"),
        ("---\n---\nbody", "body"),
        ("--- \r\na: 1\r\n...\r\nbody", "body"),
        ("\ufeff---\na: 1\n---\nbody", "body"),
    ],
)
def test_only_a_mapping_between_rules_is_front_matter(tmp_path: Path, page: str, text: str) -> None:
    assert read_one(tmp_path, "a.md", page).text == text


@pytest.mark.parametrize(
    ("name", "page", "title"),
    [
        ("a.md", "intro\n\n# The `main` *title* { #main }\n", "The main title"),
        ("a.md", "```\n# comment\n```\n\nReal\n====\n", "Real"),
        ("a.md", "## Only a lower one\n", "a"),
        ("my-page.md", "", "my-page"),
        ("notes.txt", "# not a heading\n", "notes"),
        ("a.html", "<title>From head</title><p>x", "From head"),
        ("a.html", "<title>From head</title><h1>From body</h1>", "From body"),
        ("a.md", "---\ntitle: 2026\n---\n# H", "2026"),
        ("a.md", "---\ntitle:\n---\n# H", "H"),
    ],
)
def test_the_title_is_the_front_matters_else_the_first_heading_else_the_file_name(
    tmp_path: Path, name: str, page: str, title: str
) -> None:
    assert read_one(tmp_path, name, page).title == title


def test_html_is_its_text_without_scripts_styles_and_navigation(tmp_path: Path) -> None:
    html = (
        "<html><head><title>T</title><style>p{}</style></head><body><nav>Home</nav><script>x()</script>"
        "<h1>限制</h1><p>Use <b>max_size</b> &amp; more.</p>"
        "<table><tr><th>方案</th><th>上限</th></tr><tr><td>A|B</td><td>10</td></tr></table>"
        "<pre># code\nx = 1</pre></body></html>"
    )
    text = read_one(tmp_path, "a.html", html).text
    assert text == "限制\n\nUse max_size & more.\n\n方案\t上限\nA|B\t10\n\n# code\nx = 1"


def test_byte_order_mark_and_crlf_leave_no_trace(tmp_path: Path) -> None:
    marked = read_one(tmp_path / "1", "a.md", b"\xef\xbb\xbf# A\r\n\r\nbody\r\n")
    plain = read_one(tmp_path / "2", "a.md", b"# A\n\nbody\n")
    assert marked.sha256 == plain.sha256


def test_the_declared_normalisation_is_used(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "Ａ"})
    assert Pages(tmp_path, normalization=Normalization(unicode="NFKC")).read()[0].text == "A"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert "nowhere: not found; expected a folder of pages" in refusal(tmp_path / "nowhere")


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.png": b"x"})
    assert "holds no page; looked for *.md, *.markdown, *.mdx, *.html" in refusal(tmp_path)


def test_all_bad_pages_are_listed_with_their_lines(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "big5.md": b"ok\nok\n\xa4\xa4\n",
            "good.md": "fine",
            "yaml.md": "---\na: 1\nb: [\n---\nx",
            "twice.md": "---\na: 1\na: 2\n---\nx",
            "title.md": "---\ntitle: [x]\n---\nx",
            "nan.md": "---\na: .nan\n---\nx",
        },
    )
    message = refusal(tmp_path)
    assert "5 problems" in message
    assert "big5.md:3: byte 0xa4 is not UTF-8" in message
    assert "yaml.md:4: not YAML" in message
    assert "twice.md:3: key 'a' is given twice" in message
    assert "title.md: front matter: title must be text" in message
    assert "nan.md:2: field 'a': found nan, expected a finite number" in message


def test_two_spellings_of_one_file_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"caf\u00e9.md": "a", "cafe\u0301.md": "b"})
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this file system composes names")
    assert "has the same id as" in refusal(tmp_path)
