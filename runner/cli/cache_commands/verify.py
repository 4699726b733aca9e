"""`verify`: is everything in the cache what was stored?"""

from pathlib import Path

from runner.cli.arguments import StoredRuns
from runner.cli.command import Command
from runner.engine.cache_care import damages, portions
from runner.errors import MOST_LISTED, RunnerError

WHOLE, DAMAGED = 0, 1


class Asked(StoredRuns):
    """What the command takes."""


def run(asked: Asked) -> int:
    """Read everything, and list what is damaged; a sweep computes that again by itself."""
    directory = Path(asked.place().store) / "cache"
    found = list(damages(directory))
    if not found:
        every = portions(directory)
        print(
            f"{directory}: {sum(each.count for each in every):,} records in {len(every)} parts, all as they were stored"
        )
        return WHOLE
    for line in found[:MOST_LISTED]:
        print(line)
    if len(found) > MOST_LISTED:
        print(f"... and {len(found) - MOST_LISTED:,} more")
    raise RunnerError(f"{directory}: {len(found):,} damaged; a sweep computes again what it needs of that")


main = Command(
    "cache verify",
    Asked,
    run,
    example="store=mlruns",
    statuses="0 all is as it was stored; 1 something is damaged; 2 bad input",
)

if __name__ == "__main__":
    main()
