"""What is different between two snapshots, and which judged queries that touches."""

import argparse
import sys
from pathlib import Path

from runner.alignment.difference import Difference
from runner.cli.snapshot_commands.place import split_words
from runner.composition.requests import compose_request
from runner.engine.inputs import ConfiguredInputs
from runner.errors import ConfigError, InputError
from runner.reports.diff import print_difference
from runner.reports.diff_files import write_files
from runner.snapshots import SnapshotStore
from runner.suite_formats import OwnSuite
from runner.suites import Suite

HELP = "compare two snapshots: documents, passages, wording, and the judged queries that are touched"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which two, for which suites, and where the reports go."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="OLD NEW",
        help="two snapshots, each by its id, the beginning of it, or its name; store=DIR",
    )
    parser.add_argument(
        "--suite",
        nargs="+",
        action="extend",
        default=[],
        metavar="SUITE",
        help="judged queries of the old snapshot: the YAML file of a suite, or the name of one in conf/suite",
    )
    parser.add_argument("--out", type=Path, help="a folder for diff.md and diff.json")


def run(parsed: argparse.Namespace) -> int:
    """Compare, print, and write the reports."""
    words, store = split_words([*parsed.words, *(word for word in parsed.suite if word.startswith("store="))])
    if len(words) != 2:
        raise ConfigError(f"expected two snapshots, the old and the new one, found {len(words)} words")
    old, new = (store.load(word) for word in words)
    suites = [_suite(word) for word in parsed.suite if not word.startswith("store=")]
    for suite in suites:
        if suite.snapshot == new.id != old.id:
            raise InputError(
                f"{suite.path}: is pinned to {_label(store, new.id)}, the new one of the two; write them the other way "
                "round, or name the suite as it was for the old one"
            )
    difference = Difference.between(old, new, suites)
    labels = _label(store, old.id), _label(store, new.id)
    print_difference(difference, labels, sys.stdout)
    if parsed.out:
        write_files(difference, labels, parsed.out)
        print(f"written: {parsed.out / 'diff.md'}, {parsed.out / 'diff.json'}")
    return 0


def _label(store: SnapshotStore, id_: str) -> str:
    names = store.catalog().names_of(id_)
    return f"{id_} ({', '.join(names)})" if names else id_


def _suite(word: str) -> Suite:
    if Path(word).suffix in (".yaml", ".yml") or Path(word).exists():
        return OwnSuite(word).read()
    return ConfiguredInputs().suite(compose_request([f"suite={word}"]).settings)
