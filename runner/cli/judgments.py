"""`python -m runner.judgments check | migrate | freeze | review | agreement | candidates | export | import`."""

from collections.abc import Sequence

from runner.cli.subcommands import run_subcommand

_ABOUT = "Keep judged questions true while their documents change."
_NAMES = ("check", "migrate", "freeze", "review", "agreement", "candidates", "export")
_MODULES = {**{name: name for name in _NAMES}, "import": "import_"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 something is not as it should be, 2 bad input."""
    run_subcommand("python -m runner.judgments", _ABOUT, "runner.cli.judgment_commands", _MODULES, arguments)


if __name__ == "__main__":
    main()
