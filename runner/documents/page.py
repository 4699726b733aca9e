"""What a reader of one kind of file makes of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from runner.documents.lines import LineLayout
from runner.errors import Problem


@dataclass(frozen=True)
class Page:
    """content: Markdown, or lines with their outline. title: what it is called where no heading of level 1 says it.

    fields: front matter. headed: whether a heading may give the title, which no plain text has.
    """

    content: str | LineLayout
    title: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    headed: bool = True


# Makes a page of a file's bytes, or notes what is wrong with it and returns None; it may raise InputError, too.
PageReader = Callable[[bytes, list[Problem]], Page | None]
