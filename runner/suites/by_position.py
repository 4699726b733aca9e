"""Judged passages whose ids count: `page.md#example-2` is another section once a heading is inserted above it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from runner.documents.markdown_outline import slug_of
from runner.errors import InputError, Problem
from runner.snapshots import Passage, Snapshot
from runner.suites.suite import Suite

_NUMBERED = re.compile(r"(?P<base>.+)-\d+")
_FIX = (
    "pin the suite (snapshot: {}), give such headings ids of their own (## Example {{#setup-example}}), or quote the "
    "words (unit: span)"
)


def refuse_by_position(suite: Suite, snapshot: Snapshot) -> None:
    """Raise InputError listing by line every judgment of a suite that names a passage by its position on the page.

    A pinned suite may: on other documents it is refused anyway, and migrate carries it over.
    """
    if suite.unit != "passage" or suite.snapshot is not None or suite.documents is not None:
        return
    judged = {id_ for query in suite.queries for id_, grade in query.grades.items() if grade > 0}
    counted = counted_ids(snapshot, judged)
    problems = [
        Problem(
            query.lines.get(id_),
            f"query {query.id!r} judges {id_!r}, which is found by its position among {len(counted[id_])} "
            f"({', '.join(counted[id_][:3])}{', ...' if len(counted[id_]) > 3 else ''}): a page that gets another one "
            "above it means another text by this id",
        )
        for query in suite.queries
        for id_, grade in query.grades.items()
        if grade > 0 and id_ in counted
    ]
    if problems:
        error = InputError.of(suite.path or f"suite {suite.name}", problems)
        raise InputError(f"{error}{'; ' if len(problems) == 1 else chr(10) + '  '}{_FIX.format(snapshot.id)}")


def counted_ids(snapshot: Snapshot, judged: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Those judged ids that say a position, each with the names on its page that are told apart by it.

    These are sections of one page whose headings have the same words, and the pieces of a page that are only numbered.
    The parts of one long section are not: they stay within it.
    """
    wanted = set(judged)
    pages: dict[str, list[Passage]] = defaultdict(list)
    named = {passage.document for passage in snapshot.passages if passage.id in wanted}
    for passage in snapshot.passages:
        if passage.document in named:
            pages[passage.document].append(passage)
    found: dict[str, Sequence[str]] = {}
    text_of = {document.id: document.text for document in snapshot.documents if document.id in pages}
    for document, passages in pages.items():
        for group in _groups(passages, text_of[document]):
            found |= {passage.id: [_slug(each) for each in group] for passage in group if passage.id in wanted}
    return found


def _groups(passages: Sequence[Passage], text: str) -> Iterator[Sequence[Passage]]:
    """The passages of one page that share a name, where they are more than the parts of one section."""
    ordered = sorted(passages, key=lambda passage: (passage.start, passage.end))
    slugs = {_slug(passage) for passage in ordered}
    if len(ordered) > 1 and all(slug.isdecimal() for slug in slugs):
        yield ordered
        return
    by_base: dict[str, list[Passage]] = defaultdict(list)
    for passage in ordered:
        by_base[_base(passage, slugs)].append(passage)
    for group in by_base.values():
        if any(text[before.end : after.start].strip() for before, after in pairwise(group)):
            yield group


def _base(passage: Passage, slugs: set[str]) -> str:
    """The name that a passage would have if it were the only one of it."""
    slug = _slug(passage)
    numbered = _NUMBERED.fullmatch(slug)
    own = slug_of(passage.title.rpartition(" > ")[2])
    return numbered["base"] if numbered and numbered["base"] in slugs and slug != own else slug


def _slug(passage: Passage) -> str:
    return passage.id.removeprefix(f"{passage.document}#")
