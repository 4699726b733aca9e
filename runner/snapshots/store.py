"""Snapshots on disk: one folder an id, written once, checked on every reading."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError, RunnerError
from runner.files.atomic import place_folder
from runner.files.nearest import nearest
from runner.snapshots.catalog import Catalog, Made, oldest_first, utc
from runner.snapshots.files import FILES, HEAD, holds, read_files, write_files
from runner.snapshots.snapshot import Snapshot

_CATALOG = "catalog.jsonl"
_MOST_SHOWN = 5


@dataclass(frozen=True)
class SnapshotStore:
    """root: the folder of all snapshots, one folder each.

    snapshot.json holds settings, counts and file hashes; documents.jsonl the texts; passages.jsonl the ranges;
    documents.tsv `id<TAB>sha256` lines, so that two snapshots can be compared with diff. Beside the folders,
    catalog.jsonl says when each was made, for which collection and under which names.
    """

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(self.root))

    def exists(self, id_: str) -> bool:
        """Whether a snapshot of this full id is stored."""
        return (self.root / id_ / HEAD).is_file()

    def ids(self) -> tuple[str, ...]:
        """All stored ids, sorted."""
        found = self.root.iterdir() if self.root.is_dir() else ()
        return tuple(sorted(each.name for each in found if not each.name.startswith(".") and self.exists(each.name)))

    def find(self, wanted: str) -> str:
        """The one stored id that is, begins with or is named `wanted`; InputError if there is none, or more than one.

        A whole id goes first: a name never stands before it.
        """
        if wanted and self.exists(wanted):
            return wanted
        named = self.catalog().names.get(wanted)
        found = [id_ for id_ in self.ids() if id_.startswith(wanted) or id_ == named]
        if wanted and len(found) == 1 and named in (None, found[0]):
            return found[0]
        if named is not None and not self.exists(named):
            raise InputError(f"snapshot {named}, named {wanted!r}, is not in {self.root} any more; build it again")
        if named is not None:
            begins = ", ".join(id_ for id_ in found if id_ != named)
            raise InputError(f"snapshot {wanted!r} could be {named}, of this name, or {begins}; write more of the id")
        if len(found) > 1:
            raise InputError(f"snapshot {wanted!r} could be {', '.join(found[:5])}; write more of the id")
        raise InputError(f"snapshot {wanted!r} is not in {self.root}; {self._hint(wanted)}")

    def catalog(self) -> Catalog:
        """When each snapshot was made, and what it was called."""
        return Catalog.read(self.root / _CATALOG)

    def history(self, collection: str | None = None) -> tuple[Made, ...]:
        """When each snapshot was first seen in each collection, or in one, oldest first, also those deleted since.

        Snapshots from before there was a catalog belong to no collection and are as old as their folder.
        """
        made = self.catalog().makings()
        known = {each.id for each in made}
        older = [Made(id_, "", None, self._stored_at(id_)) for id_ in self.ids() if id_ not in known]
        return oldest_first(each for each in (*made, *older) if collection in (None, each.collection))

    def save(
        self,
        snapshot: Snapshot,
        collection: str = "",
        name: str | None = None,
        corpus: str = "",
        *,
        current: bool = False,
    ) -> Path:
        """Store a snapshot, all or nothing, and return its folder; one that is there already is left alone.

        If its files are not what was stored, they are put aside and written anew, which is told in one line.
        The catalog notes when it was first seen in its collection, and its name. current: it is what the collection
        is now, which is noted, too, if pages were put back as they had been: a run on old pages does not say so.
        Raises InputError, and stores nothing, for a name that belongs to another.
        """
        folder = self.root / snapshot.id
        catalog = self.catalog()
        if name is not None:
            catalog.refuse_name(name, snapshot.id)
        stored = self.exists(snapshot.id)
        if not holds(folder, snapshot):
            self._put_aside(folder)
            place_folder(folder, lambda draft: write_files(snapshot, draft), stands=lambda: self.exists(folder.name))
        self._catalogue(snapshot.id, collection, name, corpus, stored=stored, current=current)
        return folder

    def note(self, id_: str, collection: str, corpus: str = "") -> None:
        """Note that a stored snapshot was seen in a collection."""
        self._catalogue(id_, collection, None, corpus, stored=True, current=False)

    def _catalogue(
        self, id_: str, collection: str, name: str | None, corpus: str, *, stored: bool, current: bool
    ) -> None:
        catalog = self.catalog()
        put_back = current and catalog.newest(collection) not in (None, id_)
        if put_back and not catalog.lacks(id_, collection, None):
            catalog.add(Made(id_, collection, None, utc(), corpus))
        if catalog.lacks(id_, collection, name):
            # What nobody wrote down when it was made was made when its folder was.
            unwritten = stored and catalog.lacks(id_, "", None)
            at = self._stored_at(id_) if unwritten else utc()
            catalog.add(Made(id_, collection, name, at, corpus))

    def load(self, wanted: str) -> Snapshot:
        """Read a snapshot by its id, the beginning of it, or its name; InputError if it is not what was stored."""
        id_ = self.find(wanted)
        snapshot = self.load_from(self.root / id_)
        if snapshot.id != id_:
            raise InputError(f"{self.root / id_}: holds snapshot {snapshot.id}; rename the folder to that id")
        return snapshot

    def export(self, id_: str, directory: str | Path) -> Path:
        """Copy a stored snapshot into `directory`, and return it. Raises InputError for one that is not empty."""
        target = Path(directory)
        if target.exists() and any(target.iterdir()):
            raise InputError(f"{target}: is not empty; a snapshot is exported into a folder of its own")
        source = self.root / self.find(id_)
        shutil.copytree(source, target, dirs_exist_ok=True)
        return target

    @staticmethod
    def load_from(directory: str | Path) -> Snapshot:
        """Read the snapshot in a folder and verify files, documents, ranges and id; InputError if anything differs."""
        folder = Path(directory)
        try:
            return read_files(folder)
        except (RunnerError, OSError, ValueError, KeyError, TypeError) as error:
            reason = str(error) if isinstance(error, RunnerError) else f"{type(error).__name__}: {error}"
            raise InputError(
                f"{folder}: the stored snapshot cannot be used ({reason}); "
                "delete this folder and build the snapshot again, or restore it from an export"
            ) from error

    def _stored_at(self, id_: str) -> str:
        return utc((self.root / id_).stat().st_mtime)

    def _hint(self, wanted: str) -> str:
        """The name or id that is most like a wrong one, and what there is, the newest first."""
        catalog, there = self.catalog(), set(self.ids())
        newest = list(dict.fromkeys(each.id for each in reversed(self.history()) if each.id in there))
        words = [*(name for name, id_ in catalog.names.items() if id_ in there), *newest]
        close = nearest(wanted, words)
        shown = [f"{id_} ({', '.join(names)})" if (names := catalog.names_of(id_)[::-1]) else id_ for id_ in newest]
        more = f" and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
        stored = f"stored: {', '.join(shown[:_MOST_SHOWN]) or 'none'}{more}"
        return f"did you mean {close!r}? {stored}" if close else f"{stored}; build it again from its corpus"

    def _put_aside(self, folder: Path) -> None:
        """Give a damaged snapshot a name that is none, unless there is none or something else is in its folder."""
        if not folder.is_dir() or not {each.name for each in folder.iterdir()} <= FILES:
            return
        aside = self.root / f".{folder.name}.damaged"
        shutil.rmtree(aside, ignore_errors=True)
        try:
            os.rename(folder, aside)
        except FileNotFoundError:
            # Another sweep was first.
            return
        print(
            f"note: the files of snapshot {folder.name} are not what was stored; they are put aside as {aside}, which "
            "you may delete, and written anew",
            file=sys.stderr,
        )
