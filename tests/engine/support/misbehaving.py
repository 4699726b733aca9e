"""Components that do what no component should, each in the way that it is told."""

import ctypes
import locale
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Index, Passages, Query, Rankings
from runner.chunkers.base import Chunk
from runner.documents.document import Document


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words for it")


class Locked(Exception):
    def __init__(self) -> None:
        super().__init__("a lock inside")
        self.lock = threading.Lock()


class Unknown(BaseException):
    pass


def _raise(error: BaseException) -> None:
    raise error


def _fork_and_return() -> None:
    os.fork()


def _close_streams() -> None:
    sys.stdout.close()
    sys.stderr.close()
    os.close(1)
    os.close(2)


def _meddle() -> None:
    os.environ["MEDDLED"] = "yes"
    os.environ.pop("HOME", None)
    os.chdir("/")
    locale.setlocale(locale.LC_ALL, "C")
    random.seed(1)
    np.random.seed(1)
    np.seterr(all="raise")


ACTS: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "mute": lambda: _raise(Mute()),
    "locked": lambda: _raise(Locked()),
    "unknown": lambda: _raise(Unknown("of no kind")),
    "generator exit": lambda: _raise(GeneratorExit()),
    "interrupt": lambda: _raise(KeyboardInterrupt()),
    "key": lambda: {}["title"],
    "lines": lambda: _raise(ValueError("one\n\x1b[31mtwo\nthree" + "!" * 1000)),
    "sys.exit": lambda: sys.exit(0),
    "exit": lambda: os._exit(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "crash": lambda: ctypes.string_at(0),
    "hang": lambda: time.sleep(3600),
    "print": lambda: print("PRINTED BY A COMPONENT"),
    "close": _close_streams,
    "fork": _fork_and_return,
    "meddle": _meddle,
}


def in_order(passages: Passages, queries: Sequence[Query], depth: int) -> list[list[tuple[str, float]]]:
    return [[(id_, 0.0 - row) for row, id_ in enumerate(passages.ids[:depth])] for _ in queries]


@dataclass(frozen=True)
class Acting:
    """Ranks in order of id, after it has done as it was told."""

    act: str = "nothing"
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Any:
        ACTS[self.act]()
        return in_order(passages, queries, depth)


@dataclass(frozen=True)
class EndingAlone:
    """Ends its process when it is asked one query by itself, as when it is timed."""

    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Any:
        if len(queries) == 1:
            os._exit(0)
        return in_order(passages, queries, depth)


def _changed(queries: list[Query], passages: Passages, depth: int) -> Any:
    found = in_order(passages, queries, depth)
    queries.clear()
    return found


RETURNS: dict[str, Callable[[Passages, Any, int], Any]] = {
    "none": lambda passages, queries, depth: None,
    "text": lambda passages, queries, depth: "no ranking",
    "mapping": lambda passages, queries, depth: {query.id: [] for query in queries},
    "number": lambda passages, queries, depth: np.int64(3),
    "nones": lambda passages, queries, depth: [None for _ in queries],
    "ids": lambda passages, queries, depth: [list(passages.ids) for _ in queries],
    "rows": lambda passages, queries, depth: [[(np.int64(0), 1.0)] for _ in queries],
    "triples": lambda passages, queries, depth: [[(passages.ids[0], 1.0, 2)] for _ in queries],
    "words": lambda passages, queries, depth: [[(passages.ids[0], "1.0")] for _ in queries],
    "complex": lambda passages, queries, depth: [[(passages.ids[0], 1j)] for _ in queries],
    "endless": lambda passages, queries, depth: [repeat((passages.ids[0], 1.0)) for _ in queries],
    "endlessly many": lambda passages, queries, depth: repeat([]),
    "foreign row": lambda passages, queries, depth: _rankings([len(passages)] * len(queries)),
    "negative row": lambda passages, queries, depth: _rankings([-1] * len(queries)),
    "bad offsets": lambda passages, queries, depth: Rankings(
        np.arange(len(queries) + 1)[::-1].copy(), np.zeros(1, np.int32), np.zeros(1)
    ),
    "lists in rankings": lambda passages, queries, depth: Rankings([0] * (len(queries) + 1), [], []),  # type: ignore[arg-type]
    "float rows": lambda passages, queries, depth: Rankings(
        np.arange(len(queries) + 1),
        np.zeros(len(queries)),
        np.zeros(len(queries)),  # type: ignore[arg-type]
    ),
    # What is as good as what was promised.
    "generator": lambda passages, queries, depth: (iter(ranking) for ranking in in_order(passages, queries, depth)),
    "numpy scores": lambda passages, queries, depth: [
        [(id_, np.float32(score)) for id_, score in ranking] for ranking in in_order(passages, queries, depth)
    ],
    "whole scores": lambda passages, queries, depth: [
        [(np.str_(id_), np.int64(score)) for id_, score in ranking] for ranking in in_order(passages, queries, depth)
    ],
    "ten times too many": lambda passages, queries, depth: [10 * each for each in in_order(passages, queries, 10**9)],
    "changed": lambda passages, queries, depth: _changed(queries, passages, depth),
}


def _rankings(rows: list[int]) -> Rankings:
    return Rankings(np.arange(len(rows) + 1), np.array(rows, np.int32), np.ones(len(rows)))


@dataclass(frozen=True)
class Returning:
    """Gives back what it is told, by its one method or from an index."""

    what: str
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Any:
        return RETURNS[self.what](passages, queries, depth)


@dataclass(frozen=True)
class Building:
    """Builds what it is told, or does as it is told while it builds."""

    what: str = "nothing"
    act: str = "nothing"
    version: ClassVar[int] = 1

    def build(self, passages: Passages) -> Any:
        ACTS[self.act]()
        return {
            "nothing": None,
            "mapping": {},
            "objects": Index({"a": np.array([None])}, {}),
            "lists": Index({"a": [1, 2]}, {}),  # type: ignore[dict-item]
            "path": Index({"../a": np.zeros(1)}, {}),
            "set": Index({"a": np.zeros(1)}, {"b": {1}}),
        }[self.what]

    def search(self, index: Index, queries: Sequence[Query], depth: int) -> Any:
        return None

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Any:
        return None


@dataclass(frozen=True)
class Embedding:
    """Embeds each text as its length, but for what it is told."""

    what: str = "lengths"
    act: str = "nothing"
    version: ClassVar[int] = 1

    def encode(self, texts: Sequence[str], *, kind: str) -> Any:
        ACTS[self.act]()
        good = np.array([[len(text), 1.0] for text in texts], np.float32)
        return {
            "lengths": lambda: good,
            "none": lambda: None,
            "texts": lambda: list(texts),
            "ragged": lambda: [[1.0] * (1 + number % 2) for number in range(len(texts))],
            "complex": lambda: good * 1j,
            "generator": lambda: (row for row in good),
            "flat": lambda: good.ravel(),
            "too many": lambda: np.repeat(good, 10, axis=0),
            "no dimension": lambda: good[:, :0],
            "other dimensions": lambda: good if kind == "passage" else good[:, :1],
            "numpy ints": lambda: good.astype(np.int64),
        }[self.what]()


@dataclass(frozen=True)
class Scoring:
    """Scores each pair by its place, but for what it is told; changes what it is given where told so."""

    what: str = "places"
    act: str = "nothing"
    version: ClassVar[int] = 1

    def score(self, queries: Any, passages: Any, pairs: NDArray[np.int64]) -> Any:
        ACTS[self.act]()
        good = np.arange(len(pairs), dtype=np.float64)
        if self.what == "changes":
            queries.clear()
            passages.reverse()
            pairs[:] = 0
            return good
        return {
            "places": good,
            "none": None,
            "texts": ["1"] * len(pairs),
            "column": good[:, None],
            "too many": np.repeat(good, 10),
            "nan": np.full(len(pairs), np.nan),
            "mapping": {},
        }[self.what]


@dataclass(frozen=True)
class Fusing:
    """Fuses nothing: does as it is told where its pool is asked for, or changes the rankings it is given."""

    retrievers: Mapping[str, Any]
    act: str = "nothing"
    combining: str = "nothing"
    scale: float = 1.0
    version: ClassVar[int] = 1

    @property
    def sources(self) -> Mapping[str, Any]:
        return self.retrievers

    @property
    def source_depths(self) -> Mapping[str, int]:
        return dict.fromkeys(self.retrievers, 10)

    def candidates(self, rankings: Mapping[str, Rankings]) -> Any:
        ACTS[self.act]()
        return next(iter(rankings.values()))

    def combine(self, rankings: Mapping[str, Rankings], depth: int) -> Any:
        ACTS[self.combining]()
        first = next(iter(rankings.values()))
        first.scores[:] *= self.scale
        return first

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Any:
        raise AssertionError("never reached")


@dataclass(frozen=True)
class Chopping:
    """Cuts documents as it is told."""

    what: str = "whole"
    act: str = "nothing"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    def split(self, document: Document) -> Any:
        ACTS[self.act]()
        whole = Chunk(0, len(document.text), document.title, "")
        return {
            "whole": lambda: [whole],
            "none": lambda: None,
            "generator": lambda: (each for each in [whole]),
            "nothing": lambda: [],
            "tuples": lambda: [(0, 1)],
            "too long": lambda: [Chunk(0, 10**6, "", "")],
            "twice": lambda: [whole, whole],
            "float": lambda: [Chunk(0.0, 1.0, "", "")],  # type: ignore[arg-type]
            "untitled": lambda: [Chunk(0, 1, None, "")],  # type: ignore[arg-type]
        }[self.what]()
