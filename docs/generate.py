"""A hook of MkDocs: pages that are made from the program itself, so that they cannot fall behind it.

Commands come from their own `--help`, configuration keys from the comments in `conf/`, functions from `runner.__all__`.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import house
import yaml
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# An experiment has only values of other files; the rules for anonymising are a list.
WITHOUT_TABLE = ("experiment", "anonymise")
sys.path.insert(0, str(ROOT))


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages, and those that stand at the top of the project."""
    pages = {
        "reference/commands.md": commands_page(),
        "reference/configuration.md": configuration_page(),
        "reference/library.md": library_page(),
        "reference/extension-points.md": extension_points_page(),
    }
    for name in ("SECURITY", "CONTRIBUTING", "CHANGELOG"):
        pages[f"{name.lower()}.md"] = _with_site_links((ROOT / f"{name}.md").read_text("utf-8"))
    for place, content in pages.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the drawing and the table of rooms where a page asks for them."""
    if "<!-- the drawing of the rooms -->" in markdown:
        markdown = markdown.replace("<!-- the drawing of the rooms -->", house.drawing(ROOT))
        markdown = markdown.replace("<!-- the table of the rooms -->", house.table(ROOT))
    if "<!-- the table of the metrics -->" in markdown:
        markdown = markdown.replace("<!-- the table of the metrics -->", metrics_table())
    return markdown


def _with_site_links(text: str) -> str:
    """Links to the pages of docs/ and to other files at the top, as seen from within docs/."""
    text = re.sub(r"\]\(docs/", "](", text)
    return re.sub(r"\]\((SECURITY|CONTRIBUTING|CHANGELOG)\.md", lambda found: f"]({found[1].lower()}.md", text)


# --- commands


def commands_page() -> str:
    """One heading a command, with its own help."""
    from runner.cli.loading import command_table

    parts = ["# Commands\n", "What every command says with `--help`.\n"]
    for command in command_table():
        parts.append(f"## {command.name}\n")
        parts.append("```text\n" + "\n".join(command.help()).strip() + "\n```\n")
    return "\n".join(parts)


# --- configuration


def configuration_page() -> str:
    """A table of keys for conf/config.yaml and for each file of each group, with the comments that stand there."""
    parts = [
        "# Configuration\n",
        "Every key can be set on the command line, as `key=value`, and in an experiment file. These tables are made "
        "from the comments in `conf/`.\n",
        choices_table(),
    ]
    for path in configuration_files():
        group = path.parent.name
        title = "config.yaml" if path.parent.name == "conf" else f"{group}={path.stem}"
        lines = path.read_text("utf-8").splitlines()
        parts.append(f"## {title}\n")
        about = [line[1:].strip() for line in _leading(lines) if not line.startswith("# @package")]
        parts.append(" ".join(about) + "\n")
        if group == "experiment":
            parts.append(f"```yaml\n{path.read_text('utf-8').strip()}\n```\n")
        rows = list(key_rows(path))
        if rows and group not in WITHOUT_TABLE:
            parts.append("| key | default | meaning |\n|---|---|---|")
            parts.extend(f"| `{key}` | {_cell(value)} | {_escaped(note)} |" for key, value, note in rows)
            parts.append("")
    return "\n".join(parts)


def choices_table() -> str:
    """Every group of conf/ with what is chosen unless a command says otherwise, and what there is to choose."""
    lines = (ROOT / "conf" / "config.yaml").read_text("utf-8").splitlines()
    default = dict(re.findall(r"^  - (\w+): (\w+)", "\n".join(lines), re.M))
    notes = {found[1]: _comment(line) for line in lines if (found := re.match(r"  - (\w+): ", line))}
    rows = ["## Choices\n", "| group | unless you choose | choices | |", "|---|---|---|---|"]
    for folder in sorted(path for path in (ROOT / "conf").iterdir() if path.is_dir()):
        choices = ", ".join(f"`{path.stem}`" for path in sorted(folder.glob("*.yaml")))
        chosen = _cell(default.get(folder.name, "").replace("null", ""))
        rows.append(f"| `{folder.name}` | {chosen} | {choices} | {_escaped(notes.get(folder.name, ''))} |")
    return "\n".join(rows) + "\n"


def configuration_files() -> list[Path]:
    """conf/config.yaml first, then every choice of every group."""
    conf = ROOT / "conf"
    return [conf / "config.yaml", *sorted(conf.glob("*/*.yaml"))]


def key_rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Dotted key, default and comment of every value in a file; Hydra's own section and defaults list aside."""
    lines = path.read_text("utf-8").splitlines()
    tree = yaml.compose("\n".join(lines), Loader=yaml.SafeLoader)
    if isinstance(tree, yaml.MappingNode):
        yield from _rows(tree, lines, "")


def _rows(tree: yaml.MappingNode, lines: list[str], prefix: str) -> Iterator[tuple[str, str, str]]:
    for key, value in tree.value:
        name = f"{prefix}{key.value}"
        if name in ("defaults", "hydra") or key.value == "_target_":
            continue
        if isinstance(value, yaml.MappingNode) and value.value:
            note = _note(lines, key.start_mark.line, key.start_mark.line)
            if note:
                yield name, "", note
            yield from _rows(value, lines, f"{name}.")
            continue
        last = value.end_mark.line if value.end_mark.column else value.end_mark.line - 1
        last = max(last, key.start_mark.line)
        written = value.value if isinstance(value, yaml.ScalarNode) else _flow(lines, value, last)
        yield name, written, _note(lines, key.start_mark.line, last)


def _flow(lines: list[str], value: yaml.Node, last: int) -> str:
    first = value.start_mark.line
    if first == last:
        return lines[first][value.start_mark.column : value.end_mark.column]
    return "(a list)"


def _note(lines: list[str], first: int, last: int) -> str:
    """The comment beside a value, and the lines of comment that go on below it."""
    parts = [_comment(lines[number]) for number in range(first, last + 1)]
    following = last + 1
    while following < len(lines) and re.match(r"\s{10,}#", lines[following]):
        parts.append(_comment(lines[following]))
        following += 1
    return " ".join(filter(None, parts))


def _comment(line: str) -> str:
    found = re.search(r"(?:^|\s)#\s+(.*)$", line)
    return found[1].strip() if found else ""


def _leading(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("#"):
            return
        yield line


def _cell(value: str) -> str:
    return f"`{value}`" if value else ""


def _escaped(note: str) -> str:
    return note.replace("|", "\\|").replace("<", "&lt;")


# --- metrics


def metrics_table() -> str:
    """Every metric that comes with the program, with what its class says of it."""
    from runner.scoring.metric import REGISTERED
    from runner.scoring.metric_names import metric_names

    rows = ["| metric | definition | parameters | other names |", "|---|---|---|---|"]
    metric_names()
    for name, kind in sorted(REGISTERED.items()):
        about = " ".join((kind.__doc__ or "").split())
        depth = " Over the whole depth." if kind.over_depth else ""
        parameters = ", ".join(f"`{each.name}`" for each in fields(kind) if each.name != "cutoff")
        aliases = ", ".join(f"`{each}`" for each in kind.aliases)
        rows.append(f"| `{name}` | {_escaped(about)}{depth} | {parameters} | {aliases} |")
    return "\n".join(rows)


# --- library


def library_page() -> str:
    """Every public name, from its docstring."""
    import runner

    parts = ["# Library\n", "What `import runner` gives. Everything else is private and may change.\n"]
    # The functions first, then the records and errors.
    for name in sorted(runner.__all__, key=lambda each: (each[0].isupper(), each)):
        parts.append(f"::: runner.{name}\n")
    return "\n".join(parts)


# --- extension points


def extension_points_page() -> str:
    """Every kind of component, and its protocol as it stands in the source, where each attribute's meaning is."""
    from runner import extension_points

    about, table = (inspect.getdoc(extension_points) or "").split("\n", 1)
    parts = ["# Extension points\n", f"{about}\n{table}\n"]
    # What all of them may say comes first.
    for name in sorted(extension_points.__all__, key=lambda each: (each != "Described", each)):
        kind = getattr(extension_points, name)
        source = inspect.getsource(kind)
        parts.append(f"## {name}\n\n`{kind.__module__}.{name}`\n\n```python\n{source.strip()}\n```\n")
    return "\n".join(parts)
