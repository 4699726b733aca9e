"""Documents, and the readers that make them: a folder of pages, a BEIR corpus, or the ids of ready-made cases."""

from runner.documents.beir import Beir
from runner.documents.cases import Cases
from runner.documents.document import Document, DocumentReader, Documents, Normalization
from runner.documents.pages import Pages
from runner.documents.passed import Passed

__all__ = [
    "Beir",
    "Cases",
    "Document",
    "DocumentReader",
    "Documents",
    "Normalization",
    "Pages",
    "Passed",
    "passed_words",
]
