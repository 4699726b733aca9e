"""Runs to decide about: made by hand for the arithmetic, and really run for what is stored, repeated and accepted."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
