"""`agreement FILE [FILE ...]`: how far several annotators agree, and on what they do not."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from runner.annotation.agreement import agree
from runner.annotation.exchange.pair_files import read_pairs
from runner.annotation.exchange.pair_row import PairRow
from runner.annotation.exchange.ratings import Source, collect, suite_rows
from runner.cli.arguments import Arguments, setting, words
from runner.cli.command import Command
from runner.errors import ConfigError, InputError
from runner.files.nearest import did_you_mean
from runner.reports.agreement import MOST_LISTED, print_agreement
from runner.scoring.slices import slice_queries
from runner.suite_formats.own import OwnSuite
from runner.suites import CROSSING, DERIVED_FIELDS, Suite


class Asked(Arguments):
    """What the command takes."""

    files: tuple[Path, ...] = words("FILE", "a suite's YAML head, or pairs: .jsonl, .csv, .json of Label Studio")
    suite: str | None = setting("the suite whose texts and slices to use; default: the first one given", None)
    slice: tuple[str, ...] = setting('by these fields, or "a x b"', (), metavar="FIELD,...")
    most: int = setting("how many differing pairs to list", MOST_LISTED, least=0)


def run(asked: Asked) -> int:
    """Print the agreement: 0 done, also where it is low."""
    read = [_read(path) for path in asked.files]
    suite = OwnSuite(asked.suite).read() if asked.suite else next((suite for _, suite in read if suite), None)
    sources = [source for source, _ in read]
    if suite:
        sources = [_of_suite(source, suite) for source in sources]
    elif asked.slice:
        raise ConfigError("slice= needs the fields of the queries; name their suite (suite=SUITE.yaml)")
    if suite and not any(source.rows for source in sources):
        names = ", ".join(map(str, asked.files))
        raise InputError(f"{names}: no query of suite {suite.name!r} ({asked.suite or suite.path}) is in there")
    print_agreement(agree(collect(sources), _groups(suite, asked.slice)), sys.stdout, asked.most)
    return 0


def _read(path: Path) -> tuple[Source, Suite | None]:
    if path.suffix in (".yaml", ".yml"):
        suite = OwnSuite(path).read()
        return Source(str(path), path.stem, suite_rows(suite)), suite
    return Source(str(path), path.stem, read_pairs(path).rows), None


def _of_suite(source: Source, suite: Suite) -> Source:
    """The rows about queries of the suite, with its texts where they have none."""
    queries = {query.id: query for query in suite.queries}
    rows: list[PairRow] = []
    for row in source.rows:
        if query := queries.get(row.query_id):
            rows.append(row if row.text else replace(row, text=query.text, history=query.history))
    unknown = len({row.query_id for row in source.rows} - set(queries))
    if unknown:
        print(f"note: {source.name}: queries that suite {suite.name!r} does not hold, left out: {unknown}")
    return Source(source.name, source.stem, tuple(rows))


def _groups(suite: Suite | None, fields: Sequence[str]) -> Mapping[str, Sequence[str]]:
    if suite is None or not fields:
        return {}
    known = sorted({name for query in suite.queries for name in query.fields} | set(DERIVED_FIELDS))
    for name in (part.strip() for field in fields for part in field.split(CROSSING)):
        if name not in known:
            raise ConfigError(f"slice: suite {suite.name!r} has no field {name!r}{did_you_mean(name, known)}")
    slices = slice_queries(suite.queries, fields, min_grade=suite.min_grade)
    chosen = tuple(f"{field}." for field in fields)
    return {
        name: [query.id for query, inside in zip(suite.queries, members, strict=True) if inside]
        for name, members in zip(slices.names, slices.members, strict=True)
        if name.startswith(chosen)
    }


main = Command("judgments agreement", Asked, run, example="wei.csv bo.csv suite=core.yaml slice=language")

if __name__ == "__main__":
    main()
