"""Rerankers: pairs of a query and a passage in, a score each out."""
