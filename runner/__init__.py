"""Run retrieval experiments: sweep retriever variants over judged questions, record every score, repeat any run."""

from pathlib import Path

# `python -m runner.compare` is the file cli/compare.py: a command is one file, with no second one beside it.
__path__.append(str(Path(__file__).parent / "cli"))
