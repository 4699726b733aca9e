"""How long it takes to carry judgments over to a snapshot in which a few passages changed, and whether all is right.

    python benchmarks/migrate.py [PASSAGES] [SHARE_CHANGED] [SEED]

The English and Chinese pages of benchmarks/changes.py; a suite of one query for ten passages, each with two relevant
passages or sentences and one that is not. Judgments of passages, of sentences (spans) and, with the pages cut into
windows, of passages by range. Counted as wrong: carried to a passage or a place with another text. Wanted: under 30 s
for 20,000 passages of which 0.05 changed.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from changes import SECTIONS, Pages, Writer, change

from runner.annotation.history.entry import RecordEntry
from runner.annotation.migration.migrate import Migration, migrate
from runner.chunkers import Window
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Judgment, Span, Suite
from runner.suites.existence import SpanPlaces

GRADES = (2, 1, 0)


def passage_suite(snapshot: Snapshot, rng: np.random.Generator) -> Suite:
    queries = []
    for number in range(len(snapshot.passages) // 10):
        chosen = rng.choice(len(snapshot.passages), len(GRADES), replace=False)
        said = tuple(Judgment(snapshot.passages[at].id, grade) for at, grade in zip(chosen, GRADES, strict=True))
        queries.append(JudgedQuery.of_judgments(f"q{number:05}", "?", said))
    return Suite("passages", "development", "passage", tuple(queries), snapshot=snapshot.id)


def span_suite(snapshot: Snapshot, rng: np.random.Generator) -> Suite:
    places, queries = SpanPlaces(snapshot), []
    for number in range(len(snapshot.passages) // 10):
        spans: dict[str, Span] = {}
        while len(spans) < len(GRADES):
            passage = snapshot.passages[int(rng.integers(len(snapshot.passages)))]
            text = snapshot.text(passage)
            sentences = text.replace("。", "。\n").replace(". ", ".\n").split("\n")
            span = Span(passage.document, sentences[int(rng.integers(len(sentences)))].strip())
            if span.quote and places.fault(span) is None:
                spans[span.id] = span
        said = tuple(Judgment(id_, grade) for id_, grade in zip(spans, GRADES, strict=True))
        queries.append(JudgedQuery.of_judgments(f"q{number:05}", "?", said, spans=spans))
    return Suite("spans", "development", "span", tuple(queries))


def passage_text(snapshot: Snapshot) -> Callable[[dict[str, Any]], str]:
    texts = {passage.id: snapshot.text(passage).strip() for passage in snapshot.passages}
    return lambda item: texts[item["id"]]


def span_text(snapshot: Snapshot) -> Callable[[dict[str, Any]], str]:
    places, texts = SpanPlaces(snapshot), {document.id: document.text for document in snapshot.documents}

    def words(item: dict[str, Any]) -> str:
        start, end = places.find(Span(item["document"], item.get("quote"), item.get("start"), item.get("end")))
        return " ".join(texts[item["document"]][start:end].split())

    return words


def wrong(migration: Migration, old: Callable[..., str], new: Callable[..., str], part: bool) -> list[RecordEntry]:
    found = []
    for entry in migration.entries[1:]:
        if entry.what == "carried" and entry.old:
            before = old(entry.old)
            texts = [new(item) for item in entry.new]
            inside = all(before in text or text in before for text in texts)
            if not (inside if part else all(text == before for text in texts)):
                found.append(entry)
    return found


def measure(what: str, suite: Suite, old: Snapshot, new: Snapshot) -> None:
    start = time.perf_counter()
    migration = migrate(suite, old, new, by="benchmark")
    seconds = time.perf_counter() - start
    text = span_text if suite.unit == "span" else passage_text
    mistakes = wrong(migration, text(old), text(new), what == "windows")
    counts = migration.judgments
    judged = sum(counts.values())
    shown = "".join(f"{counts[kind]:>10}" for kind in ("carried", "proposed", "gone", "dropped"))
    print(f"{what:<10}{judged:>10}{shown}{len(mistakes):>8}{seconds:>9.2f} s")


def main(passages: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    writer = Writer(rng)
    languages = ["zh" if number % 2 else "en" for number in range(passages // SECTIONS)]
    old = Pages(languages, [{f"part-{n}": writer.text(each) for n in range(SECTIONS)} for each in languages])
    new, truth = change(old, share, writer)
    before, after = old.snapshot(), new.snapshot()
    windows = Snapshot.build(before.documents, Window(300, 30))
    print(f"{len(before.passages):,} passages, {len(truth):,} changes; {len(windows.passages):,} windows")
    print(
        f"{'':<10}{'judgments':>10}{'carried':>10}{'proposed':>10}{'gone':>10}{'dropped':>10}{'wrong':>8}{'time':>11}"
    )
    measure("passages", passage_suite(before, rng), before, after)
    measure("spans", span_suite(before, rng), before, after)
    measure("windows", passage_suite(before, rng), before, windows)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(
        int(given[0]) if given else 20_000,
        float(given[1]) if len(given) > 1 else 0.05,
        int(given[2]) if len(given) > 2 else 13,
    )
