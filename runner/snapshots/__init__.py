"""Snapshots: documents cut into passages under one id, and the store that keeps them."""

from runner.snapshots.catalog import Catalog, Made
from runner.snapshots.snapshot import UNITS, Passage, Snapshot, cut_documents
from runner.snapshots.store import SnapshotStore

__all__ = ["UNITS", "Catalog", "Made", "Passage", "Snapshot", "SnapshotStore", "cut_documents"]
