"""The words every retriever is written in, and what a stage may ask for: what to import to write one of your own."""

from retrievers.protocols import (
    Combining,
    Described,
    Embedder,
    Fusion,
    Indexing,
    Reranker,
    Rescoring,
    Retriever,
    Rewriter,
    Vectorial,
)
from retrievers.rankings import (
    Index,
    NonFiniteScore,
    Passages,
    Query,
    Rankings,
    RetrievalError,
    Rows,
    Scores,
    Vectors,
)

__all__ = [
    "Combining",
    "Described",
    "Embedder",
    "Fusion",
    "Index",
    "Indexing",
    "NonFiniteScore",
    "Passages",
    "Query",
    "Rankings",
    "Reranker",
    "Rescoring",
    "RetrievalError",
    "Retriever",
    "Rewriter",
    "Rows",
    "Scores",
    "Vectorial",
    "Vectors",
]
