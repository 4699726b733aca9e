"""The suite that a command line names: by its file, or by a name of conf/suite."""

import getpass
from collections.abc import Sequence
from pathlib import Path

from runner.annotation.history.suite_file import SuiteFile
from runner.errors import ConfigError, InputError
from runner.files.reading import id_fault
from runner.rendering.visible import one_line

SUITE_HELP = "the YAML head of a suite, or the name of one in conf/suite (core)"
_OWN = "runner.suite_formats.OwnSuite"


def named_suite(name: str) -> SuiteFile:
    """The file of a suite. Raises ConfigError for an unknown name, InputError for one of another format."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        if not path.is_file():
            raise InputError(f"{path}: {'is a folder' if path.is_dir() else 'not found'}; expected {SUITE_HELP}")
        return SuiteFile(path)
    # Composing takes half a second, which a path need not wait for.
    from runner.composition.requests import compose_request

    node = compose_request([f"suite={name}"]).settings.suite
    if node.get("_target_") not in (_OWN, "runner.suite_formats.own.OwnSuite"):
        raise InputError(
            f"suite {name!r} is read by {node.get('_target_')}, whose files hold no provenance and stay as they are; "
            "write it in the own format first (runner.suite_formats.own.write_own)"
        )
    found = Path(str(node["path"]))
    if not found.is_file():
        raise ConfigError(f"suite {name!r} is {found}, which is not there")
    return SuiteFile(found)


def whoever() -> str | None:
    """The login name, which stands for a person who gave none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return None


def annotator_name(given: str | None) -> str:
    """The name that was given, else the login name. Raises ConfigError if it cannot be a name, or none is known."""
    name = whoever() if given is None else given
    if name is None:
        raise ConfigError("nobody knows who is judging; say it (annotator=NAME)")
    if fault := id_fault(name):
        raise ConfigError(f"annotator: {fault}")
    return name


MOST_NAMED = 5


def listed(ids: Sequence[str]) -> str:
    """How many there are, and the first of them."""
    more = "" if len(ids) <= MOST_NAMED else ", ..."
    return f"{len(ids)} ({', '.join(map(one_line, ids[:MOST_NAMED]))}{more})"
