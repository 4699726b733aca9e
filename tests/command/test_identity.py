"""What documents are called where nobody names them: two folders of one name differ, one folder never does."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from runner.configuration.identity import collection_name


def checkout(folder: Path, url: str | None = None) -> Path:
    """A git checkout with a folder of documents in it."""
    (folder / "docs").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    if url:
        subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", url], check=True)
    return folder / "docs"


def test_two_folders_of_one_name_differ_and_keep_it(tmp_path: Path) -> None:
    names = {collection_name(tmp_path / parent / "docs") for parent in ("a", "b")}
    assert len(names) == 2
    assert {name.rpartition("-")[0] for name in names} == {"docs"}


def test_one_folder_is_one_however_it_is_spelt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "文件").mkdir()
    (tmp_path / "link").symlink_to("文件")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    spelt = ["文件", "文件/", "./文件", "文件/../文件", "link", "~/文件", str(tmp_path / "文件"), "文件/."]
    assert len({collection_name(path) for path in spelt}) == 1
    monkeypatch.chdir("文件")
    assert collection_name(".") == collection_name("../link")
    assert collection_name(".").startswith("文件-")


@pytest.mark.parametrize(
    "url",
    [
        "git@Example.com:team/site.git",
        "https://wei:secret@example.com/team/site",
        "ssh://git@example.com:22/team/site.git/",
    ],
)
def test_a_folder_of_a_repository_is_the_same_on_every_machine(tmp_path: Path, url: str) -> None:
    here, there = (
        checkout(tmp_path / name, each) for name, each in (("desk", "https://example.com/team/site.git"), ("ci", url))
    )
    assert collection_name(here) == collection_name(there)
    assert collection_name(here) != collection_name(here.parent)
    assert collection_name(here) != collection_name(checkout(tmp_path / "other", "https://example.com/team/blog"))


def test_a_worktree_is_its_repository_and_one_without_origin_its_path(tmp_path: Path) -> None:
    docs = checkout(tmp_path / "main", "https://example.com/team/site.git")
    git = ["git", "-C", str(docs.parent), "-c", "user.name=w", "-c", "user.email=w@example.com"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    assert collection_name(tmp_path / "tree/docs") == collection_name(docs)
    assert collection_name(checkout(tmp_path / "x/site")) != collection_name(checkout(tmp_path / "y/site"))


def test_what_was_derived_is_shown_in_the_plan(new_desk: Any) -> None:
    desk = new_desk()
    done = desk.runner("dataset=pages", "dataset.path=./manual/", "dataset.suite=team.yaml", "dry_run=true")
    name = collection_name(desk.folder / "manual")
    assert f"experiment: {name} (dataset.name=... names it otherwise)" in done.out, done.err
