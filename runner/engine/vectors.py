"""Vectors by text: what is known of them in this process and in the cache, and what has to be embedded."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from retrievers.base import RetrievalError, Vectors
from runner.engine.cache import Cache, text_key
from runner.engine.codec import pack_vector, unpack_vectors
from runner.engine.components import Component, space_of


class VectorStore:
    """Vectors of any number of embedders, for passages and queries apart, keyed by text."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, dict[bytes, Vectors]] = defaultdict(dict)

    def missing(self, embedder: Component, kind: str, texts: Mapping[bytes, str]) -> list[bytes]:
        """Keys of the texts that have to be embedded."""
        space = _space(embedder, kind)
        known = self._known[space]
        if embedder.key is not None:
            found = self._cache.get(space, [key for key in texts if key not in known])
            known.update(zip(found, unpack_vectors(list(found.values())), strict=True))
        return [key for key in texts if key not in known]

    def keep(self, embedder: Component, kind: str, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Take in new vectors, float32 [keys, dimensions]. Raises RetrievalError where earlier ones had others."""
        space = _space(embedder, kind)
        for other in (_space(embedder, each) for each in ("passage", "query")):
            for before in islice(self._known[other].values(), 1):
                if before.shape != vectors.shape[1:]:
                    raise RetrievalError(
                        f"the embedder {embedder.target} returned vectors of {vectors.shape[1]} dimensions, "
                        f"and of {len(before)} before; expected the same for every text"
                    )
        self._known[space].update(zip(keys, vectors, strict=True))
        if embedder.identity is not None:
            items = ((key, pack_vector(vector)) for key, vector in zip(keys, vectors, strict=True))
            self._cache.put(space, "vectors", embedder.identity, items)

    def of(self, embedder: Component, kind: str, texts: Sequence[str]) -> Vectors:
        """The vectors of these texts, float32 [texts, dimensions]; all must be known."""
        known = self._known[_space(embedder, kind)]
        if not texts:
            return np.zeros((0, 0), np.float32)
        return np.stack([known[text_key(text)] for text in texts])


def _space(embedder: Component, kind: str) -> str:
    return f"{space_of(embedder)}-{kind}"
