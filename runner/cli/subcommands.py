"""Entry points with several commands: each is a module with HELP, add_arguments(parser) and run(parsed) -> status."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import NoReturn

from runner.cli.entry import UNUSABLE, leave, parsed_arguments
from runner.configuration.settings import register_resolvers


def run_subcommand(
    prog: str, about: str, package: str, modules: Mapping[str, str], arguments: Sequence[str] | None
) -> NoReturn:
    """Run the command that the first argument names, and exit with its status.

    modules: command -> module of `package`. Only the named one is imported.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] not in modules:
        parser = argparse.ArgumentParser(prog=prog, description=about)
        commands = parser.add_subparsers(required=True, metavar="COMMAND")
        for name, module in modules.items():
            commands.add_parser(name, help=import_module(f"{package}.{module}").HELP)
        if not given:
            parser.print_help(sys.stderr)
            raise SystemExit(UNUSABLE)
        parser.parse_args(given)
    command = import_module(f"{package}.{modules[given[0]]}")
    # A parser of its own, since overrides may stand before, between and after the options.
    parser = argparse.ArgumentParser(prog=f"{prog} {given[0]}", description=command.HELP)
    command.add_arguments(parser)
    parsed = parsed_arguments(parser, given[1:])
    register_resolvers()
    leave(partial(command.run, parsed))
