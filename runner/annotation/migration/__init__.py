"""Carrying judgments over from one snapshot to another."""
