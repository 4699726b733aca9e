"""Whether a cited page was the newest there was when the answer was served."""

import hashlib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import groupby

from runner.citation_checks.check_result import HELD, CheckFinding, failed, unchecked
from runner.documents.document import Document
from runner.errors import InputError
from runner.files.strict_json import parse_json
from runner.snapshots import Made, SnapshotStore
from runner.snapshots.files import HEAD

# Answers come mostly in the order of time, so that few snapshots are asked for at once.
_KEPT = 16


@dataclass(frozen=True)
class _Hashes:
    of_page: Mapping[str, str]
    pages: Mapping[str, str]


class PageHistory:
    """Compares pages with the snapshot of their collection that was the latest at a moment.

    collection: the only one to look in; None: all that a snapshot was made for, as far as they agree.
    Raises InputError for a catalog with an unreadable time, and for a collection that it does not have.
    """

    def __init__(self, store: SnapshotStore, collection: str | None = None) -> None:
        history = [each for each in store.history() if each.collection]
        known = sorted({each.collection for each in history})
        if collection is not None and collection not in known:
            raise InputError(f"no collection {collection!r} in {store.root}; known: {', '.join(known) or 'none'}")
        self._store = store
        self._first: dict[str, datetime] = {}
        self._collections_of: dict[str, list[str]] = {}
        for made in history:
            self._first.setdefault(made.id, _moment(made, store))
            if collection in (None, made.collection):
                self._collections_of.setdefault(made.id, []).append(made.collection)
        ordered = sorted(history, key=lambda each: each.collection)
        self._makings = {name: tuple(group) for name, group in groupby(ordered, key=lambda each: each.collection)}
        self._times = {name: [_moment(made, store) for made in group] for name, group in self._makings.items()}
        self._hashes = lru_cache(_KEPT)(self._read_hashes)

    def not_yet_made(self, snapshot: str, at: datetime) -> str | None:
        """Say so if a snapshot was made only after a moment, which nothing served then can have come from."""
        first = self._first.get(snapshot)
        if first is None or first <= at:
            return None
        return f"cites a snapshot from the future: served {_shown(at)}, but {snapshot} was made {_shown(first)}"

    def judge(self, snapshot: str, page: Document, at: datetime) -> CheckFinding:
        """Whether the page, as that snapshot holds it, was the newest at a moment; chunking does not matter."""
        collections = self._collections_of.get(snapshot, [])
        if not collections:
            return unchecked("the catalog knows no collection of the snapshot")
        found = [finding for name in collections if (finding := self._judge_in(name, snapshot, page, at)) is not None]
        if not found:
            return unchecked("its collection had no snapshot yet when it was served")
        if len({finding.outcome for finding in found}) > 1:
            return unchecked("its collections disagree; choose one with collection=NAME", ", ".join(collections))
        return found[0]

    def _judge_in(self, collection: str, snapshot: str, page: Document, at: datetime) -> CheckFinding | None:
        number = bisect_right(self._times[collection], at)
        if not number:
            return None
        newest = self._makings[collection][number - 1]
        if newest.id == snapshot:
            return HELD
        hashes = self._hashes(newest.id)
        if hashes is None:
            return unchecked("the newest snapshot at that time is not stored any more", _named(newest))
        sha256 = hashes.of_page.get(page.id)
        if sha256 == page.sha256:
            return HELD
        if sha256 is not None:
            return failed("the page had changed", f"{page.id} differs in {_named(newest)}")
        renamed = hashes.pages.get(page.sha256)
        there = f"; there it is {renamed}" if renamed else ""
        return failed("the page had been deleted or renamed", f"{page.id} is not in {_named(newest)}{there}")

    def _read_hashes(self, snapshot: str) -> _Hashes | None:
        """The sha256 of every page of a stored snapshot, without reading its texts."""
        if not self._store.exists(snapshot):
            return None
        folder = self._store.root / snapshot
        try:
            head = parse_json((folder / HEAD).read_bytes(), strict=False)
            data = (folder / "documents.tsv").read_bytes()
            unharmed = head["documents_sha256"] == hashlib.sha256(data).hexdigest()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{folder}: the stored snapshot cannot be used ({error}); build it again") from None
        if not unharmed:
            raise InputError(f"{folder}: documents.tsv has changed since it was stored; build the snapshot again")
        rows = [line.rpartition("\t") for line in data.decode().removesuffix("\n").split("\n")]
        return _Hashes({page: sha256 for page, _, sha256 in rows}, {sha256: page for page, _, sha256 in rows})


def _moment(made: Made, store: SnapshotStore) -> datetime:
    try:
        return datetime.fromisoformat(made.at)
    except ValueError:
        raise InputError(
            f"{store.root}/catalog.jsonl: snapshot {made.id}: found the time {made.at!r}, expected one like "
            "2026-09-30T14:00:00.000000+00:00"
        ) from None


def _named(made: Made) -> str:
    return f"{made.name or made.id}, made {_shown(datetime.fromisoformat(made.at))}"


def _shown(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
