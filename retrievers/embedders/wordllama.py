"""Static token vectors that need no network and no torch: those in the wordllama wheel."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np

from retrievers.base import RetrievalError, Vectors
from retrievers.digest import Stamp, file_digest, stamp
from retrievers.embedders.static import StaticVectors, open_static


@dataclass(frozen=True)
class WordLlama:
    """Embeds a text as the mean of its tokens' vectors, scaled to unit length.

    A bag of tokens: order does not count, and a text is used whole, however long. The vectors of the wheel
    (256 dimensions) know English; they are weak in Chinese. An empty text has the zero vector.

    weights, tokenizer: other files of the same kind (safetensors with one matrix; tokenizers JSON), both
    or neither. Raises RetrievalError where they cannot be used, or where the wheel is missing.
    """

    weights: str | None = None
    tokenizer: str | None = None

    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("tokenizers",)

    def __post_init__(self) -> None:
        if (self.weights is None) != (self.tokenizer is None):
            raise RetrievalError("wordllama: weights and tokenizer belong together, found one; name both or none")

    @property
    def model_id(self) -> str:
        """The model's name: that of its weights file."""
        return f"wordllama/{self._paths()[0].stem}"

    def encode(self, texts: Sequence[str], *, kind: str) -> Vectors:
        """Return float32 [texts, dimensions], unit length or zero; queries and passages are read alike."""
        static = self.static()
        vectors = np.zeros((len(texts), static.table.shape[1]), np.float32)
        for number, tokens in enumerate(static.tokens(texts)):
            # One sum a text, row after row, so that the rest of the batch cannot change its last bit.
            total = static.table[tokens].sum(axis=0)
            length = np.sqrt(np.square(total, dtype=np.float64).sum())
            if length > 0:
                vectors[number] = total / length
        return vectors

    def static(self) -> StaticVectors:
        """Return the token vectors themselves, float32 [tokens, dimensions], one copy a process."""
        return open_static(*self._stamps())

    def contents(self) -> dict[str, str]:
        """Return the SHA-256 of the two files."""
        weights, tokenizer = self._paths()
        return {"model": file_digest(weights), "tokenizer": file_digest(tokenizer)}

    def lacking(self) -> str | None:
        """Say what it lacks to work without the network."""
        try:
            missing = [path for path in self._paths() if not path.is_file()]
        except RetrievalError as error:
            return str(error)
        return f"{missing[0]} is not there" if missing else None

    def files(self) -> dict[str, str]:
        """Return the user's own files; those of the wheel are not."""
        if self.weights is None or self.tokenizer is None:
            return {}
        return {"weights": stamp(self.weights)[0], "tokenizer": stamp(self.tokenizer)[0]}

    def files_read(self) -> dict[str, str]:
        """Return both files by the parameter that names them or could, also those of the wheel."""
        weights, tokenizer = self._paths()
        return {"weights": str(weights), "tokenizer": str(tokenizer)}

    def _stamps(self) -> tuple[Stamp, Stamp]:
        weights, tokenizer = self._paths()
        return stamp(weights), stamp(tokenizer)

    def _paths(self) -> tuple[Path, Path]:
        if self.weights is not None and self.tokenizer is not None:
            return Path(self.weights), Path(self.tokenizer)
        return _wheel_files()


@cache
def _wheel_files() -> tuple[Path, Path]:
    # find_spec, as importing the package would run its loader's imports.
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise RetrievalError("wordllama: the package is not installed; install it with `pip install wordllama`")
    root = Path(spec.submodule_search_locations[0])
    return root / "weights/l2_supercat_256.safetensors", root / "tokenizers/l2_supercat_tokenizer_config.json"
