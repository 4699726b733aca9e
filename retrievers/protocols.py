"""What a part may be asked for: one protocol a kind, and what every part may say of itself.

A retriever is any object with `retrieve(passages, queries, depth)`. The further protocols of retrievers are optional:
one that also offers one of them lets the runner keep its index, share its vectors, or cache its inputs, but ranks the
same with or without them. No class has to inherit from any of these; having the methods is enough.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from retrievers.rankings import Index, Passages, Query, Rankings, Scores, Vectors


class Described(Protocol):
    """What any component, of whatever kind, may say of itself; each of these is optional, and has this default.

    What decides a component's results must show in its identity, or a cached result outlives a change: its parameters
    and the parts inside it always do, and everything else is said here.
    """

    # Raised whenever the same input would give another result. It counts where it stands in the class itself; without
    # it, the bytes of the files that define the class and its bases stand for it. A number or a text.
    version: ClassVar[Any]
    # Names of the distributions whose installed versions decide the results: ("faiss-cpu",).
    libraries: ClassVar[Sequence[str]] = ()
    # Names of parameters that change no result, such as a batch size, and are no part of the identity.
    excluded: ClassVar[Sequence[str]] = ()
    # Whether results may be kept; False for what only reads them from somewhere.
    cacheable: bool = True
    # Which model it is, as runs log it: "org/model@revision".
    model_id: str | None = None
    # How many candidates a retriever of several stages looks at, as runs log it.
    pool: int | None = None

    def contents(self) -> Mapping[str, str]:
        """SHA-256 of each file that decides the results (a model, a lexicon), by a name for it."""
        return {}

    def files(self) -> Mapping[str, str]:
        """Path of each of the user's own files that is read, by the parameter that names it.

        A copy is stored with every run, and a repetition reads that one.
        """
        return {}

    def files_read(self) -> Mapping[str, str]:
        """Path of every file that is read, those that came with a package too, by the parameter or `parameter/name`."""
        return self.files()

    def lacking(self) -> str | None:
        """What it lacks to work without the network, in words, found without loading anything; None for nothing."""
        return None

    def refuse_queries(self, queries: Sequence[Query]) -> None:
        """Raise RetrievalError where it is known beforehand that none of the queries can be answered."""


class Retriever(Protocol):
    """Ranks passages for queries. This one method is all that a retriever of your own needs."""

    def retrieve(
        self, passages: Passages, queries: Sequence[Query], depth: int
    ) -> Rankings | Sequence[Iterable[tuple[str, float]]]:
        """Return, for each query in order, up to `depth` passages with finite scores, higher is better.

        Either `Rankings`, or one list of (passage id, score) a query; an empty list means nothing found.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors. May say which model it is with `model_id`."""

    def encode(self, texts: Sequence[str], *, kind: str) -> Vectors:
        """Return float32 [texts, dimensions], unit length or all zero (empty text); kind: query or passage."""
        ...


class Reranker(Protocol):
    """Scores query-passage pairs, each by itself. May say which model it is with `model_id`."""

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]) -> Scores:
        """Return float64 [pairs], finite; pairs is int64 [pairs, 2] of positions in queries and passages.

        A pair's score depends on its two texts alone, so that it can be cached and shared between pools.
        """
        ...


@runtime_checkable
class Indexing(Protocol):
    """A retriever whose work splits into building an index once and searching it."""

    def build(self, passages: Passages) -> Index: ...

    def search(self, index: Index, queries: Sequence[Query], depth: int) -> Rankings: ...


@runtime_checkable
class Vectorial(Protocol):
    """A retriever over vectors, which the runner computes with `embedder` and keeps by text."""

    @property
    def embedder(self) -> Embedder: ...

    def build_vectors(self, passage_vectors: Vectors) -> Index: ...

    def search_vectors(self, index: Index, query_vectors: Vectors, depth: int) -> Rankings: ...


@runtime_checkable
class Combining(Protocol):
    """A retriever that looks only at the rankings of others (its sources) for the same queries."""

    @property
    def sources(self) -> Mapping[str, Retriever]: ...

    @property
    def source_depths(self) -> Mapping[str, int]:
        """How deep each source is read; what lies below cannot change the result."""
        ...

    def candidates(self, rankings: Mapping[str, Rankings]) -> Rankings:
        """The pool: what this stage looks at."""
        ...

    def combine(self, rankings: Mapping[str, Rankings], depth: int) -> Rankings: ...


@runtime_checkable
class Rescoring(Protocol):
    """A retriever that looks at the rankings of others and at a reranker's score of each candidate."""

    @property
    def sources(self) -> Mapping[str, Retriever]: ...

    @property
    def source_depths(self) -> Mapping[str, int]:
        """How deep each source is read; what lies below cannot change the result."""
        ...

    @property
    def reranker(self) -> Reranker: ...

    @property
    def pool(self) -> int: ...

    def candidates(self, rankings: Mapping[str, Rankings]) -> Rankings:
        """The pool: whose pairs the reranker scores."""
        ...

    def rescore(self, rankings: Mapping[str, Rankings], pair_scores: Scores, depth: int) -> Rankings:
        """Rank the candidates; pair_scores is aligned with the entries of `candidates(rankings)`."""
        ...


class Fusion(Protocol):
    """Makes one ranking of several."""

    @property
    def weights(self) -> Mapping[str, float] | None:
        """How much each named ranking counts; None where all count alike."""
        ...

    def fuse(self, rankings: Mapping[str, Rankings], n_queries: int, depth: int) -> Rankings:
        """Rank everything that any ranking holds; `rankings` has at least one, each of n_queries queries."""
        ...


class Rewriter(Protocol):
    """Makes of each query the texts to search for: expanded, translated, taken apart into several questions.

    The stage is still to come: nothing is asked to rewrite yet. May say which model it is with `model_id`.
    """

    def rewrite(self, queries: Sequence[Query]) -> Sequence[Sequence[Query]]:
        """Return, for each query in order, at least one query to search for instead.

        Of several the rankings are fused. The ids stay those that are asked for, so that a rewritten query is judged
        as the one it came from; the text alone changes. The same queries give the same texts, alone or in a batch.
        """
        ...
