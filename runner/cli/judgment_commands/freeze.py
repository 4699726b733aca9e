"""`freeze SUITE [--why TEXT]`: from now on the suite is this revision, and reading it refuses any other content."""

import argparse

from runner.annotation.history.revision import freeze
from runner.cli.judgment_commands.named_suite import SUITE_HELP, named_suite, whoever

HELP = "pin a suite to its present revision, and keep a copy of it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Define the command line."""
    parser.add_argument("suite", metavar="SUITE", help=SUITE_HELP)
    parser.add_argument("--why", default="", metavar="TEXT", help="why it changes; asked for once it was frozen before")
    parser.add_argument("--by", help="who does it, for the record (default: the login name)")


def run(parsed: argparse.Namespace) -> int:
    """Freeze: 0 done or nothing to do, 1 something waits or is disputed, 2 bad input."""
    file = named_suite(parsed.suite)
    frozen = freeze(file, why=parsed.why.strip(), by=parsed.by or whoever())
    if not frozen.changed:
        print(f"{file.path} is frozen at revision {frozen.revision} already; nothing changed")
        return 0
    since = f", after {frozen.before}" if frozen.before else ""
    print(f"{file.path} is frozen at revision {frozen.revision}{since}; kept as {frozen.copy}")
    return 0
