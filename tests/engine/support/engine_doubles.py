"""Retrievers, embedders and rerankers that count their calls or fail in one particular way.

Calls are noted in a file, since they may happen in another process. The file is not part of the identity.
"""

import os
import random
import signal
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Index, Passages, Query, Rankings, Scores, Vectors

Lists = list[list[tuple[str, float]]]


def note(log: str, lines: Iterable[str]) -> None:
    """Append lines to a log; an empty name means that nobody reads it."""
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.writelines(line.replace("\n", " ") + "\n" for line in lines)


def in_order(passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
    """Every passage for every query, in order of id."""
    ranking = [(id_, 0.0 - row) for row, id_ in enumerate(passages.ids[:depth])]
    return [list(ranking) for _ in queries]


@dataclass(frozen=True)
class Counting:
    """Ranks passages in order of id, notes each query it is asked, and finds nothing for `nothing_for`."""

    log: str = ""
    nothing_for: str = ""
    version: ClassVar[int] = 1
    excluded: ClassVar[tuple[str, ...]] = ("log",)

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        note(self.log, (query.id for query in queries))
        found = in_order(passages, queries, depth)
        return [[] if q.id == self.nothing_for else ranking for q, ranking in zip(queries, found, strict=True)]


@dataclass(frozen=True)
class Fixed:
    """Ranks for each query id the passages it is told, each a point below the last, from 0."""

    rankings: Mapping[str, Sequence[str]]
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return [
            [(id_, 0.0 - place) for place, id_ in enumerate(self.rankings.get(query.id, ()))][:depth]
            for query in queries
        ]


@dataclass(frozen=True)
class Unkept(Counting):
    """Says that its results are not to be kept."""

    cacheable: ClassVar[bool] = False


@dataclass(frozen=True)
class Raising:
    """Always raises."""

    message: str = "the model server is away"

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        raise RuntimeError(self.message)


@dataclass(frozen=True)
class Wordless:
    """Raises an error without a message."""

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        raise KeyError


@dataclass(frozen=True)
class Scoring:
    """Gives one query the score `value`."""

    query: str
    value: float

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        found = in_order(passages, queries, depth)
        for query, ranking in zip(queries, found, strict=True):
            if query.id == self.query:
                ranking[0] = (ranking[0][0], self.value)
        return found


@dataclass(frozen=True)
class Short:
    """Answers one query fewer than it is asked, or some more, in either form of an answer."""

    more: int = -1
    as_rankings: bool = False

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists | Rankings:
        found = (2 * in_order(passages, queries, depth))[: len(queries) + self.more]
        return Rankings.from_lists(found, passages, depth) if self.as_rankings else found


@dataclass(frozen=True)
class ShortSearch:
    """Keeps an index and answers one query fewer than it is asked."""

    def build(self, passages: Passages) -> Index:
        return Index({"rows": np.arange(len(passages), dtype=np.int32)}, {})

    def search(self, index: Index, queries: Sequence[Query], depth: int) -> Rankings:
        return Rankings.concatenate([]) if len(queries) < 2 else self._of(len(queries) - 1)

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        return self.search(self.build(passages), queries, depth)

    @staticmethod
    def _of(n: int) -> Rankings:
        return Rankings.canonical(np.arange(n), np.zeros(n), np.ones(n), n_queries=n, depth=1)


@dataclass(frozen=True)
class UnbuiltIndex:
    """Fails while it builds its index of vectors."""

    embedder: Any

    def build_vectors(self, passage_vectors: Vectors) -> Index:
        raise MemoryError("no room for the vectors")

    def search_vectors(self, index: Index, query_vectors: Vectors, depth: int) -> Rankings:
        raise AssertionError("never reached")

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        raise AssertionError("never reached")


@dataclass(frozen=True)
class Stranger:
    """Names a passage that is not there."""

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return [[("nobody.md", 1.0)] for _ in queries]


@dataclass(frozen=True)
class Killing:
    """Kills the process it runs in, as the system does when memory runs out."""

    how: str = "signal"

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        if self.how == "exit":
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")


@dataclass(frozen=True)
class Unpicklable:
    """Holds something that cannot travel to a worker."""

    lock: Any = field(default_factory=threading.Lock)

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return in_order(passages, queries, depth)


@dataclass(frozen=True)
class StuckIndex:
    """Builds an index that cannot travel back from a worker."""

    def build(self, passages: Passages) -> Index:
        return Index({}, {"lock": threading.Lock()})

    def search(self, index: Index, queries: Sequence[Query], depth: int) -> Rankings:
        raise AssertionError("never reached")

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        raise AssertionError("never reached")


@dataclass(frozen=True)
class OnceOnly(Counting):
    """Works the first time it is called and never again."""

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        if Path(self.log).exists():
            raise RuntimeError("too many requests")
        return super().retrieve(passages, queries, depth)


@dataclass(frozen=True)
class Drifting:
    """Ranks differently each time, and says that its results are not to be kept."""

    cacheable: ClassVar[bool] = False

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return [[(id_, random.random()) for id_ in passages.ids[:depth]] for _ in queries]


@dataclass(frozen=True)
class Letters:
    """Embeds a text by how often it has each of some letters and characters, and notes the texts."""

    log: str = ""
    alphabet: str = "aeiorstd退款權杖區"
    version: ClassVar[int] = 1
    excluded: ClassVar[tuple[str, ...]] = ("log",)

    def encode(self, texts: Sequence[str], *, kind: str) -> Vectors:
        note(self.log, (f"{kind}: {text}" for text in texts))
        counts = np.array([[text.count(letter) for letter in self.alphabet] for text in texts], np.float64)
        lengths = np.sqrt((counts**2).sum(axis=1, keepdims=True))
        return (counts / np.where(lengths == 0, 1, lengths)).astype(np.float32)


@dataclass(frozen=True)
class Sided:
    """Reads a query in another way than a passage."""

    version: ClassVar[int] = 1

    def encode(self, texts: Sequence[str], *, kind: str) -> Vectors:
        return np.array([[1, 0] if kind == "passage" else [0.6, 0.8] for _ in texts], np.float32)


@dataclass(frozen=True)
class NotANumber:
    """Embeds every passage as NaN."""

    def encode(self, texts: Sequence[str], *, kind: str) -> Vectors:
        return np.full((len(texts), 2), np.nan, np.float32)


@dataclass(frozen=True)
class Overlap:
    """Scores a pair by its common characters, and notes the pairs."""

    log: str = ""
    weight: float = 1.0
    version: ClassVar[int] = 1
    excluded: ClassVar[tuple[str, ...]] = ("log",)

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]) -> Scores:
        note(self.log, (f"{queries[query]} | {passages[passage]}" for query, passage in pairs.tolist()))
        shared = [len(set(queries[query]) & set(passages[passage])) for query, passage in pairs.tolist()]
        return self.weight * np.array(shared, np.float64)


@dataclass(frozen=True)
class OneScore:
    """Scores too few pairs."""

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]) -> Scores:
        return np.ones(1)


@dataclass(frozen=True)
class Infinite:
    """Scores every pair as infinite."""

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]) -> Scores:
        return np.full(len(pairs), np.inf)


@dataclass(frozen=True)
class Stages:
    """Holds nodes and plain values side by side, in mappings and in lists."""

    stages: Sequence[Mapping[str, Any]] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return in_order(passages, queries, depth)


@dataclass(frozen=True)
class Learned:
    """Reads a model by a name that is no parameter of a file."""

    folder: str
    version: ClassVar[int] = 1

    def contents(self) -> dict[str, str]:
        return {"model": Path(self.folder, "model.bin").read_text("utf-8")}


class NeedsServer:
    """Raises an error of its own kind when it is made."""

    def __init__(self, port: int = 80) -> None:
        raise LookupError(f"nothing listens on port {port}")


@dataclass(frozen=True)
class HoldsObject:
    """Has a parameter that JSON does not know."""

    value: Any = None
    version: ClassVar[int] = 1
