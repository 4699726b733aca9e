"""Judgments that follow changing documents: migration, review, agreement, candidates."""
