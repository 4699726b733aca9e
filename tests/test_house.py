"""The house: its rooms, one name a thing, and one place for what several rooms do."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = {
    "alignment",
    "annotation",
    "api",
    "chunkers",
    "citation_checks",
    "cli",
    "composition",
    "configuration",
    "decisions",
    "documents",
    "engine",
    "files",
    "rendering",
    "reports",
    "rules",
    "scoring",
    "selftest",
    "snapshots",
    "stats",
    "suite_formats",
    "suites",
    "tracking",
    "workflows",
}


def sources() -> Iterator[tuple[str, str]]:
    for package in ("runner", "retrievers"):
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_the_rooms_are_these() -> None:
    assert {path.parent.name for path in (ROOT / "runner").glob("*/__init__.py")} == ROOMS


def test_no_two_public_classes_share_a_name() -> None:
    places = defaultdict(list)
    for name, text in sources():
        for node in ast.parse(text).body:
            # What a command takes is called the same in each.
            takes = name.startswith("runner/cli/") and isinstance(node, ast.ClassDef) and node.name == "Asked"
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not takes:
                places[node.name].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_what_several_rooms_do_stands_in_one_place() -> None:
    only_in = {
        r"get_close_matches\(": {"runner/files/nearest.py"},
        r"from rich\.table import Table": {"runner/rendering/terminal.py", "runner/reports/candidates.py"},
        r'"---"\]|"\|---': {"runner/rendering/markdown.py"},
        r"indent=1\) \+": {"runner/files/strict_json.py"},
        r"\ndef (escape|cut|json_text|one_line|replace_file)\(": {
            "runner/files/atomic.py",
            "runner/files/strict_json.py",
            "runner/rendering/markdown.py",
            "runner/rendering/visible.py",
        },
    }
    for pattern, allowed in only_in.items():
        runtime = [(name, re.sub(r"(?m)^if TYPE_CHECKING:\n(?:    .*\n)+", "", text)) for name, text in sources()]
        assert {name for name, text in runtime if re.search(pattern, text)} <= allowed, pattern
