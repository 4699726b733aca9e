"""The stored snapshot whose passages a suite judges."""

import json
from collections.abc import Iterator, Sequence

from runner.errors import InputError
from runner.judging.history.entry import Entry
from runner.judging.reviewing.passage_texts import PassageTexts
from runner.snapshots import Snapshot, SnapshotStore
from runner.suites import Suite


def judged_snapshot(store: SnapshotStore, suite: Suite, asked: str | None) -> Snapshot:
    """The snapshot that was asked for, else the one that the suite is pinned to.

    Raises InputError: not stored; the suite is pinned to none and none was asked for; the suite does not fit it.
    """
    snapshot = store.load(store.find(asked or _pinned(store, suite)))
    suite.check(snapshot)
    return snapshot


def old_texts(store: SnapshotStore, entries: Sequence[Entry], unit: str) -> PassageTexts | None:
    """The texts of the snapshot that a suite was migrated from last, if it is stored."""
    came = [str(entry.details.get("from", "")) for entry in entries if entry.what == "migrated"]
    return PassageTexts(store.load(came[-1]), unit) if came and store.exists(came[-1]) else None


def _pinned(store: SnapshotStore, suite: Suite) -> str:
    stored = ", ".join(store.ids()[:5]) or "none"
    if suite.snapshot is not None:
        return suite.snapshot
    if suite.documents is None:
        raise InputError(
            f"{suite.path or suite.name}: the suite is pinned to no snapshot, so say which one to judge "
            f"(--snapshot ID); stored in {store.root}: {stored}"
        )
    found = next(_with_documents(store, suite.documents), None)
    if found is None:
        raise InputError(
            f"{suite.path or suite.name}: is pinned to the documents {suite.documents}, which no snapshot in "
            f"{store.root} holds (stored: {stored}); build it, or name another place (store=FOLDER)"
        )
    return found


def _with_documents(store: SnapshotStore, documents: str) -> Iterator[str]:
    for id_ in store.ids():
        head = json.loads((store.root / id_ / "snapshot.json").read_bytes())
        if str(head.get("documents_sha256", "")).startswith(documents):
            yield id_
