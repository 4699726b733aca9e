"""Pages read as a reader reads them, who types whatever they say.

- a block with a title (```yaml title="questions.yaml") is a file, written before the next block is run;
- ```bash is run line by line, each in a shell of its own (but `cd` lasts); ```console has commands after `$ `, and
  below them what they print, of which every line has to appear (`...` stands for anything, and all spaces and dashes
  are alike);
- ```python is run as a script; the steps of a file below .github/workflows/ are run but for those that install;
- RUN_ID is the newest run, RUN_A the one before it and RUN_B the newest, SWEEP_ID the newest sweep;
- <!-- exit: 1 --> before a block is the status of its last command, <!-- not run: REASON --> says why it is not run,
  and <!-- files: FOLDER --> copies a folder of the checkout here.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from runner.tracking.mlflow_store import open_client

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN_LANGUAGES = ("bash", "console", "python")
_FENCE = re.compile(
    r"(?P<marks>(?:^[ ]*<!--[^\n]*-->\n+)*)"
    r"^(?P<indent>[ ]*)```(?P<language>\w+)?(?P<rest>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """line: where it begins. marks: what the comments before it say, by their first word."""

    page: Path
    line: int
    language: str
    title: str
    body: str
    marks: dict[str, str]

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for found in _FENCE.finditer(text):
        title = re.search(r'title="([^"]+)"', found["rest"])
        body = re.sub(rf"^{found['indent']}", "", found["body"], flags=re.MULTILINE)
        marks = dict(re.findall(r"<!-- ([\w ]+): (.*?) -->", found["marks"]))
        line = text.count("\n", 0, found.end("marks")) + 1
        yield Block(page, line, found["language"] or "", title[1] if title else "", body, marks)


def commands_of(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Each command with the lines that it prints."""
    joined = block.body.replace("\\\n", " ")
    if block.language == "bash":
        yield from ((line, []) for line in joined.splitlines() if line.strip() and not line.startswith("#"))
        return
    command, printed = "", list[str]()
    for line in joined.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, printed
            command, printed = line[2:], []
        elif line.strip():
            printed.append(line)
    yield command, printed


@dataclass
class Reader:
    """Somebody who types what a page says, in an empty folder with an empty store.

    place: where they are by now.
    """

    folder: Path
    place: Path

    @property
    def variables(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("RUNNER_", "HYDRA_", "MLFLOW_"))}
        path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
        own = os.pathsep.join(filter(None, [str(self.place), kept.get("PYTHONPATH")]))
        return {**kept, "PATH": path, "PYTHONPATH": own, "RUNNER_HOME": str(self.folder), "COLUMNS": "200"}

    def read(self, block: Block) -> None:
        if folder := block.marks.get("files"):
            shutil.copytree(ROOT / folder, self.place / folder, dirs_exist_ok=True)
        if block.title:
            place = self.place / block.title
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.body, "utf-8")
            if block.title.startswith(".github/workflows/"):
                self.follow(block)
        elif "not run" not in block.marks and block.language in RUN_LANGUAGES:
            self.type(block)

    def type(self, block: Block) -> None:
        if block.language == "python":
            self.finish([sys.executable, "-c", block.body], block)
            return
        commands = list(commands_of(block))
        for number, (command, expected) in enumerate(commands):
            if command.startswith("cd "):
                self.place = (self.place / command.removeprefix("cd ")).resolve(strict=True)
                continue
            status = int(block.marks.get("exit", "0")) if number == len(commands) - 1 else 0
            shown = self.finish(["bash", "-euo", "pipefail", "-c", self.filled(command)], block, status)
            for line in expected:
                assert re.search(pattern_of(line), plain(shown)), f"{block}: {line!r} is not in\n{shown}"

    def follow(self, workflow: Block) -> None:
        """Run the steps of a file of GitHub Actions, as its shell would."""
        for job in yaml.safe_load(workflow.body)["jobs"].values():
            for step in job["steps"]:
                if "run" in step and "pip install" not in step["run"]:
                    summary = {"GITHUB_STEP_SUMMARY": str(self.place / "summary.md")}
                    self.finish(["bash", "-eo", "pipefail", "-c", step["run"]], workflow, 0, **summary)

    def finish(self, command: list[str], block: Block, status: int = 0, **variables: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.place,
            env={**self.variables, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert done.returncode == status, f"{block}: {command[-1]}\nleft with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def filled(self, command: str) -> str:
        """A command with real ids in the place of RUN_ID and its like."""
        for word in re.findall(r"\b(?:RUN_ID|RUN_A|RUN_B|SWEEP_ID)\b", command):
            command = re.sub(rf"\b{word}\b", self.id_of(word), command)
        return command

    def id_of(self, word: str) -> str:
        client = open_client(f"sqlite:///{self.folder}/mlruns/mlflow.db")
        experiments = [each.experiment_id for each in client.search_experiments()]
        kind = "sweep" if word == "SWEEP_ID" else "run"
        found = client.search_runs(experiments, f"tags.kind = '{kind}'", order_by=["attributes.start_time DESC"])
        return str(found[1 if word == "RUN_A" else 0].info.run_id)


def plain(text: str) -> str:
    return re.sub(r"[ \t]+", " ", re.sub(r"[\u2500-\u257f-]{2,}", "--", text))


def pattern_of(line: str) -> str:
    return ".*".join(re.escape(part.strip()) for part in plain(line).split("..."))


@pytest.fixture
def follow(tmp_path: Path) -> Callable[[Path], None]:
    """Do what a page says, in an empty folder."""

    def read(page: Path) -> None:
        blocks = list(blocks_of(page))
        if not any(each.language in RUN_LANGUAGES for each in blocks):
            pytest.skip("nothing to type")
        reader = Reader(tmp_path, tmp_path)
        for block in blocks:
            reader.read(block)

    return read


@pytest.fixture
def blocks() -> list[Block]:
    """All blocks of all pages."""
    return [block for page in PAGES for block in blocks_of(page)]
