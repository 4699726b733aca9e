"""Where the headings, tables and code blocks of a text are, in characters, whatever the text was written in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

Range = tuple[int, int]


@dataclass(frozen=True)
class OutlineHeading:
    """level 1 to 6; title without markup; slug; [start, end) covers the heading's own lines, none for a page number."""

    level: int
    title: str
    slug: str
    start: int
    end: int


@dataclass(frozen=True)
class Outline:
    """The headings that divide a page, in order, and the ranges (sorted, apart) that stay in one piece.

    whole: tables and code blocks. tables: those that are not written with Markdown's bars; each line is a row and
    the cells are separated by tabs. items: where a list's items begin, of lists without a mark in the text.
    """

    headings: tuple[OutlineHeading, ...]
    whole: tuple[Range, ...]
    tables: tuple[Range, ...] = ()
    items: tuple[int, ...] = ()

    def values(self) -> dict[str, Any]:
        """The outline as JSON values, which `of_values` reads again."""
        return {
            "headings": [[each.level, each.title, each.slug, each.start, each.end] for each in self.headings],
            "whole": [list(each) for each in self.whole],
            "tables": [list(each) for each in self.tables],
            "items": list(self.items),
        }

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> "Outline":
        """The outline that was stored. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            tuple(OutlineHeading(*each) for each in values["headings"]),
            tuple((start, end) for start, end in values["whole"]),
            tuple((start, end) for start, end in values["tables"]),
            tuple(values["items"]),
        )

    def moved(self, place: Callable[[int], int]) -> "Outline":
        """The outline of the text that is left when places move; a range that nothing is left of goes."""
        headings = tuple(replace(each, start=place(each.start), end=place(each.end)) for each in self.headings)
        whole = tuple((place(start), place(end)) for start, end in self.whole)
        tables = tuple((place(start), place(end)) for start, end in self.tables)
        return Outline(
            headings,
            tuple(each for each in whole if each[0] < each[1]),
            tuple(each for each in tables if each[0] < each[1]),
            tuple(dict.fromkeys(place(each) for each in self.items)),
        )
