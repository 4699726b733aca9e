"""Pairs of a query and a passage as files for other tools, out and in."""
