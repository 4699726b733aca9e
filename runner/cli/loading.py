"""Commands by their names, each imported only when it is asked for."""

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

from runner.cli.command import Command
from runner.cli.commands import COMMANDS, GROUPS, PROGRAM, named


def command(name: str) -> Command[Any]:
    """A command by its name; its file is imported now."""
    found = import_module(f"runner.cli.{COMMANDS[name].module}").main
    return found  # type: ignore[no-any-return]


def command_table() -> Iterator[Command[Any]]:
    """Every command, as declared, in the order of `--help`.

    For a reference: `.name`, `.about`, `.example`, `.statuses`, `.notes`, and `arguments.taken(command.arguments)` for
    words and settings with their types, defaults, choices and meaning; `.help()` are the lines of its `--help`.
    """
    return map(command, COMMANDS)


def run_group(group: str, given: Sequence[str] | None = None) -> NoReturn:
    """Run the command of a group that the first word names; without one, list them and exit with status 2."""
    words = sys.argv[1:] if given is None else list(given)
    if found := named([group, *words]):
        command(found[0])(found[1])
    from runner.cli.entry import UNUSABLE, leave

    def tell() -> int:
        from runner.errors import ConfigError
        from runner.files.nearest import did_you_mean
        from runner.rendering.terminal import aligned

        own = {name.partition(" ")[2]: COMMANDS[name].about for name in COMMANDS if name.startswith(f"{group} ")}
        if words and words[0] not in ("-h", "--help"):
            raise ConfigError(f"{group} has no command {words[0]!r}{did_you_mean(words[0], own)}")
        asked = bool(words)
        usage, more = f"usage: {PROGRAM} {group} COMMAND ...", f"{PROGRAM} {group} COMMAND --help tells more"
        lines = [usage, "", GROUPS[group], "", *aligned(list(own.items())), "", more]
        print("\n".join(lines), file=None if asked else sys.stderr)
        return 0 if asked else UNUSABLE

    leave(tell)
