"""Split the YAML block that may open a page from the page's own text."""

import re
from dataclasses import dataclass, field
from typing import Any

from runner.errors import Problem
from runner.formats.strict_yaml import read_mapping

_BLOCK = re.compile(r"---[ \t]*\n(?P<yaml>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")


@dataclass(frozen=True)
class FrontMatter:
    """fields: what the block says, as JSON values. body: the text after it."""

    body: str
    fields: dict[str, Any] = field(default_factory=dict)


def split_front_matter(text: str, problems: list[Problem]) -> FrontMatter:
    """Take the block between two `---` lines off the top of a page (line ends already LF).

    A block that holds no mapping is text between two rules, and stays. YAML that cannot be read is noted as a problem.
    """
    match = _BLOCK.match(text)
    if not match:
        return FrontMatter(text)
    faults: list[Problem] = []
    mapping = read_mapping(match["yaml"], faults, first_line=2)
    advice = "; front matter is YAML between --- lines (put a blank line before a --- that is only a rule)"
    problems.extend(Problem(fault.line, fault.message + advice) for fault in faults)
    return FrontMatter(text[match.end() :], mapping.values) if mapping else FrontMatter(text)
