"""Sweeps scored from rankings made by hand."""

import sys
from pathlib import Path

# What the engine's tests run in serves here too.
sys.path.insert(0, str(Path(__file__).parents[1] / "engine/support"))
sys.path.insert(0, str(Path(__file__).parent / "support"))
