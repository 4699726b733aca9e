"""Sweeps that are killed or stopped at some moment, and what they leave behind."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
