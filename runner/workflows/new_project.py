"""A folder of one's own that is ready to edit: conf/, a suite with drafted questions, a gate policy, and notes."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runner.annotation.draft import draft_suite
from runner.configuration.project import MARK
from runner.errors import InputError
from runner.files.scratch import scratch_folder
from runner.snapshots import Snapshot
from runner.suite_formats.own import write_own
from runner.suites import Suite

QUESTIONS = 30
_LISTED = 5
_PAGES = "pages"
_EXAMPLES = {
    "en/limits.md": "# Limits\n\n## Requests\n\nA client may send at most 100 requests a minute.\n\n"
    "## File size\n\nAn upload may have at most 20 MB.\n",
    "zh/limits.md": "# 額度\n\n## 請求\n\n每個用戶端每分鐘最多可以送出一百次請求。\n\n"
    "## 檔案大小\n\n上傳的檔案最多二十 MB。\n",
}
_PROJECT = """\
# @package _global_
# What runs in this folder, and below it, are of. Differences from the program's own conf/config.yaml only; what the
# command line or an experiment says comes after it. A file here is taken before the program's file of that name.
defaults:
  - override /dataset: project
"""
_DATASET = """\
# @package _global_
# Your pages and your questions.
defaults:
  - override /corpus: pages
  - override /chunker: heading   # or window, with chunker.size=600; or document
  - override /suite: questions

dataset:
  name: {name}  # of experiment and collection
  path: {pages}  # the folder of pages
  suite: ${{runner.project:}}/questions/suite.yaml  # the head of the questions
"""
_SUITE = """\
# The questions of this project; a further suite is a further file.
_target_: runner.suite_formats.OwnSuite
path: ${runner.project:}/questions/suite.yaml
"""
_GATE = """\
# What a release has to hold to: gate=release. Only judgments made by people block.
inconclusive: warn           # what an undecided blocking rule does: pass, warn or block
rules:
  - {name: overall recall, metric: recall, k: 5, slice: all, min: 0.6, max_drop: 0.05, severity: block}
  - {name: first answer, metric: mrr, slice: all, max_drop: 0.1, severity: warn}
budget: {context_tokens: 2000, latency_p95_ms: 200}   # for choose
"""
_README = """\
# {name}

Made by `init`. Pages: `{pages}`. Questions: `questions/`, {count} of them drafted from the pages.

The drafted questions use the pages' own words and nobody has judged them (`source: synthetic`). They show that
everything works; their scores are too good to mean anything else, and no gate blocks on them. Put your own in.

    python -m runner -m retriever=bm25,hybrid k=1,3,5        # sweep; runs are kept in mlruns/
    python -m runner judgments review questions/suite.yaml only=all snapshot={snapshot}   # judge what was drafted
    python -m runner accept RUN_ID why="first baseline"
    python -m runner -m retriever=hybrid k=5 gate=release    # exit status 1 if it blocks
    python -m runner compare RUN_A RUN_B

`conf/` holds what differs from the program's own configuration; `python -m runner --help` lists the choices.
A question is one line of `questions/queries.jsonl`; the ids to judge by are listed by

    python -m runner snapshot show {snapshot} passages=true
"""


@dataclass(frozen=True)
class NewProject:
    """What was made: the folder, the suite that was drafted, and the snapshot that it was drafted from."""

    folder: Path
    suite: Suite
    snapshot: Snapshot


def make_project(folder: Path, pages: Path | None, read: Callable[[Path], Snapshot]) -> NewProject:
    """Write a project. pages: a folder of them, None for two examples to replace. read: cuts pages into passages.

    Raises InputError, and writes nothing, for a folder that is there and not empty, for pages that are not there and
    for pages without text.
    """
    _refuse_used(folder)
    if pages is not None and not pages.is_dir():
        fault = "is not a folder" if pages.exists() else "not found"
        raise InputError(f"pages={pages}: {fault}; expected a folder of pages")
    if pages is not None and Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(pages)):
        raise InputError(f"{folder}: lies among the pages, which its files would become; name a folder beside {pages}")
    with scratch_folder("init") as examples:
        if pages is None:
            _write(examples, _EXAMPLES)
        snapshot = read(pages or examples)
    name = folder.absolute().name
    suite = draft_suite(snapshot, name, QUESTIONS)
    if not suite.queries:
        raise InputError(
            f"pages={pages}: {len(snapshot.documents)} documents and no question could be drafted from them; expected "
            "a folder of pages with text (Markdown, HTML, plain text, ...)"
        )
    if pages is None:
        _write(folder / _PAGES, _EXAMPLES)
    place = _place(folder, pages or folder / _PAGES)
    values = {"name": _text(_plain(name)), "pages": _text(place)}
    _write(
        folder,
        {
            str(MARK): _PROJECT,
            "conf/dataset/project.yaml": _DATASET.format(**values),
            "conf/suite/questions.yaml": _SUITE,
            "conf/gate/release.yaml": _GATE,
            "README.md": _README.format(name=name, pages=place, count=len(suite.queries), snapshot=snapshot.id),
            ".gitignore": "mlruns/\n",
        },
    )
    write_own(suite, folder / "questions")
    return NewProject(folder, suite, snapshot)


def _refuse_used(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; name a folder that is empty or not there")
    there = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if there:
        listed = ", ".join(there[:_LISTED]) + (", ..." if len(there) > _LISTED else "")
        raise InputError(f"{folder}: is not empty ({listed}); nothing is overwritten, so name another folder")


def _place(folder: Path, pages: Path) -> str:
    """Where the pages are as conf/ says it: from the project on where both are moved together, else absolute."""
    there, here = os.path.realpath(pages), os.path.realpath(folder)
    beside = Path(there).is_relative_to(Path(here).parent)
    place = Path(os.path.relpath(there, here)).as_posix() if beside else there
    return ("${runner.project:}/" if beside else "") + _plain(place)


def _plain(text: str) -> str:
    """A text in which OmegaConf sees no reference to another key."""
    return text.replace("${", "\\${")


def _text(text: str) -> str:
    """A text as YAML has it, whatever it looks like: what is text in JSON is so there."""
    return json.dumps(text, ensure_ascii=False)


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
