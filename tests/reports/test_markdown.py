"""Markdown tables keep their cells, and documents their parts."""

from markdown_it import MarkdownIt

from runner.rendering.markdown import code, document, escape, markdown_table


def cells_of(text: str) -> list[list[str]]:
    """What a reader sees, row by row."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append("".join(child.content for child in token.children or ()))
    return rows


def test_a_bar_in_a_cell_parts_no_cells_in_code_or_in_text() -> None:
    ids = ["a|b", "`c`|d", "退款|政策"]
    table = markdown_table(("id", "text"), [(code(id_), escape(id_)) for id_ in ids])
    assert cells_of(table) == [["id", "text"], *([id_, id_] for id_ in ids)]


def test_a_backslash_before_a_bar_stays_text() -> None:
    assert cells_of(markdown_table(("text",), [(escape("a\\|b"),), (escape("\\\\|"),)])) == [
        ["text"],
        ["a\\|b"],
        ["\\\\|"],
    ]


def test_parts_that_are_empty_leave_no_gap() -> None:
    assert document(["# a", "", "b"]) == "# a\n\nb\n"
