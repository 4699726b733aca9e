"""One command: what it takes, what it does, and its help; called with the words after its name it runs and exits."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from runner.cli.arguments import Arguments, Taken, taken
from runner.cli.commands import COMMANDS, PROGRAM
from runner.cli.parsing import parse
from runner.rendering.terminal import aligned

A = TypeVar("A", bound=Arguments)
_HELP = ("-h", "--help")


@dataclass(frozen=True)
class Command(Generic[A]):
    """name: with its group, as in `judgments review`. example: the words after `python -m runner NAME`.

    run: from the record to the exit status. notes: further help, as it is to be printed.
    """

    name: str
    arguments: type[A]
    run: Callable[[A], int]
    example: str
    statuses: str = "0 done; 2 bad input"
    notes: str = ""

    @property
    def about(self) -> str:
        """What it does, in one sentence."""
        return COMMANDS[self.name].about

    def __call__(self, given: Sequence[str] | None = None) -> NoReturn:
        """Run the command with these words, or those of the process, and exit with its status."""
        # Late: what only shows a help or completes a word need not wait for it.
        from runner.cli.entry import leave
        from runner.configuration.settings import register_resolvers

        words = sys.argv[1:] if given is None else list(given)

        def act() -> int:
            if any(word in _HELP for word in words):
                print("\n".join(self.help()))
                return 0
            register_resolvers()
            return self.run(parse(self.arguments, words))

        leave(act)

    def help(self) -> Iterator[str]:
        """The lines of its `--help`."""
        every = taken(self.arguments)
        places = [each for each in every if each.role == "word"]
        settings = [each for each in every if each.role != "word"]
        needed = [f"{each.name}={each.placeholder}" for each in settings if each.required]
        usage = [*map(_place, places), *needed, *(["[name=value ...]"] if settings else [])]
        yield f"usage: {PROGRAM} {' '.join([self.name, *usage])}"
        yield ""
        yield self.about
        for title, rows in (
            ("", [(each.metavar, each.help) for each in places]),
            ("settings", [_row(each) for each in settings]),
        ):
            if rows:
                yield "\n" + title if title else ""
                yield from aligned(rows)
        if self.notes:
            yield "\n" + self.notes.rstrip()
        yield "\nexample"
        yield f"  {PROGRAM} {self.name} {self.example}".rstrip()
        yield f"\nexit status: {self.statuses}"


def _place(each: Taken) -> str:
    shown = f"{each.metavar} ..." if each.many else each.metavar
    return shown if each.required else f"[{shown}]"


def _row(each: Taken) -> tuple[str, str]:
    if each.role == "others":
        return each.help.partition(": ")[0], each.help.partition(": ")[2]
    told = [each.help]
    if each.names:
        told.append(f"{'one of' if each.closed else 'such as'} {', '.join(each.known)}")
    default: Any = ",".join(each.default) if each.many and each.default else each.default
    if default not in (None, False, "", ()):
        told.append(f"default {default}")
    return f"{each.name}={each.placeholder}", "; ".join(told)
