"""Several retrievers' rankings fused into one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from retrievers.base import Fusion, Passages, Query, Rankings, RetrievalError, Retriever
from retrievers.ranked import from_sources


@dataclass(frozen=True)
class Hybrid:
    """Fuses the first `pool` passages of each retriever; nothing below that is looked at, however deep the ask.

    Raises RetrievalError for no retriever, a pool below 1, a weight that names no retriever, or a retriever
    without one where there are weights.
    """

    retrievers: Mapping[str, Retriever]
    fusion: Fusion
    pool: int = 100

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        kept = {str(name): part for name, part in self.retrievers.items() if part is not None}
        object.__setattr__(self, "retrievers", kept)
        if not self.retrievers:
            raise RetrievalError("hybrid: found no retriever, expected at least one under `retrievers`")
        if isinstance(self.pool, bool) or not isinstance(self.pool, int) or self.pool < 1:
            raise RetrievalError(f"hybrid: pool is {self.pool!r}, expected a whole number of at least 1")
        weights = getattr(self.fusion, "weights", None)
        unknown = sorted(set(weights or ()) - set(self.retrievers))
        if unknown:
            raise RetrievalError(
                f"hybrid: fusion weights name {', '.join(unknown)}, expected only {', '.join(self.retrievers)}"
            )
        missing = [name for name in self.retrievers if weights is not None and name not in weights]
        if missing:
            raise RetrievalError(
                f"hybrid: fusion weights lack {', '.join(missing)}; name every retriever, with 0 to leave one out"
            )
        if weights is not None and not any(weights.values()):
            raise RetrievalError("hybrid: no fusion weight is above 0, so there is nothing to rank by")

    @property
    def sources(self) -> Mapping[str, Retriever]:
        """The retrievers by name."""
        return self.retrievers

    @property
    def source_depths(self) -> Mapping[str, int]:
        """How deep each source is read; a deeper ranking gives the same result, a shallower one may not."""
        return dict.fromkeys(self.retrievers, self.pool)

    def candidates(self, rankings: Mapping[str, Rankings]) -> Rankings:
        """The union of what each source put in its first `pool`, in fused order."""
        return self.combine(rankings, self.pool * len(self.retrievers))

    def combine(self, rankings: Mapping[str, Rankings], depth: int) -> Rankings:
        """Fuse the sources' rankings, which are of the same queries."""
        cut = {name: rankings[name].cut(self.pool) for name in self.retrievers}
        return self.fusion.fuse(cut, len(next(iter(cut.values()))), depth)

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        """Ask each retriever in turn, then fuse."""
        return from_sources(self, passages, queries, depth)
