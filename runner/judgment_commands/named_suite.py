"""The suite that a command line names: by its file, or by a name of conf/suite."""

from pathlib import Path

from runner.errors import ConfigError, InputError
from runner.judging.history.suite_file import SuiteFile

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
    from runner.requests import compose_request

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
