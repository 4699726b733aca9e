"""All that can be added without a change to this program, one protocol or base class a kind.

| kind | what it needs | chosen with | entry point group |
|---|---|---|---|
| Retriever | `retrieve`; and Indexing, Vectorial, Combining or Rescoring where it wants its work kept | `retriever=` | `retrieval_runner.retrievers` |
| Embedder | `encode` | `embedder=` | `retrieval_runner.embedders` |
| Reranker | `score` | `reranker=` | `retrieval_runner.rerankers` |
| Fusion | `fuse`, `weights` | `fusion=` | `retrieval_runner.fusions` |
| Chunker | `split`, `version`, `libraries` | `chunker=` | `retrieval_runner.chunkers` |
| DocumentReader | `read`, `normalization`; `sources` where unchanged files need not be read again | `corpus=` | `retrieval_runner.readers` |
| SuiteReader | `read` | `suite=` | `retrieval_runner.suite_readers` |
| Metric | a subclass: its name, parameters and properties, `per_query` | `metrics=`, `metric:` in a policy | `retrieval_runner.metrics` |
| Rule | a subclass: its keys, `judge`, `measure` | `kind:` or `_target_:` in a policy | `retrieval_runner.rules` |
| Rewriter | `rewrite`; the stage is still to come | | |

Any of them but Metric and Rule is a class, or a function that makes one, of which a configuration names the dotted name in
`_target_` with its parameters beside it. What each may say of itself besides (Described) is optional.
"""  # noqa: E501

from retrievers.base import (
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
from runner.chunkers.base import Chunker
from runner.documents.document import DocumentReader
from runner.rules.rule import Rule
from runner.scoring.metric import Metric
from runner.suites.reader import SuiteReader

__all__ = [
    "Chunker",
    "Combining",
    "Described",
    "DocumentReader",
    "Embedder",
    "Fusion",
    "Indexing",
    "Metric",
    "Reranker",
    "Rescoring",
    "Retriever",
    "Rewriter",
    "Rule",
    "SuiteReader",
    "Vectorial",
]
