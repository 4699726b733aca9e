"""Proving the instrument on a copy: what is removed, renamed, shuffled, doubled or swapped has to be noticed."""
