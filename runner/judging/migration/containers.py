"""What is opened in one section of a Markdown page and closed in another: boxes, tabs, components, conditions."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from runner.documents.html_elements import names
from runner.formats.outline import Range
from runner.judging.migration.tags import TAG, said_by

_BOX = re.compile(
    r"^[ \t]*(?:(?P<bars>/{3,}|:{3,})[ \t]*(?P<title>.*)|\{%-?[ \t]*(?P<word>\w+)(?P<rest>.*?)-?%\})", re.MULTILINE
)
_VOID = names("area base br col embed hr img input li link meta p source track wbr")


def open_at(text: str, places: Sequence[int], whole: Sequence[Range]) -> Iterator[tuple[str, ...]]:
    """What is open at some places of a text, in order, the outermost first. whole: its code and tables."""
    marks = sorted([*_BOX.finditer(text), *_tags(text)], key=lambda mark: mark.start())
    starts = [start for start, _ in whole]
    open_: list[tuple[str, str]] = []
    at = 0
    for place in places:
        while at < len(marks) and marks[at].start() < place:
            within = bisect_right(starts, marks[at].start()) - 1
            if within < 0 or marks[at].start() >= whole[within][1]:
                _step(open_, marks[at], text)
            at += 1
        yield tuple(said for _, said in open_ if said)


def _step(open_: list[tuple[str, str]], mark: re.Match[str], text: str) -> None:
    found = mark.groupdict()
    if found.get("name"):
        name = found["name"].lower()
        if found["close"]:
            _close(open_, name)
        elif name not in _VOID and not found["rest"].rstrip().endswith("/"):
            open_.append((name, said_by(mark)))
    elif found.get("bars"):
        name = found["bars"]
        if found["title"].strip():
            open_.append((name, " ".join(mark[0].split())))
        else:
            _close(open_, name)
    elif word := found.get("word"):
        if word.startswith("end"):
            _close(open_, f"% {word[3:]}")
        elif word.startswith("els") or re.search(rf"%-?\s*end{word}\b", text):
            open_.append((f"% {word}", " ".join(mark[0].split())))


def _close(open_: list[tuple[str, str]], name: str) -> None:
    for place in range(len(open_) - 1, -1, -1):
        if open_[place][0] == name:
            del open_[place:]
            return


def _tags(text: str) -> Iterator[re.Match[str]]:
    """The tags that close, and those that open and begin a line: what a sentence names in between opens nothing."""
    end, begins = 0, True
    for tag in TAG.finditer(text):
        _, line, before = text[end : tag.start()].rpartition("\n")
        begins = (begins or bool(line)) and not before.strip()
        end = tag.end()
        if begins or tag["close"]:
            yield tag
