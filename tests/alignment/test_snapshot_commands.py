"""`python -m runner snapshot build | list | show | diff`, as typed."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.cli.snapshot import main
from runner.composition.requests import compose_request
from runner.configuration.identity import collection_name
from runner.engine.inputs import ConfiguredInputs, collection_of, snapshot_store
from runner.snapshots import SnapshotStore

ROOT = Path(__file__).parents[2]
RATE = "A project may publish {} messages per second to one queue; every further one is refused with 429."
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with pages in both languages, that also holds the store."""
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    pages = tmp_path / "文件 docs"
    pages.mkdir()
    (pages / "rates.md").write_text(f"# Rates\n\n## Publish\n\n{RATE.format(10)}\n", "utf-8")
    (pages / "費用.md").write_text(
        "# 費用\n\n## 計費\n\n每一百萬則收取一點二美元，超出內含用量的部分才計費。\n", "utf-8"
    )
    return tmp_path


@pytest.fixture
def command(home: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def store(home: Path) -> SnapshotStore:
    return snapshot_store(home / "mlruns")


def build(command: Command, *more: str) -> str:
    status, out, err = command("build", "corpus=pages", "corpus.path=文件 docs/", "chunker=heading", *more)
    assert status == 0, err
    return out.split()[0].rstrip(":")


def edit(home: Path) -> None:
    (home / "文件 docs" / "rates.md").write_text(f"# Rates\n\n## Publish\n\n{RATE.format(20)}\n", "utf-8")


def test_a_folder_is_built_under_a_name_and_the_folders_collection(command: Command, store: SnapshotStore) -> None:
    status, out, _ = command("build", "corpus.path=文件 docs/", "--name", "2026-11", "chunker=heading", "corpus=pages")
    (id_,) = store.ids()
    docs = collection_name("文件 docs")
    assert status == 0
    assert out == (
        f"{id_} (2026-11): 2 documents, 2 passages\ncollection: {docs}\nstored: {store.root / id_}\n"
        "read 2, skipped nothing\n"
    )
    (made,) = store.history()
    assert (made.collection, made.name, made.corpus) == (
        collection_name("文件 docs"),
        "2026-11",
        str(Path("文件 docs").resolve()),
    )


def test_building_the_same_again_says_so(command: Command, store: SnapshotStore) -> None:
    id_ = build(command)
    _, out, _ = command("build", "corpus.path=文件 docs", "--name", "later")
    assert out.splitlines() == [
        f"{id_} (later): 2 documents, 2 passages",
        f"collection: {collection_name('文件 docs')}",
        f"is there already: {store.root / id_}",
        "read 2, skipped nothing",
    ]
    assert store.find("later") == id_


def test_a_name_of_another_snapshot_is_refused(command: Command, home: Path, store: SnapshotStore) -> None:
    id_ = build(command, "--name", "2026-11")
    edit(home)
    status, out, err = command("build", "corpus.path=文件 docs", "--name", "2026-11")
    assert (status, out) == (2, "")
    assert f"the name '2026-11' belongs to snapshot {id_} for ever" in err
    assert store.ids() == (id_,)


def test_a_collection_can_be_named_and_comes_from_the_dataset_otherwise(command: Command, store: SnapshotStore) -> None:
    build(command, "--collection", "手冊")
    command("build", "dataset=pages", "dataset.path='文件 docs'")
    command("build", "dataset.date=2026-03", "--name", "demo-03")
    assert [each.collection for each in store.history()] == ["手冊", collection_name("文件 docs"), "demo"]
    assert store.load("demo-03").settings["chunker"]["size"] == 1200


def test_a_public_layout_is_built_without_its_questions(command: Command, home: Path, store: SnapshotStore) -> None:
    folder = home / "語料"
    folder.mkdir()
    rows = [{"_id": "1", "title": "一", "text": "每秒十則"}, {"_id": "2", "title": "two", "text": "ten a second"}]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    status, out, err = command("build", "dataset=beir", "dataset.path=語料")
    assert (status, err) == (0, "")
    assert f"2 documents, 2 passages\ncollection: {collection_name('語料')}\n" in out
    assert store.history()[0].collection == collection_name("語料")


def test_what_cannot_be_built_is_told_in_one_line(command: Command, store: SnapshotStore) -> None:
    status, _, err = command("build", "corpus.path=nowhere")
    assert status == 2
    assert re.fullmatch(r"error: nowhere: not found; expected a folder of pages.*\n", err)
    status, _, err = command("build", "chunker=nothing")
    assert status == 2 and err.count("\n") == 1 and "chunker" in err
    assert store.ids() == ()


def test_the_list_is_aligned_and_the_newest_is_last(command: Command, home: Path) -> None:
    first = build(command, "--name", "春")
    edit(home)
    second = build(command, "--collection", "copy")
    _, out, _ = command("list")
    lines = out.splitlines()
    assert lines[0].split() == ["id", "name", "collection", "made", "(UTC)", "documents", "passages", "chunker"]
    assert lines[1].startswith(f"{first}  春    {collection_name('文件 docs')}  20")
    assert lines[2].startswith(f"{second}        {'copy':16}  20")
    assert lines[2].endswith("          2         2  heading size=1200 overlap=0")
    _, only, _ = command("list", "--collection", "copy")
    assert [line.split()[0] for line in only.splitlines()] == ["id", second]


def test_the_list_has_a_snapshot_once_for_all_its_collections_unless_it_was_made_again(
    command: Command, home: Path
) -> None:
    first = build(command, "--collection", "a")
    build(command, "--collection", "b")
    edit(home)
    second = build(command, "--collection", "a")
    (home / "文件 docs" / "rates.md").write_text(f"# Rates\n\n## Publish\n\n{RATE.format(10)}\n", "utf-8")
    build(command, "--collection", "a")
    rows = [re.split(r"  +", line) for line in command("list")[1].splitlines()[1:]]
    assert [(row[0], row[1], row[2].endswith("again")) for row in rows] == [
        (first, "a, b", False),
        (second, "a", False),
        (first, "a", True),
    ]
    assert command("list", "--collection", "b")[1].count(first) == 1


def test_every_command_files_a_snapshot_under_the_same_collection(home: Path) -> None:
    def filed(*overrides: str) -> str:
        settings = compose_request(["++dataset.suite=none", *overrides]).settings
        return collection_of(settings)

    demo = ROOT / "data" / "demo" / "2026-03"
    assert filed() == filed("dataset.date=2026-03") == filed(f"corpus.path={demo}") == "demo"
    pages = collection_name("文件 docs")
    assert (
        filed("corpus=pages", "corpus.path='文件 docs'") == filed("dataset=pages", "dataset.path='文件 docs'") == pages
    )
    assert filed("dataset=pages", "dataset.path='文件 docs'", "dataset.name='手冊'") == "手冊"
    assert filed("dataset=pages", "dataset.path=.", "dataset.name=all", "corpus.path='文件 docs'") == "all"
    assert filed(
        "dataset=pages", "dataset.path='文件 docs'", "dataset.name=x", "corpus.path=/else/guide.jsonl"
    ) == collection_name("/else/guide.jsonl")
    settings = compose_request(["corpus=pages", "corpus.path='文件 docs'", "++dataset.suite=none"]).settings
    assert collection_of(settings.model_copy(update={"dataset": {"name": "mine"}})) == "mine"


def test_a_run_on_other_pages_files_them_under_their_folder(home: Path, store: SnapshotStore) -> None:
    words = ["corpus=pages", "corpus.path='文件 docs'", "chunker=heading", "retriever=bm25"]
    ConfiguredInputs().snapshot(compose_request(words).settings)
    assert [made.collection for made in store.history()] == [collection_name("文件 docs")]


def test_an_empty_store_a_deleted_snapshot_and_a_torn_line_are_told(command: Command, store: SnapshotStore) -> None:
    assert command("list")[1].startswith(f"no snapshot in {store.root}; make one with python -m runner snapshot build")
    id_ = build(command)
    with (store.root / "catalog.jsonl").open("a") as catalog:
        catalog.write('{"id": "0')
    status, out, err = command("list")
    assert (status, out.count("\n")) == (0, 2)
    assert err == f"note: {store.root / 'catalog.jsonl'}:2 was left unfinished by a writer that was killed\n"
    shutil.rmtree(store.root / id_)
    assert command("list")[1].splitlines()[1] == "1 more in the catalog, deleted since"


def test_a_snapshot_is_shown_with_all_that_made_it(command: Command, store: SnapshotStore) -> None:
    id_ = build(command, "--name", "2026-11")
    for word in (id_, id_[:6], "2026-11"):
        status, out, _ = command("show", word)
        shown = dict(re.split(r"  +", line, maxsplit=1) for line in out.splitlines())
        snapshot = store.load(id_)
        assert status == 0
        assert (shown["id"], shown["name"]) == (id_, "2026-11")
        assert shown["documents"] == f"2 (sha256 {snapshot.documents_sha256})"
        assert shown["chunker"].startswith("heading size=1200 overlap=0 version=1 markdown-it-py=")


def test_a_passage_is_shown_with_its_text_and_a_document_with_its_passages(command: Command) -> None:
    build(command, "--name", "n")
    _, out, _ = command("show", "n", "費用.md#計費")
    assert out.splitlines() == [
        "費用.md#計費",
        "費用 > 計費",
        "費用.md [13, 39)",
        "",
        "每一百萬則收取一點二美元，超出內含用量的部分才計費。",
    ]
    assert command("show", "n", "rates.md")[1].startswith("rates.md#publish  97 characters  A project may publish 10")
    assert command("show", "n", "--passages")[1].count(" characters  ") == 2


def test_an_unknown_passage_or_snapshot_is_told_with_the_nearest(command: Command) -> None:
    id_ = build(command, "--name", "n")
    status, _, err = command("show", "n", "費用.md#計價")
    assert status == 2 and f"snapshot {id_} holds no passage or document '費用.md#計價'; nearest: '費用.md#計費'" in err
    status, _, err = command("show", "m")
    assert status == 2 and f"stored: {id_} (n); build it again from its corpus" in err
    status, _, err = command("show", f"{id_[:8]}x{id_[9:]}")
    assert status == 2 and f"did you mean '{id_}'? stored: {id_} (n)" in err
    assert command("show", "n", "a", "b")[0] == 2


@pytest.fixture
def two(command: Command, home: Path) -> Path:
    """Snapshots named old and new, and a suite of the old one; returns the suite."""
    build(command, "--name", "old")
    edit(home)
    (home / "文件 docs" / "more.md").write_text("# More\n\nA page that nobody knew.\n", "utf-8")
    build(command, "--name", "new")
    path = home / "核心.yaml"
    path.write_text("name: 核心\nrole: regression\nunit: passage\n", "utf-8")
    rows = [
        {"query_id": "q1", "text": "how fast | really?", "relevant": ["rates.md#publish"]},
        {"query_id": "q2", "text": "多少錢？", "relevant": ["費用.md#計費"]},
    ]
    path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_a_difference_is_printed_with_its_wording_and_the_queries_it_touches(command: Command, two: Path) -> None:
    status, out, _ = command("diff", "old", "new", "--suite", str(two))
    assert status == 0
    lines = out.splitlines()
    assert re.fullmatch(r"old [0-9a-f]{16} \(old\): 2 documents, 2 passages", lines[0])
    assert lines[2:4] == ["documents  1 same, 1 changed, 1 added", "passages   1 unchanged, 1 edited, 1 added"]
    assert "  rates.md#publish  0.94  judged by q1" in lines
    assert "      A project may publish [-10-]{+20+} messages per second to one queue;…" in lines
    assert "  more.md (new): 1" in lines
    at = lines.index(next(line for line in lines if line.startswith("suite 核心")))
    assert lines[at].endswith("1 of 2 queries are touched")
    assert lines[at + 1 : at + 4] == [
        "  queries: 1 with something to confirm",
        "  judgments: 1 edited",
        "  q1 'how fast | really?': edited rates.md#publish",
    ]


def test_a_difference_is_written_as_markdown_and_json(command: Command, two: Path, home: Path) -> None:
    status, out, _ = command("diff", "old", "new", "--suite", str(two), "--out", "差/異")
    folder = home / "差" / "異"
    assert status == 0 and "written: 差/異/diff.md, 差/異/diff.json" in out
    assert sorted(path.name for path in folder.iterdir()) == ["diff.json", "diff.md"]
    values = json.loads((folder / "diff.json").read_text("utf-8"))
    assert values["documents"]["counts"] == {"same": 1, "changed": 1, "renamed": 0, "removed": 0, "added": 1}
    assert values["passages"]["counts"]["edited"] == 1
    edited, added = values["passages"]["changes"]
    assert edited["old"] == edited["new"] == ["rates.md#publish"]
    assert [run for run in edited["wording"] if run["kind"] != "same"] == [
        {"kind": "removed", "text": "10"},
        {"kind": "added", "text": "20"},
    ]
    assert added == {"kind": "added", "old": [], "new": ["more.md#more"], "similarity": 0.0}
    (suite,) = values["suites"]
    assert [each["query_id"] for each in suite["touched"]] == ["q1"]
    text = (folder / "diff.md").read_text("utf-8")
    assert "publish <del>10</del><ins>20</ins> messages" in text
    assert "| `q1` | how fast \\| really? | `rates.md#publish` | 1 | edited | there |" in text
    # What another writer has begun is in nobody's way.
    (folder / ".diff.md.draft").mkdir()
    assert command("diff", "old", "new", "--out", "差/異")[0] == 0
    assert "| `q1` |" not in (folder / "diff.md").read_text("utf-8")


def test_what_is_the_same_has_no_difference(command: Command, two: Path) -> None:
    _, out, _ = command("diff", "old", "old", "--suite", str(two))
    assert out.splitlines()[2:] == [
        "documents  2 same",
        "passages   2 unchanged",
        "",
        next(line for line in out.splitlines() if line.startswith("suite ")),
    ]
    assert "0 of 2 queries are touched" in out


def test_a_suite_of_the_wrong_side_and_a_missing_word_are_refused(
    command: Command, two: Path, store: SnapshotStore
) -> None:
    two.write_text(f'{two.read_text("utf-8")}snapshot: "{store.find("new")}"\n', "utf-8")
    status, out, err = command("diff", "old", "new", "--suite", str(two))
    assert (status, out) == (2, "")
    assert "the new one of the two; write them the other way round" in err
    assert command("diff", "new", "old", "--suite", str(two))[0] == 0
    assert command("diff", "old")[0] == 2
    assert command("diff", "old", "new", "--suite", "nothing.yaml")[0] == 2


def test_another_store_can_be_looked_into(command: Command, two: Path, home: Path) -> None:
    shutil.copytree(home / "mlruns", home / "else")
    shutil.rmtree(home / "mlruns")
    status, out, err = command("diff", "old", "new", "--suite", str(two), f"store={home / 'else'}")
    assert (status, err) == (0, "") and "1 edited" in out
    assert command("show", "old", f"store={home / 'else'}")[0] == 0
    assert command("list", f"store={home / 'else'}")[1].count("\n") == 3
    assert command("list", "old")[0] == 2


def test_the_command_runs_as_a_module_and_lists_its_commands(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "runner.snapshot", "--help"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    for name in ("build", "list", "show", "diff"):
        assert re.search(rf"^ +{name} +\w", done.stdout, re.MULTILINE)
