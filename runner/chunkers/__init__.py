"""Ways to cut a document into passages."""

from runner.chunkers.base import Chunk, Chunker
from runner.chunkers.document import WholeDocument
from runner.chunkers.heading import Heading
from runner.chunkers.window import Window

__all__ = ["Chunk", "Chunker", "Heading", "WholeDocument", "Window"]
