"""A suite of the own format on disk: read although it is frozen, its lines changed only where a query changed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.formats.reading import decode, nfc, read_bytes
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
    def frozen(self) -> str | None:
        """The revision at which the head says that the suite is frozen."""
        value = self.values.get("frozen")
        return None if value is None else str(value)

    @property
    def queries(self) -> Path:
        """The file of queries that the head names."""
        return self.path.parent / str(self.values.get("queries") or f"{self.path.stem}.jsonl")

    def save(self, suite: Suite) -> None:
        """Write the suite's queries in place of the file's; lines of queries that did not change stay as they are."""
        before = {query.id: query for query in self.read_thawed().queries}
        replace_file(self.queries, changed_lines(self.queries.read_bytes(), before, suite))

    def freeze(self, revision: str) -> None:
        """Write a revision into the head's `frozen`."""
        replace_file(self.path, self.head_with({"frozen": revision}))

    def head_with(self, changes: Mapping[str, str | None]) -> bytes:
        """The head with some keys changed, as it would be written. Raises InputError as `with_keys` does."""
        mark = _BOM if self.path.read_bytes().startswith(_BOM) else b""
        return mark + with_keys(self.head, changes, str(self.path)).encode()


def changed_lines(data: bytes, before: Mapping[str, JudgedQuery], suite: Suite) -> bytes:
    """The bytes of a file of queries, by id `before`, once they are those of the suite.

    A changed query keeps the form of its line but for `relevant`, `judged` and `answerable`; new ones follow.
    """
    after = {query.id: query for query in suite.queries}
    end = b"\r\n" if b"\r\n" in data else b"\n"
    lines = []
    for raw in data.split(b"\n"):
        id_ = _id_of(raw)
        if id_ is None:
            lines.append(raw)
        elif id_ in after:
            now = after.pop(id_)
            same = now.content() == before[id_].content() if id_ in before else False
            lines.append(raw if same else _rewritten(raw, now))
    if lines and not lines[-1].strip():
        lines.pop()
    lines += [json.dumps(query.row(), ensure_ascii=False).encode() for query in after.values()]
    return b"".join(line.removesuffix(b"\r") + end for line in lines)


def _id_of(raw: bytes) -> str | None:
    if not raw.strip():
        return None
    return nfc(str(json.loads(raw.removeprefix(_BOM).decode())["query_id"]))


def _rewritten(raw: bytes, query: JudgedQuery) -> bytes:
    head = _BOM if raw.startswith(_BOM) else b""
    row = json.loads(raw.removeprefix(_BOM).decode())
    row["relevant"] = query.row()["relevant"]
    for key, value in (("judged", query.judged), ("answerable", query.answerable)):
        if key in row or not value:
            row[key] = value
    return head + json.dumps(row, ensure_ascii=False).encode()
