"""Read a Jupyter notebook: its Markdown, and its code as code blocks."""

import re
from typing import Any

from runner.documents.charset import decode_page
from runner.documents.data_uris import without_data_uris
from runner.documents.page import Page
from runner.errors import Problem
from runner.files.strict_json import JsonFault, parse_json

_TICKS = re.compile(r"`{3,}")


def read_notebook(data: bytes, problems: list[Problem]) -> Page | None:
    """The cells in order, as Markdown; what a run of the notebook put out is no text that somebody wrote."""
    text = decode_page(data, problems)
    if text is None:
        return None
    try:
        notebook = parse_json(text, strict=False)
    except JsonFault as fault:
        problems.append(Problem(None, f"{fault}; expected a Jupyter notebook"))
        return None
    cells = _cells(notebook)
    if cells is None:
        problems.append(Problem(None, "holds no list of cells; expected a Jupyter notebook"))
        return None
    language = _language(notebook)
    parts = [part for cell in cells if isinstance(cell, dict) for part in _part(cell, language)]
    return Page("\n\n".join(parts).replace("\r\n", "\n"))


def _cells(notebook: Any) -> list[Any] | None:
    if not isinstance(notebook, dict):
        return None
    if isinstance(cells := notebook.get("cells"), list):
        return cells
    # The form before 2015.
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list) or not all(isinstance(each, dict) for each in sheets):
        return None
    return [cell for sheet in sheets if isinstance(sheet.get("cells"), list) for cell in sheet["cells"]]


def _part(cell: dict[str, Any], language: str) -> list[str]:
    source = _joined(cell.get("source", cell.get("input", "")))
    kind = cell.get("cell_type")
    if not source.strip():
        return []
    if kind == "markdown":
        return [without_data_uris(source)]
    if kind == "heading":
        level = cell.get("level")
        return [f"{'#' * (level if level in (1, 2, 3, 4, 5, 6) else 1)} {' '.join(source.split())}"]
    if kind != "code":
        return []
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(source))])
    return [f"{fence}{language}\n{source}\n{fence}"]


def _joined(source: Any) -> str:
    if isinstance(source, list):
        return "".join(each for each in source if isinstance(each, str))
    return source if isinstance(source, str) else ""


def _language(notebook: dict[str, Any]) -> str:
    found: Any = notebook
    for key in ("metadata", "language_info", "name"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) and re.fullmatch(r"[\w+#.-]+", found) else ""
