"""A suite of the own format on disk: read although it is frozen, its lines changed only where a query changed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrievers.script import same_id
from retrievers.text_file import is_packed
from runner.errors import InputError
from runner.formats.reading import decode, read_bytes
from runner.formats.strict_yaml import read_mapping
from runner.judging.history.atomic import replace_file
from runner.judging.history.head_text import with_keys
from runner.suite_formats import OwnSuite
from runner.suites import JudgedQuery, Suite

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class SuiteFile:
    """path: the YAML head of a suite."""

    path: Path

    def read(self) -> Suite:
        """The suite. Raises InputError as `OwnSuite.read` does, which refuses a frozen one whose content changed."""
        return OwnSuite(self.path).read()

    def read_thawed(self) -> Suite:
        """The suite, also where it was changed since it was frozen. Raises InputError for every other fault."""
        return OwnSuite(self.path).read(thawed=True)

    @property
    def head(self) -> str:
        """The text of the YAML head. Raises InputError if it cannot be read."""
        return decode(read_bytes(self.path, "the YAML head of a suite"), []) or ""

    @property
    def values(self) -> Mapping[str, Any]:
        """The keys of the head as they are written; nothing for a faulty one."""
        found = read_mapping(self.head, [])
        return found.values if found else {}

    @property
    def queries(self) -> Path:
        """The file of queries that the head names. Raises InputError for a packed one, which has no lines to change."""
        path = self.path.parent / str(self.values.get("queries") or f"{self.path.stem}.jsonl")
        if is_packed(path):
            raise InputError(f"{path}: is packed, and its lines are kept as they are; unpack it (gunzip) to work on it")
        return path

    @property
    def draft(self) -> Path:
        """The file of queries as it is going to be; there while it is written, and after a kill has come between."""
        real = self.queries.resolve()
        return real.with_name(f".{real.name}.next")

    def freeze(self, revision: str) -> None:
        """Write a revision into the head's `frozen`."""
        replace_file(self.path, self.head_with({"frozen": revision}))

    def head_with(self, changes: Mapping[str, str | None]) -> bytes:
        """The head with some keys changed, as it would be written. Raises InputError as `with_keys` does."""
        mark = _BOM if self.path.read_bytes().startswith(_BOM) else b""
        return mark + with_keys(self.head, changes, str(self.path)).encode()


@dataclass(frozen=True)
class Lines:
    """The lines of a file of queries, without their ends. ids: of the queries in them, None for blank lines."""

    raws: Sequence[bytes]
    ids: Sequence[str | None]
    end: bytes = b"\n"

    @classmethod
    def of(cls, data: bytes) -> "Lines":
        """The lines of the bytes of a file without faults."""
        raws = [raw.removesuffix(b"\r") for raw in data.split(b"\n")]
        if raws and not raws[-1].strip():
            raws.pop()
        return cls(raws, [_id_of(raw) for raw in raws], b"\r\n" if b"\r\n" in data else b"\n")

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return b"".join(raw + self.end for raw in self.raws)

    def changed(self, before: Mapping[str, JudgedQuery], suite: Suite) -> "Lines":
        """The lines once the file, whose queries by id are `before`, holds those of the suite.

        A changed query keeps the form of its line but for `relevant`, `judged` and `answerable`; new ones follow.
        """
        after = {query.id: query for query in suite.queries}
        if len(after) == len(before) and all(before.get(id_) is query for id_, query in after.items()):
            return self
        raws: list[bytes] = []
        ids: list[str | None] = []
        for raw, id_ in zip(self.raws, self.ids, strict=True):
            if id_ is not None and id_ not in after:
                continue
            if id_ is not None:
                now, old = after.pop(id_), before.get(id_)
                if now is not old and (old is None or now.content() != old.content()):
                    raw = _rewritten(raw, now)
            raws.append(raw)
            ids.append(id_)
        raws += [json.dumps(query.row(), ensure_ascii=False).encode() for query in after.values()]
        return Lines(raws, [*ids, *after], self.end)


def changed_lines(data: bytes, before: Mapping[str, JudgedQuery], suite: Suite) -> bytes:
    """The bytes of a file of queries, by id `before`, once they are those of the suite, as `Lines.changed` has it."""
    return Lines.of(data).changed(before, suite).data


def _id_of(raw: bytes) -> str | None:
    if not raw.strip():
        return None
    return same_id(str(json.loads(raw.removeprefix(_BOM).decode())["query_id"]))


def _rewritten(raw: bytes, query: JudgedQuery) -> bytes:
    head = _BOM if raw.startswith(_BOM) else b""
    row = json.loads(raw.removeprefix(_BOM).decode())
    row["relevant"] = query.row()["relevant"]
    for key, value in (("judged", query.judged), ("answerable", query.answerable)):
        if key in row or not value:
            row[key] = value
    return head + json.dumps(row, ensure_ascii=False).encode()
