"""What is different between two snapshots, and which judged queries that touches."""

import sys
from pathlib import Path

from runner.alignment.difference import Difference
from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.composition.requests import compose_request
from runner.engine.inputs import ConfiguredInputs, snapshot_store
from runner.errors import InputError
from runner.reports.diff import print_difference
from runner.reports.diff_files import write_files
from runner.snapshots import SnapshotStore
from runner.suite_formats import OwnSuite
from runner.suites import Suite


class Asked(StoredRuns):
    """What the command takes."""

    old: str = words("OLD", "a snapshot: its id, the beginning of it, or its name")
    new: str = words("NEW", "the newer one")
    suite: tuple[str, ...] = setting(
        "judged queries of the old snapshot: files of suites, or names in conf/suite",
        (),
        metavar="SUITE,...",
        every=True,
    )
    out: Path | None = setting("a folder for diff.md and diff.json", None, metavar="DIR")


def run(asked: Asked) -> int:
    """Compare, print, and write the reports."""
    store = snapshot_store(asked.place().store)
    old, new = store.load(asked.old), store.load(asked.new)
    suites = [_suite(word) for word in asked.suite]
    for suite in suites:
        if suite.snapshot == new.id != old.id:
            raise InputError(
                f"{suite.path}: is pinned to {_label(store, new.id)}, the new one of the two; write them the other way "
                "round, or name the suite as it was for the old one"
            )
    difference = Difference.between(old, new, suites)
    labels = _label(store, old.id), _label(store, new.id)
    print_difference(difference, labels, sys.stdout)
    if asked.out:
        write_files(difference, labels, asked.out)
        print(f"written: {asked.out / 'diff.md'}, {asked.out / 'diff.json'}")
    return 0


def _label(store: SnapshotStore, id_: str) -> str:
    names = store.catalog().names_of(id_)
    return f"{id_} ({', '.join(names)})" if names else id_


def _suite(word: str) -> Suite:
    if Path(word).suffix in (".yaml", ".yml") or Path(word).exists():
        return OwnSuite(word).read()
    return ConfiguredInputs().suite(compose_request([f"suite={word}"]).settings)


main = Command("snapshot diff", Asked, run, example="2026-03 2026-09 suite=core out=difference/")

if __name__ == "__main__":
    main()
