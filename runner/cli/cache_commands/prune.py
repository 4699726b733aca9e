"""`prune`: remove what was not used for long, or down to a size."""

import re
from pathlib import Path

from runner.cli.arguments import StoredRuns, setting
from runner.cli.cache_commands.size import portion_lines
from runner.cli.command import Command
from runner.engine.cache_care import chosen_to_go, portions, prune
from runner.errors import ConfigError
from runner.rendering.byte_size import byte_size, read_byte_size

_DAYS = re.compile(r"(?P<number>\d{1,5}) ?d?")


class Asked(StoredRuns):
    """What the command takes."""

    keep: str | None = setting("prune the longest unused until so much stays, like 10GB", None, metavar="SIZE")
    older: str | None = setting("prune what was not used for so many days, like 30d", None, metavar="DAYS")
    dry_run: bool = setting("only say what would be pruned", False)


def run(asked: Asked) -> int:
    """Choose, say and remove."""
    if asked.keep is None and asked.older is None:
        raise ConfigError("say what to prune: keep=10GB, older=30d, or both")
    keep = read_byte_size(asked.keep) if asked.keep is not None else None
    if asked.keep is not None and keep is None:
        raise ConfigError(f"keep: expected a size like 10GB or 500MB, found {asked.keep!r}")
    days = _DAYS.fullmatch(asked.older) if asked.older is not None else None
    if asked.older is not None and days is None:
        raise ConfigError(f"older: expected a number of days like 30d, found {asked.older!r}")
    directory = Path(asked.place().store) / "cache"
    every = portions(directory)
    going = chosen_to_go(every, keep, int(days["number"]) if days else None)
    if going and not asked.dry_run:
        prune(directory, going)
    size = sum(each.bytes for each in going)
    left = sum(each.bytes for each in every) - size
    done = "would be pruned" if asked.dry_run else "pruned"
    print(f"{directory}: {byte_size(size)} in {len(going)} parts {done}, {byte_size(left)} stay")
    for line in portion_lines(going):
        print(line)
    return 0


main = Command("cache prune", Asked, run, example="keep=10GB older=30d dry_run=true")

if __name__ == "__main__":
    main()
