"""When each snapshot was made, for which collection and under which name: a file that is only ever added to."""

import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from runner.errors import InputError, Problem
from runner.files.atomic import append_whole
from runner.files.reading import id_fault
from runner.files.strict_json import canonical_json, parse_json

# What a snapshot's id looks like: a name of this form could be taken for one.
_ID = re.compile(r"[0-9a-f]{16}")
# A name is typed on command lines: what a shell or a path would take apart is not in it.
_NAME_MARKS = "._-"
_TEXTS = ("id", "collection", "at", "corpus")


@dataclass(frozen=True, slots=True)
class Made:
    """A snapshot of a collection. name: the first it was given, or None. at: UTC, ISO 8601 with microseconds.

    corpus: where its documents came from, "" where nobody said.
    """

    id: str
    collection: str
    name: str | None
    at: str
    corpus: str = ""


@dataclass(frozen=True)
class Catalog:
    """events: one a line, in the order of the file. torn: numbers of lines that a killed writer left unfinished."""

    path: Path
    events: tuple[Made, ...]
    torn: tuple[int, ...]

    @classmethod
    def read(cls, path: Path) -> "Catalog":
        """Read a catalog; a file that is not there is an empty one.

        A line that is no JSON is what a killed writer leaves, and is passed over. Raises InputError for any other.
        """
        data = path.read_bytes() if path.is_file() else b""
        events: list[Made] = []
        torn: list[int] = []
        problems: list[Problem] = []
        for number, line in enumerate(data.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                value = parse_json(line, strict=False)
            except ValueError:
                torn.append(number)
                continue
            event = _event(value)
            if event is None:
                problems.append(Problem(number, "is not an event {id, collection, name, at, corpus}; delete the line"))
            else:
                events.append(event)
        if problems:
            raise InputError.of(path, problems)
        return cls(path, tuple(events), tuple(torn))

    @cached_property
    def names(self) -> dict[str, str]:
        """Every name and the id that holds it: the first that was given it, for ever."""
        held: dict[str, str] = {}
        for event in self.events:
            if event.name is not None:
                held.setdefault(event.name, event.id)
        return held

    def names_of(self, id_: str) -> tuple[str, ...]:
        """The names of one snapshot, the oldest first."""
        return tuple(name for name, holder in self.names.items() if holder == id_)

    def makings(self) -> tuple[Made, ...]:
        """One for each time a collection came to a snapshot, oldest first: again, too, where another lay between.

        What was said of a snapshot without a collection counts only where it has none at all.
        """
        placed = {event.id for event in self.events if event.collection}
        kept_names: dict[str, str] = {}
        for name, id_ in self.names.items():
            kept_names.setdefault(id_, name)
        made: list[Made] = []
        last: dict[str, str] = {}
        seen: set[tuple[str, str]] = set()
        for event in oldest_first(self.events):
            if not event.collection and event.id in placed:
                continue
            # To name what was seen before is not to make it again.
            again = (event.id, event.collection) in seen
            if last.get(event.collection) != event.id and not (again and event.name is not None):
                seen.add((event.id, event.collection))
                last[event.collection] = event.id
                made.append(replace(event, name=kept_names.get(event.id)))
        return tuple(made)

    def newest(self, collection: str) -> str | None:
        """The id of the snapshot that a collection came to last."""
        return next((each.id for each in reversed(self.makings()) if each.collection == collection), None)

    def refuse_name(self, name: str, id_: str) -> None:
        """Raise InputError unless a snapshot may bear this name."""
        if self.names.get(name) == id_:
            return
        if fault := id_fault(name):
            raise InputError(f"the name of a snapshot {fault}")
        wrong = [each for each in name if each not in _NAME_MARKS and unicodedata.category(each)[0] not in "LMN"]
        if wrong or name.startswith("-"):
            raise InputError(
                f"the name {name!r} {f'holds {wrong[0]!r}' if wrong else 'begins with a hyphen'}; expected letters, "
                "digits, `.`, `_` and `-`, like 2026-11"
            )
        if not name.strip("."):
            raise InputError(f"the name {name!r} is a folder's to every shell; expected a letter or a digit in it")
        if _ID.fullmatch(name):
            raise InputError(f"the name {name!r} looks like the id of a snapshot; choose another")
        holder = self.names.get(name, id_)
        if holder != id_:
            raise InputError(f"the name {name!r} belongs to snapshot {holder} for ever; choose another for {id_}")

    def lacks(self, id_: str, collection: str, name: str | None) -> bool:
        """Whether an event would say something that is not here yet."""
        if name is not None and self.names.get(name) != id_:
            return True
        return not any(event.id == id_ and (not collection or event.collection == collection) for event in self.events)

    def add(self, event: Made) -> None:
        """Append one event in one write that is on the disk before this returns.

        Raises InputError if another writer took the name in the meantime, or if it cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = canonical_json(asdict(event)).encode() + b"\n"
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            # Behind what a killed writer left, or another one is just writing, a line of its own begins.
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                line = b"\n" + line
            append_whole(file, line)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written ({error.strerror})") from None
        finally:
            os.close(file)
        if event.name is not None:
            # Of two that gave one name at once, the first line holds it.
            Catalog.read(self.path).refuse_name(event.name, event.id)


def oldest_first(makings: Iterable[Made]) -> tuple[Made, ...]:
    """Sort by time, and at the same time by id."""
    return tuple(sorted(makings, key=lambda each: (each.at, each.id, each.collection)))


def utc(seconds: float | None = None) -> str:
    """A moment, in seconds since 1970, or this one: UTC, ISO 8601 with microseconds."""
    moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="microseconds")


def _event(value: Any) -> Made | None:
    if not isinstance(value, dict) or set(value) != {*_TEXTS, "name"}:
        return None
    if not all(isinstance(value[key], str) for key in _TEXTS) or not isinstance(value["name"], str | None):
        return None
    return Made(**value)
