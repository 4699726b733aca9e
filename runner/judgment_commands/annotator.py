"""Who is judging."""

import getpass

from runner.errors import ConfigError
from runner.formats.reading import id_fault


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
        raise ConfigError("nobody knows who is judging; say it (--annotator NAME)")
    if fault := id_fault(name):
        raise ConfigError(f"--annotator {fault}")
    return name
