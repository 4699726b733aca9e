"""A small library in two languages, every question of which BM25 answers first; to be drilled whole or in part."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine_world import Node, World, bm25

from runner.chunkers import Heading
from runner.configuration.settings import Settings
from runner.documents.document import Document
from runner.selftest.check import Check, Drill
from runner.selftest.drill import run_drill
from runner.selftest.sandbox import Measurement, Sandbox
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Span, Suite

WORDS = ("alder", "birch", "cedar", "daphne", "elder", "fir", "gorse", "hazel", "iris", "juniper")
SIGNS = "甲乙丙丁戊己庚辛壬癸"


def library_pages() -> dict[str, str]:
    """Two sections a page, each with the page's own word and one of its own."""
    pages = {
        f"en/{word}.md": f"# {word}\n\n## Limit\n\nThe quota of {word}.\n\n## Price\n\nThe fee of {word}.\n"
        for word in WORDS
    }
    return pages | {
        f"zh/{sign}.md": f"# {sign}\n\n## 額度\n\n{sign}的配額。\n\n## 價格\n\n{sign}的費用。\n" for sign in SIGNS
    }


def sections() -> dict[str, tuple[str, str, str, str, str]]:
    """By query id: text, page, slug, the words that answer it, topic."""
    found = {}
    for word in WORDS:
        found[f"{word}-limit"] = (f"quota {word}", f"en/{word}.md", "limit", f"The quota of {word}.", "limit")
        found[f"{word}-price"] = (f"fee {word}", f"en/{word}.md", "price", f"The fee of {word}.", "price")
    for sign in SIGNS:
        found[f"{sign}-limit"] = (f"{sign}的配額", f"zh/{sign}.md", "額度", f"{sign}的配額。", "limit")
        found[f"{sign}-price"] = (f"{sign}的費用", f"zh/{sign}.md", "價格", f"{sign}的費用。", "price")
    return found


def question(id_: str, text: str, ids: Sequence[str], **fields: Any) -> JudgedQuery:
    """A query that needs all of these ids."""
    return JudgedQuery(id_, text, dict.fromkeys(ids, 1), fields)


def library_queries(unit: str) -> tuple[JudgedQuery, ...]:
    """One question a section, judged in this unit; sliced by language, topic and both."""
    queries = []
    for id_, (text, page, slug, words, topic) in sections().items():
        fields = {"language": page[:2], "topic": topic}
        if unit == "span":
            span = Span(page, words)
            queries.append(JudgedQuery(id_, text, {span.id: 1}, fields, spans={span.id: span}))
        else:
            queries.append(question(id_, text, [f"{page}#{slug}" if unit == "passage" else page], **fields))
    return tuple(sorted(queries, key=lambda query: query.id))


def cut(pages: dict[str, str]) -> Snapshot:
    """One passage a section."""
    return Snapshot.build([Document(id_, id_[3:-3], text) for id_, text in pages.items()], Heading())


@dataclass
class Library(World):
    """Change `pages` and `asked` to drill something else. slices: as the suite declares them.

    told: the retriever, where it is not plain BM25.
    """

    unit: str = "passage"
    pages: dict[str, str] = field(default_factory=library_pages)
    asked: tuple[JudgedQuery, ...] = ()
    slices: tuple[str, ...] = ("language", "topic", "language x topic")
    told: Node | None = None

    def snapshot(self, settings: Settings) -> Snapshot:
        return cut(self.pages)

    def suite(self, settings: Settings) -> Suite:
        return Suite("core", self.role, self.unit, self.asked or library_queries(self.unit), slices=self.slices)

    def drill(self, retriever: Node | None = None, fields: Sequence[str] = (), **changes: Any) -> Drill:
        """Drill one retriever."""
        return run_drill(self.settings(retriever or self.told or bm25(), **changes), self, fields)

    def sandbox(self, retriever: Node | None = None, **changes: Any) -> Sandbox:
        """A bench of this library's own folder."""
        return Sandbox(self.settings(retriever or self.told or bm25(), **changes), self.folder / "bench")

    def measured(self, sandbox: Sandbox) -> Measurement:
        """The library as it is, on that bench."""
        return sandbox.measure(self.snapshot(sandbox.settings), self.suite(sandbox.settings))

    def write_pages(self) -> Path:
        """The pages and questions as files, for the command."""
        from runner.suite_formats.own import write_own

        for id_, text in self.pages.items():
            path = self.folder / "pages" / id_
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        shutil.rmtree(self.folder / "suite", ignore_errors=True)
        write_own(self.suite(self.settings(bm25())), self.folder / "suite")
        return self.folder


def named(drill: Drill, name: str, group: str | None = None) -> Check:
    """The one exercise of that name, and of that slice if one is said."""
    [found] = [each for each in drill.checks if each.name == name and group in (None, each.group)]
    return found


def verdicts_of(drill: Drill, name: str) -> dict[str, str]:
    """By slice, the verdicts of one exercise."""
    return {each.group: each.verdict for each in drill.checks if each.name == name}
