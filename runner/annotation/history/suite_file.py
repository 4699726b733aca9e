"""A suite of the own format on disk: read although it is frozen, its lines changed only where a query changed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrievers.script import same_id
from retrievers.text_file import is_packed
from runner.errors import InputError, Problem
from runner.files.atomic import replace_file
from runner.files.reading import decode, read_bytes
from runner.files.strict_yaml import read_mapping
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
class SuiteLines:
    """The lines of a file of queries, without their ends. ids: of the queries in them, None for blank lines."""

    raws: Sequence[bytes]
    ids: Sequence[str | None]
    end: bytes = b"\n"

    @classmethod
    def of(cls, data: bytes) -> "SuiteLines":
        """The lines of the bytes of a file without faults."""
        raws = [raw.removesuffix(b"\r") for raw in data.split(b"\n")]
        if raws and not raws[-1].strip():
            raws.pop()
        return cls(raws, [_id_of(raw) for raw in raws], b"\r\n" if b"\r\n" in data else b"\n")

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return b"".join(raw + self.end for raw in self.raws)

    def changed(self, before: Mapping[str, JudgedQuery], suite: Suite) -> "SuiteLines":
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
        return SuiteLines(raws, [*ids, *after], self.end)


def changed_lines(data: bytes, before: Mapping[str, JudgedQuery], suite: Suite) -> bytes:
    """The bytes of a file of queries, by id `before`, once they are those of the suite, as `Lines.changed` has it."""
    return SuiteLines.of(data).changed(before, suite).data


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


def with_keys(text: str, changes: Mapping[str, str | None], where: str) -> str:
    """The text with each key set to a string, or taken out for None; a new key follows the last that is there.

    Raises InputError, naming `where`, for a head that is not written as `key: value` lines.
    """
    before = _values(text)
    for key, value in changes.items():
        if before is not None and before.get(key) != value:
            text = _changed(text, key, value)
    wanted = None if before is None else {**before, **changes}
    after = _values(text)
    if wanted is None or after is None or after != {key: each for key, each in wanted.items() if each is not None}:
        raise InputError(
            f"{where}: {' and '.join(changes)} cannot be changed in this head; write it as `key: value` lines"
        )
    return text


def _values(text: str) -> dict[str, Any] | None:
    problems: list[Problem] = []
    found = read_mapping(text, problems)
    return None if found is None else {key: value for key, value in found.values.items() if value is not None}


def _changed(text: str, key: str, value: str | None) -> str:
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        # The change before this one did not fit; the caller sees what came of it.
        return text
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    # JSON strings are YAML strings too, and cannot turn into numbers or dates.
    line = f"{key}: {json.dumps(value, ensure_ascii=False)}"
    for name, held in pairs:
        if name.value == key:
            start = text.rfind("\n", 0, name.start_mark.index) + 1
            end = held.end_mark.index if held.end_mark.index > held.start_mark.index else name.end_mark.index
            end = max(end, name.end_mark.index)
            # What stands behind a value on its line speaks of the old one.
            after = text.find("\n", end)
            after = len(text) if after < 0 else after
            if value is None:
                return text[:start] + text[after + 1 :]
            return text[:start] + line + ("\r" if text[after - 1 : after] == "\r" else "") + text[after:]
    if value is None or not pairs:
        return text
    end = text.find("\n", pairs[-1][1].end_mark.index - 1)
    newline = "\r\n" if "\r\n" in text else "\n"
    if end < 0:
        return f"{text}{newline}{line}{newline}"
    return f"{text[: end + 1]}{line}{newline}{text[end + 1 :]}"
