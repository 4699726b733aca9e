"""Front matter in three languages, data URIs, Markdown with components."""

from itertools import pairwise
from pathlib import Path

import pytest

from runner.chunkers import Heading, Window
from runner.documents import Document, Pages
from runner.documents.data_uris import without_data_uris
from runner.errors import InputError


def read(root: Path, text: str, name: str = "page.md") -> Document:
    (root / name).write_text(text, "utf-8")
    (document,) = Pages(root).read()
    return document


@pytest.mark.parametrize(
    "front",
    [
        '+++\n# a comment\ntitle = "計費"\nday = 2026-03-06\n[params]\ntags = ["a"]\n+++\n',
        '---toml\ntitle = "計費"\nday = 2026-03-06\nparams.tags = ["a"]\n---\n',
        '{\n  "title": "計費",\n  "day": "2026-03-06",\n  "params": {"tags": ["a"]}\n}\n',
        '---json\n{"title": "計費", "day": "2026-03-06", "params": {"tags": ["a"]}}\n---\n',
        "---\n# a comment\ntitle: 計費\nday: 2026-03-06\nparams: {tags: [a]}\n---\n",
        "---yaml\ntitle: 計費\nday: 2026-03-06\nparams: {tags: [a]}\n---\n",
    ],
)
def test_front_matter_becomes_fields_in_each_language(tmp_path: Path, front: str) -> None:
    document = read(tmp_path, f"{front}\n## Body\n\nx\n")
    assert document.title == "計費"
    assert document.fields == {"title": "計費", "day": "2026-03-06", "params": {"tags": ["a"]}}
    assert document.text == "## Body\n\nx"


@pytest.mark.parametrize(
    "text",
    [
        "{% include 'x' %}\nbody",
        "{\nnot json\n}\nbody",
        '{\n"a": 1\n} and text',
        "+++\nno end",
        "{{< x >}}",
        "++++\na\n++++",
    ],
)
def test_what_only_looks_like_front_matter_is_text(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).text == text


def test_a_plain_text_page_in_json_keeps_its_text(tmp_path: Path) -> None:
    assert read(tmp_path, '{\n"a": 1\n}\n', "page.txt").text == '{\n"a": 1\n}'


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("+++\na = 1\nb = \n+++\n", r"page\.md:3: not TOML \(Invalid value\)"),
        ("+++\na = nan\n+++\n", r"page\.md:2: found nan, expected a finite number"),
        ("---json\n{\n'a': 1}\n---\n", r"page\.md:3: not JSON"),
        ('{\n"a": 1,\n"a": 2\n}\n', r"page\.md:1: key 'a' is given twice"),
        ("+++\na = " + "[" * 5000 + "\n+++\n", r"page\.md:\d+: (not TOML|TOML nested too deeply)"),
        ("---json\n" + "[" * 100_000 + "\n---\n", r"page\.md:\d+: (not JSON|JSON nested too deeply)"),
    ],
)
def test_front_matter_that_cannot_be_read_is_named(tmp_path: Path, front: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, f"{front}body")


URI = "data:image/png;base64," + "iVBORw0KGgo+/=" * 100


@pytest.mark.parametrize(
    ("markdown", "left"),
    [
        (f"a ![logo]({URI}) b", "a ![logo]() b"),
        (f'![logo]({URI} "Title")', '![logo]( "Title")'),
        (f"![logo](<{URI}>)", "![logo](<>)"),
        (f"![x][l]\n\n[l]: {URI}\n[m]: x.md", "![x][l]\n\n[l]: <>\n[m]: x.md"),
        (f'<img alt="a" src="{URI}">', '<img alt="a" src="">'),
        (f"<img src={URI} alt=a>", "<img src= alt=a>"),
        (f"<div style=\"background: url('{URI}')\">", "<div style=\"background: url('')\">"),
        ("<img src='data:image/svg+xml;utf8,%3Csvg x=1%3E (2)'>", "<img src=''>"),
        ("[x](DATA:text/plain,hello)", "[x]()"),
        (f"see <{URI}>.", "see <>."),
        (f"a lonely ` here\n\n![x]({URI}) and ` there", "a lonely ` here\n\n![x]() and ` there"),
        (f'<Img src={{ "{URI}" }} />', '<Img src={ "" } />'),
    ],
)
def test_data_uris_are_no_text(markdown: str, left: str) -> None:
    assert without_data_uris(markdown) == left


@pytest.mark.parametrize(
    "markdown",
    [
        "The form is `![x](data:image/png;base64,AAAA)`.",
        '```html\n<img src="data:image/png;base64,AAAA">\n```',
        "data: values, and a table of data:\n\n- data: x, y",
        "[data](data.md) [d](#data:x)",
        "[log data]: see data: below",
    ],
)
def test_data_in_code_and_words_stays(markdown: str) -> None:
    assert without_data_uris(markdown) == markdown


def test_an_image_in_the_text_makes_no_passages(tmp_path: Path) -> None:
    image = "data:image/png;base64," + "QUJD" * 250_000
    document = read(tmp_path, f"# A\n\none ![i]({image})\n\n## B\n\n<img src='{image}'>\ntwo\n")
    texts = [document.text[chunk.start : chunk.end] for chunk in Heading().split(document)]
    assert texts == ["one ![i]()", "<img src=''>\ntwo"]


@pytest.mark.parametrize("unit", ["````a\n```\n", "import a\n", "```\n", "src=", "`a ", "](", "{/*", "export {"])
@pytest.mark.parametrize("name", ["page.md", "page.mdx"])
def test_marks_that_never_close_keep_nobody_waiting(tmp_path: Path, unit: str, name: str) -> None:
    assert read(tmp_path, "data: " + unit * 20_000, name).text.startswith("data: ")


def test_mdx_loses_its_statements_and_comments_but_no_words(tmp_path: Path) -> None:
    kept = "<Note>\nTen **only**.\n</Note>\n\n```js\nimport x from 'y'\n{/* shown */}\n```"
    page = (
        "---\ntitle: T\n---\nimport {Tabs} from './tabs'\nimport './a.css'\nexport const x = {\n  a: 1,\n}\n\n"
        f"# Limits\n\nimport taxes apply.{{/* hidden */}}\n\n{kept}\n"
    )
    assert read(tmp_path, page, "page.mdx").text == f"# Limits\n\nimport taxes apply.\n\n{kept}"


@pytest.mark.parametrize("unit", ["word ", "資料庫設定", "x", "*a* ", "Sentence here. ", "句子。", "a\n"])
@pytest.mark.parametrize("chunker", [Heading(), Window(), Window(100, 10, "words")], ids=str)
def test_a_very_long_paragraph_is_cut_without_loss(unit: str, chunker: Heading | Window) -> None:
    text = (unit * (60_000 // len(unit) + 1))[:60_000].strip()
    chunks = chunker.split(Document("page.md", "", text))
    assert chunks[0].start == 0
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert not text[before.end : after.start].strip()
    assert chunks[-1].end == len(text)
