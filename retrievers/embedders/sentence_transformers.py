"""Sentence embeddings by a neural model of the sentence-transformers family."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from retrievers.base import RetrievalError, Vectors
from retrievers.ignorable import seen
from retrievers.neural import lacking_model, load_model, model_digest, model_files

KIND = "SentenceTransformer"


@dataclass(frozen=True)
class SentenceTransformer:
    """Embeds texts with a local or downloaded model; needs the `neural` extra.

    query_prompt, passage_prompt: put before each text, as the model's card asks. A text longer than the
    model reads is cut at its limit. Ignorable characters are left out. An empty text has the zero vector.

    Raises RetrievalError, when first used, where the extra is missing or the model cannot be loaded.
    """

    model: str
    revision: str | None = None
    query_prompt: str | None = None
    passage_prompt: str | None = None
    batch_size: int = 32
    device: str | None = None

    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("sentence-transformers", "transformers", "torch")
    excluded: ClassVar[tuple[str, ...]] = ("batch_size", "device")

    @property
    def model_id(self) -> str:
        """The model's name, and its revision where one is set."""
        return f"{self.model}@{self.revision}" if self.revision else self.model

    def encode(self, texts: Sequence[str], *, kind: str) -> Vectors:
        """Return float32 [texts, dimensions], unit length or zero; kind (query or passage) chooses the prompt."""
        if kind not in ("query", "passage"):
            raise RetrievalError(f"{self.model}: kind is {kind!r}, expected query or passage")
        loaded = load_model(KIND, self.model, self.revision, self.device, None)
        prompt = (self.query_prompt if kind == "query" else self.passage_prompt) or ""
        texts = [seen(text) for text in texts]
        filled = [number for number, text in enumerate(texts) if text.strip()]
        # Where there is nothing to encode, one encoded prompt still tells the dimensions.
        encoded = loaded.encode(
            [prompt + texts[number] for number in filled] or [prompt],
            batch_size=self.batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        vectors = np.zeros((len(texts), encoded.shape[1]), np.float32)
        if filled:
            vectors[filled] = encoded
        return vectors

    def contents(self) -> dict[str, str]:
        """Return the SHA-256 of the model's files."""
        return {"model": model_digest(KIND, self.model, self.revision, self.device, None)}

    def lacking(self) -> str | None:
        """Say what it lacks to work without the network."""
        return lacking_model(self.model, self.revision)

    def files_read(self) -> dict[str, str]:
        """Return each of these files by the parameter that names their folder and its name there."""
        return model_files(KIND, self.model, self.revision, self.device, None)
