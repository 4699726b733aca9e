"""Which files below a folder are pages, and how what is passed over is told."""

import os
import socket
from pathlib import Path

import pytest

from runner.chunkers import Heading
from runner.documents import Pages, found, kinds
from runner.documents.passed import Passed, passed_words
from runner.errors import InputError
from runner.snapshots import Snapshot, SnapshotStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    outside, root = tmp_path / "secret", tmp_path / "文件"
    (root / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "key.md").write_text("secret")
    for name in ("a.md", "sub/b.md", "c.adoc", "d.png", "e.PNG", "Makefile", ".hidden.md"):
        (root / name).write_text(name)
    os.mkfifo(root / "pipe.md")
    (root / "link.md").symlink_to(outside / "key.md")
    (root / "inside.md").symlink_to("a.md")
    (root / "gone.md").symlink_to("nowhere")
    (root / "loop.md").symlink_to("loop.md")
    (root / "device.md").symlink_to("/dev/zero")
    (root / "linked").symlink_to(outside)
    (root / "sub" / "round").symlink_to(root)
    (root / ".git").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(root)
        try:
            server.bind("s.md")
        finally:
            os.chdir(here)
    return root


def test_only_regular_files_inside_the_folder_are_read_and_the_rest_is_counted(folder: Path) -> None:
    documents = Pages(folder).read()
    assert {document.id: document.text for document in documents} == {
        "a.md": "a.md",
        "inside.md": "a.md",
        "sub/b.md": "sub/b.md",
    }
    assert set(documents.passed) == {
        Passed(2, ".png"),
        Passed(1, ".adoc", "no reader; convert it to HTML (asciidoctor)"),
        Passed(2, "broken symlink"),
        Passed(1, "device"),
        Passed(1, "hidden file"),
        Passed(1, "hidden folder"),
        Passed(1, "named pipe"),
        Passed(1, "socket"),
        Passed(2, "symlinked folder"),
        Passed(1, "symlink to a file outside"),
        Passed(1, "without a suffix"),
    }


def test_what_was_skipped_is_kept_with_the_snapshot_and_is_no_part_of_its_id(folder: Path, tmp_path: Path) -> None:
    snapshot = Snapshot.build(Pages(folder).read(), Heading())
    assert snapshot.passed
    assert Snapshot.build(list(Pages(folder).read()), Heading()).id == snapshot.id
    store = SnapshotStore(tmp_path / "store")
    store.save(snapshot)
    assert store.load(snapshot.id).passed == snapshot.passed


def test_the_layout_of_html_is_kept_with_the_snapshot(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1><p>x<table><tr><td>1<td>2</table><ul><li>i</ul>")
    store = SnapshotStore(tmp_path / "store")
    snapshot = Snapshot.build(Pages(tmp_path / "a.html").read(), Heading())
    store.save(snapshot)
    (document,) = store.load(snapshot.id).documents
    assert document == snapshot.documents[0]
    assert [heading.title for heading in document.outline.headings] == ["A"]
    assert [document.text[start:end] for start, end in document.outline.tables] == ["1\t2\n"]


def test_kinds_that_need_an_extra_are_skipped_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "find_spec", lambda name: None)
    for name in ("a.md", "b.pdf", "c.pdf", "d.docx"):
        (tmp_path / name).write_text("x")
    (tmp_path / "linked").symlink_to("/")
    documents = Pages(tmp_path).read()
    said = 'skipped 4: 2 .pdf (install ".[documents]"), 1 .docx (install ".[documents]"), 1 symlinked folder'
    assert passed_words(documents.passed) == said
    with pytest.raises(InputError, match=r'b\.pdf: cannot be read yet; install "\.\[documents\]"'):
        Pages(tmp_path / "b.pdf").read()
    (tmp_path / "a.md").unlink()
    with pytest.raises(InputError, match=r"holds no page; looked for .*; skipped 4: 2 \.pdf"):
        Pages(tmp_path).read()


def test_a_kind_that_was_not_asked_for_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "b.rst").write_text("x")
    assert Pages(tmp_path, include=["*.md"]).read().passed == (Passed(1, ".rst", "not in corpus.include"),)


def test_many_kinds_are_summed_up() -> None:
    assert passed_words(()) == "skipped nothing"
    assert passed_words([Passed(1, f".{n}") for n in range(11)]).endswith(", 1 .7, 3 of other kinds")


def test_a_pipe_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: named pipe; expected a folder of pages"):
        Pages(tmp_path / "pipe").read()


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "shut").mkdir()
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(found.os, "scandir", refusing)
    with pytest.raises(InputError, match=r"shut: cannot be read \(Permission denied\)"):
        Pages(tmp_path).read()


def test_a_page_that_cannot_be_read_is_listed_with_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff")
    (tmp_path / "b.md").write_text("x")
    whole = Path.read_bytes

    def refusing(path: Path) -> bytes:
        if path.name == "b.md":
            raise PermissionError(13, "Permission denied", str(path))
        return whole(path)

    monkeypatch.setattr(Path, "read_bytes", refusing)
    with pytest.raises(InputError, match="2 problems") as caught:
        Pages(tmp_path).read()
    assert "b.md: cannot be read (Permission denied); expected a page" in str(caught.value)
