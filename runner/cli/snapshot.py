"""`python -m runner.snapshot build | list | show | diff`."""

from collections.abc import Sequence

from runner.cli.subcommands import run_subcommand

_ABOUT = "Documents cut into passages under one id: make, list, look into, compare."
_MODULES = {"build": "build", "list": "list_", "show": "show", "diff": "diff"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 bad input."""
    run_subcommand("python -m runner.snapshot", _ABOUT, "runner.cli.snapshot_commands", _MODULES, arguments)


if __name__ == "__main__":
    main()
