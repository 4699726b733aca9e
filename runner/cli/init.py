"""`python -m runner init DIR [pages=FOLDER]`: a project of one's own, ready to edit."""

import shlex
from pathlib import Path

from runner.cli.arguments import Arguments, setting, words
from runner.cli.command import Command
from runner.cli.commands import PROGRAM
from runner.composition.overrides import quoted
from runner.composition.requests import compose_request
from runner.engine.inputs import read_snapshot
from runner.snapshots import Snapshot
from runner.workflows.new_project import make_project


class Asked(Arguments):
    """What the command takes."""

    folder: Path = words("DIR", "the folder to make; it is not there yet, or empty")
    pages: Path | None = setting("a folder of your pages, which stay where they are; default: two examples", None)


def run(asked: Asked) -> int:
    """Make the project and say what to do next."""
    made = make_project(asked.folder, asked.pages, _read)
    documents, passages, drafted = len(made.snapshot.documents), len(made.snapshot.passages), len(made.suite.queries)
    print(f"{asked.folder}: {documents:,} documents, {passages:,} passages, {drafted} drafted questions")
    print("the questions use the pages' own words and are marked `source: synthetic`: no gate blocks on them, and a")
    print("person has to judge them, or to write others, before their scores mean anything; README.md there says how")
    print(f"next: cd {shlex.quote(str(asked.folder))} && {PROGRAM} -m retriever=bm25,hybrid k=1,3,5")
    return 0


def _read(pages: Path) -> Snapshot:
    words = ["dataset=pages", f"dataset.path={quoted(str(pages.absolute()))}", "++dataset.suite=none"]
    return read_snapshot(compose_request(words).settings)


main = Command("init", Asked, run, example="handbook pages=docs/")

if __name__ == "__main__":
    main()
