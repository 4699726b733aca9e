"""Pairs scored by a neural cross-encoder, which reads the query and the passage together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.base import RetrievalError, Scores
from retrievers.ignorable import seen
from retrievers.neural import lacking_model, load_model, model_digest, model_files

KIND = "CrossEncoder"


@dataclass(frozen=True)
class CrossEncoder:
    """Scores pairs with a local or downloaded model; needs the `neural` extra.

    max_length: tokens of query and passage together, the rest is cut; None means the model's own limit.
    Ignorable characters are left out. Empty texts are scored as the model scores them.

    Raises RetrievalError, when first used, where the extra is missing or the model cannot be loaded.
    """

    model: str
    revision: str | None = None
    batch_size: int = 32
    max_length: int | None = None
    device: str | None = None

    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("sentence-transformers", "transformers", "torch")
    excluded: ClassVar[tuple[str, ...]] = ("batch_size", "device")

    @property
    def model_id(self) -> str:
        """The model's name, and its revision where one is set."""
        return f"{self.model}@{self.revision}" if self.revision else self.model

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]) -> Scores:
        """Return float64 [pairs]; pairs is int64 [pairs, 2] of positions in the two lists.

        Raises RetrievalError for a model that gives more than one score a pair.
        """
        if not len(pairs):
            return np.zeros(0)
        loaded = load_model(KIND, self.model, self.revision, self.device, self.max_length)
        asked, shown = [seen(query) for query in queries], [seen(passage) for passage in passages]
        texts = [(asked[query], shown[passage]) for query, passage in pairs.tolist()]
        scores = np.asarray(loaded.predict(texts, batch_size=self.batch_size, show_progress_bar=False), np.float64)
        if scores.shape != (len(pairs),):
            raise RetrievalError(
                f"{self.model}: found scores of shape {scores.shape} for {len(pairs)} pairs, expected one each; "
                "use a model with a single output"
            )
        return scores

    def contents(self) -> dict[str, str]:
        """Return the SHA-256 of the model's files."""
        return {"model": model_digest(KIND, self.model, self.revision, self.device, self.max_length)}

    def lacking(self) -> str | None:
        """Say what it lacks to work without the network."""
        return lacking_model(self.model, self.revision)

    def files_read(self) -> dict[str, str]:
        """Return each of these files by the parameter that names their folder and its name there."""
        return model_files(KIND, self.model, self.revision, self.device, self.max_length)
