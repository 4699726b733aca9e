"""Retrievers that show the drill something in particular."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from engine_doubles import Lists

from retrievers.base import Passages, Query


def by_overlap(passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
    """Passages by how many of the query's words or characters they hold."""
    found = []
    for query in queries:
        wanted = set(query.text.split()) if query.text.isascii() else set(query.text)
        scores = [
            (id_, float(sum(each in text for each in wanted)))
            for id_, text in zip(passages.ids, passages.texts, strict=True)
        ]
        found.append(sorted(scores, key=lambda pair: (-pair[1], pair[0]))[:depth])
    return found


@dataclass(frozen=True)
class Brittle:
    """Ranks well as long as there are so many passages, and in reverse with fewer."""

    passages: int
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        if len(passages) >= self.passages:
            return by_overlap(passages, queries, depth)
        return [[(id_, float(row)) for row, id_ in enumerate(passages.ids)][::-1][:depth] for _ in queries]


@dataclass(frozen=True)
class Rising:
    """Ranks for each query the passages it is told, and others as soon as one passage is missing."""

    watched: str
    told: Mapping[str, Sequence[str]]
    otherwise: Mapping[str, Sequence[str]]
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        told = self.told if any(id_.startswith(self.watched) for id_ in passages.ids) else self.otherwise
        there = set(passages.ids)
        return [
            [(id_, 0.0 - place) for place, id_ in enumerate(told.get(query.id, ())) if id_ in there]
            for query in queries
        ]


@dataclass(frozen=True)
class Remembering:
    """Knows passages by their id, and ranks those it does not know last."""

    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        found = by_overlap(passages, queries, len(passages))
        return [[(id_, score - 100 * ("moved" in id_)) for id_, score in ranking] for ranking in found]


@dataclass(frozen=True)
class Demoting:
    """Puts passages that it does not know one place further down."""

    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        found = by_overlap(passages, queries, len(passages))
        return [
            sorted(
                ((id_, 0.0 - place - 1.5 * ("moved" in id_)) for place, (id_, _) in enumerate(each)),
                key=lambda pair: -pair[1],
            )[:depth]
            for each in found
        ]


@dataclass(frozen=True)
class Refusing:
    """Ranks no other number of passages than it was made for."""

    passages: int
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        if len(passages) != self.passages:
            raise ValueError(f"made for {self.passages} passages")
        return by_overlap(passages, queries, depth)


@dataclass(frozen=True)
class Careless:
    """Reads a file and says nothing of its content."""

    model: str
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        assert Path(self.model).read_bytes()
        return by_overlap(passages, queries, depth)


@dataclass(frozen=True)
class Shelf:
    """Reads a model from a folder, and hashes all of it."""

    folder: str
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return by_overlap(passages, queries, depth)

    def contents(self) -> dict[str, str]:
        files = sorted(path for path in Path(self.folder).rglob("*") if path.is_file())
        return {"model": "".join(path.read_bytes().hex() for path in files)}


@dataclass(frozen=True)
class Idle:
    """Has a part that it does not use."""

    part: Any
    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return by_overlap(passages, queries, depth)


@dataclass(frozen=True)
class Distant:
    """Hashes something and does not say where it lies."""

    version: ClassVar[int] = 1

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Lists:
        return by_overlap(passages, queries, depth)

    def contents(self) -> dict[str, str]:
        return {"model": "0" * 64}
