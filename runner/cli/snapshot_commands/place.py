"""Where the snapshots are that a command was asked about."""

from collections.abc import Sequence

from runner.engine.inputs import snapshot_store
from runner.snapshots import SnapshotStore
from runner.tracking.location import StoreLocation


def split_words(words: Sequence[str]) -> tuple[list[str], SnapshotStore]:
    """Tell the words of a command from `store=...` among them; a name or an id may hold `=` all the same."""
    own = ("store=", "tracking.uri=")
    place = StoreLocation.of([word for word in words if word.startswith(own)])
    return [word for word in words if not word.startswith(own)], snapshot_store(place.store)
