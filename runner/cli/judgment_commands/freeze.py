"""`freeze SUITE [why=TEXT]`: from now on the suite is this revision, and reading it refuses any other content."""

from runner.annotation.history.revision import freeze
from runner.cli.arguments import Arguments, setting, words
from runner.cli.command import Command
from runner.cli.judgment_commands.named_suite import SUITE_HELP, named_suite, whoever


class Asked(Arguments):
    """What the command takes."""

    suite: str = words("SUITE", SUITE_HELP)
    why: str = setting("why it changes; asked for once it was frozen before", "")
    by: str | None = setting("who does it, for the record; default: the login name", None, metavar="NAME")


def run(asked: Asked) -> int:
    """Freeze: 0 done or nothing to do, 1 something waits or is disputed, 2 bad input."""
    file = named_suite(asked.suite)
    frozen = freeze(file, why=asked.why.strip(), by=asked.by or whoever())
    if not frozen.changed:
        print(f"{file.path} is frozen at revision {frozen.revision} already; nothing changed")
        return 0
    since = f", after {frozen.before}" if frozen.before else ""
    print(f"{file.path} is frozen at revision {frozen.revision}{since}; kept as {frozen.copy}")
    return 0


main = Command(
    "judgments freeze",
    Asked,
    run,
    example='questions.yaml why="reviewed for the release"',
    statuses="0 done, or nothing to do; 1 something waits or is disputed; 2 bad input",
)

if __name__ == "__main__":
    main()
