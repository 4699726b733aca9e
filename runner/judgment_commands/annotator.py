"""Who is judging."""

from runner.errors import ConfigError
from runner.formats.reading import id_fault
from runner.judgment_commands.named_suite import whoever


def annotator_name(given: str | None) -> str:
    """The name that was given, else the login name. Raises ConfigError if it cannot be a name, or none is known."""
    name = whoever() if given is None else given
    if name is None:
        raise ConfigError("nobody knows who is judging; say it (--annotator NAME)")
    if fault := id_fault(name):
        raise ConfigError(f"--annotator {fault}")
    return name
