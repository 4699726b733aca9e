"""First questions from the pages themselves, so that a new project has something to measure before anybody judged."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from runner.snapshots import Passage, Snapshot
from runner.suites import JudgedQuery, Judgment, Suite
from runner.suites.by_position import counted_ids

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
_SHORTEST, _LONGEST = 8, 160
_NOTE = "drafted from the page itself; nobody has judged it"


def draft_suite(snapshot: Snapshot, name: str, most: int) -> Suite:
    """Ask for at most so many passages, by a sentence of theirs, or by their heading where they have none.

    A few of every page before more of one. Judgments and queries are `synthetic`: they are in every mean, and in no
    gate until a person confirms them. Passages are judged, or documents where passages are told apart by position only.
    No question is drafted whose words two passages share. The suite is empty where the pages have no text.
    """
    counted = counted_ids(snapshot, [passage.id for passage in snapshot.passages])
    fitting = [passage for passage in snapshot.passages if passage.id not in counted]
    unit = "passage" if fitting else "document"
    asked: dict[str, Passage | None] = {}
    for passage in _in_turns(fitting or list(snapshot.passages)):
        question = _question(passage, snapshot.text(passage))
        if question:
            asked[question] = None if question in asked else passage
    queries: list[JudgedQuery] = []
    for question, found in asked.items():
        if found is not None and len(queries) < most:
            judged = Judgment(found.id if unit == "passage" else found.document, 1, "synthetic", note=_NOTE)
            fields = {"folder": found.document.rpartition("/")[0] or "."}
            queries.append(
                JudgedQuery.of_judgments(
                    f"draft-{len(queries) + 1:02}", question, (judged,), source="synthetic", fields=fields
                )
            )
    slices = ("folder",) if len({query.fields["folder"] for query in queries}) > 1 else ()
    return Suite(name=name, role="development", unit=unit, queries=tuple(queries), slices=slices)


def _in_turns(passages: Sequence[Passage]) -> Iterator[Passage]:
    """The first passage of each page, then the second of each, and so on."""
    pages: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        pages[passage.document].append(passage)
    for row in zip_longest(*pages.values()):
        yield from (passage for passage in row if passage is not None)


def _question(passage: Passage, text: str) -> str:
    """The first sentence that is neither the heading nor too short or long to be asked; else the heading."""
    heading = passage.title.rpartition(" > ")[2].strip()
    for line in _SENTENCE_END.split(text):
        sentence = " ".join(line.strip("#*->|` \t").split())
        if _SHORTEST <= len(sentence) <= _LONGEST and sentence.casefold() != heading.casefold():
            return sentence
    return heading if len(heading) > 1 else ""
