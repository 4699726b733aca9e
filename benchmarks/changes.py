"""How long it takes to compare two snapshots, and how many changes are found to be what they were made to be.

    python benchmarks/changes.py [PASSAGES] [SHARE_CHANGED] [SEED]

Pages of ten sections in English and in Chinese, one in five sections filled from a template so that many look alike.
Of all sections a share (0.05) is edited (one to four words, or a number), moved to another page, cut in two, put
together with the next one, deleted, or written anew. A change counts as found if its kind and all ids are right; what
was left alone must be unchanged. Wanted: under 5 s for 20,000 passages.
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from runner.alignment.difference import compare_passages
from runner.alignment.documents import compare_documents
from runner.alignment.passage_change import PassageChange
from runner.chunkers import Heading
from runner.documents import Document
from runner.snapshots import Snapshot

SECTIONS = 10
KINDS = ("edited", "moved", "split", "merged", "gone", "added")
CHINESE = (
    "我們的系統會在每天凌晨檢查所有佇列並將過期訊息移到備援區域以便管理者稍後查看或重新發送"
    "若用量超出方案限制則暫停服務直到下個月開始計費時恢復"
)
TEMPLATES = {
    "en": "The {} plan allows {} messages per second to one queue and {} queues in a project; beyond that, calls "
    "are answered with status {} until the next {} begins.",
    "zh": "{}方案每秒最多可發布 {} 則訊息到同一佇列，每個專案最多 {} 個佇列；超過時會回應 {}，直到下一個{}開始為止。",
}


@dataclass
class Pages:
    """language of each page, and its sections: heading -> text."""

    languages: list[str]
    pages: list[dict[str, str]] = field(default_factory=list)

    def snapshot(self) -> Snapshot:
        documents = []
        for number, (language, page) in enumerate(zip(self.languages, self.pages, strict=True)):
            body = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in page.items())
            documents.append(Document(page_id(number), f"{language} {number}", body))
        return Snapshot.build(documents, Heading(size=100_000))


def page_id(number: int) -> str:
    return f"page-{number:05}.md"


class Writer:
    """Makes up text of a language, and edits it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        letters = np.array(list("bcdfghklmnprstvwz"))
        vowels = np.array(list("aeiou"))
        self.words = [
            "".join(f"{a}{b}" for a, b in zip(rng.choice(letters, n), rng.choice(vowels, n), strict=True))
            for n in rng.integers(1, 5, 4000)
        ]
        self.weights = 1 / np.arange(1, 4001) ** 0.9
        self.weights /= self.weights.sum()

    def text(self, language: str) -> str:
        rng = self.rng
        if rng.random() < 0.2:
            return TEMPLATES[language].format(self.word(), *rng.integers(2, 9000, 3), self.word())
        if language == "zh":
            return (
                "。".join("".join(rng.choice(list(CHINESE), n)) for n in rng.integers(8, 25, rng.integers(3, 9))) + "。"
            )
        return " ".join(
            f"{' '.join(rng.choice(self.words, n, p=self.weights)).capitalize()}."
            for n in rng.integers(6, 20, rng.integers(3, 9))
        )

    def word(self) -> str:
        return str(self.rng.choice(self.words))

    def edit(self, text: str, language: str) -> str:
        for _ in range(self.rng.integers(1, 5)):
            if language == "zh":
                at = int(self.rng.integers(0, len(text) - 1))
                text = f"{text[:at]}{self.rng.choice(list(CHINESE))}{int(self.rng.integers(2, 99))}{text[at + 1 :]}"
            else:
                words = text.split(" ")
                words[self.rng.integers(0, len(words))] = f"{self.word()}{self.rng.integers(2, 99)}"
                text = " ".join(words)
        return text


def halves(text: str, language: str) -> tuple[str, str] | None:
    stop = "。" if language == "zh" else ". "
    parts = text.split(stop)
    if len(parts) < 4:
        return None
    middle = len(parts) // 2
    return stop.join(parts[:middle]) + stop.strip(), stop.join(parts[middle:])


def change(
    old: Pages, share: float, writer: Writer
) -> tuple[Pages, list[tuple[str, tuple[str, ...], tuple[str, ...]]]]:
    rng = writer.rng
    new = Pages(old.languages, [dict(page) for page in old.pages])
    truth = []
    taken: set[tuple[int, str]] = set()
    for serial in range(round(share * SECTIONS * len(old.pages))):
        kind = KINDS[serial % len(KINDS)]
        page = int(rng.integers(len(old.pages)))
        language = old.languages[page]
        headings = [each for each in old.pages[page] if (page, each) not in taken]
        pairs = [
            (a, b)
            for a, b in zip(list(old.pages[page]), list(old.pages[page])[1:], strict=False)
            if {a, b} <= {*headings}
        ]
        if not headings or (kind == "merged" and not pairs):
            continue
        heading = headings[int(rng.integers(len(headings)))]
        text = old.pages[page][heading]
        was, fresh = f"{page_id(page)}#{heading}", f"fresh-{serial}"
        if kind == "edited":
            new.pages[page][heading] = writer.edit(text, language)
            truth.append((kind, (was,), (was,)))
        elif kind == "moved":
            other = int(rng.integers(len(old.pages)))
            del new.pages[page][heading]
            new.pages[other][fresh] = text
            # Under another title it is a proposal, with all of its words.
            truth.append((kind, (was,), (f"{page_id(other)}#{fresh}",)))
        elif kind == "split":
            cut = halves(text, language)
            if cut is None:
                continue
            sections = {}
            for each, body in new.pages[page].items():
                sections[each] = cut[0] if each == heading else body
                if each == heading:
                    sections[fresh] = cut[1]
            new.pages[page] = sections
            truth.append((kind, (was,), (was, f"{page_id(page)}#{fresh}")))
        elif kind == "merged":
            heading, second = pairs[int(rng.integers(len(pairs)))]
            was = f"{page_id(page)}#{heading}"
            new.pages[page][heading] = old.pages[page][heading] + "\n\n" + new.pages[page].pop(second)
            taken.add((page, second))
            truth.append((kind, (was, f"{page_id(page)}#{second}"), (was,)))
        elif kind == "gone":
            del new.pages[page][heading]
            truth.append((kind, (was,), ()))
        else:
            new.pages[page][fresh] = writer.text(language)
            truth.append((kind, (), (f"{page_id(page)}#{fresh}",)))
            continue
        taken.add((page, heading))
    return new, truth


def _made(change: PassageChange) -> str:
    return "moved" if change.kind == "edited" and change.similarity == 1.0 else change.kind


def main(passages: int, share: float, seed: int) -> None:
    writer = Writer(np.random.default_rng(seed))
    languages = ["zh" if number % 2 else "en" for number in range(passages // SECTIONS)]
    old = Pages(languages, [{f"part-{n}": writer.text(each) for n in range(SECTIONS)} for each in languages])
    new, truth = change(old, share, writer)
    before, after = old.snapshot(), new.snapshot()
    start = time.perf_counter()
    documents = compare_documents(before, after)
    found = compare_passages(before, after, documents)
    seconds = time.perf_counter() - start
    print(f"{len(before.passages):,} and {len(after.passages):,} passages, {len(truth):,} changes: {seconds:.2f} s")
    counts = Counter(map(_made, found))
    right = {(_made(each), each.old, each.new) for each in found}
    print(f"{'kind':<10}{'made':>8}{'exactly so':>12}{'found in all':>14}")
    for kind in KINDS:
        made = [each for each in truth if each[0] == kind]
        print(f"{kind:<10}{len(made):>8}{sum(each in right for each in made):>12}{counts[kind]:>14}")
    touched = {id_ for _, olds, _ in truth for id_ in olds}
    left = [each for each in before.passages if each.id not in touched]
    same = sum(("unchanged", (each.id,), (each.id,)) in right for each in left)
    print(f"{'unchanged':<10}{len(left):>8}{same:>12}{counts['unchanged']:>14}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(
        int(given[0]) if given else 20_000,
        float(given[1]) if len(given) > 1 else 0.05,
        int(given[2]) if len(given) > 2 else 13,
    )
