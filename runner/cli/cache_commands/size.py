"""`size`: what the cache holds, and how much of it."""

from pathlib import Path

from runner.cli.arguments import StoredRuns
from runner.cli.command import Command
from runner.engine.cache_care import Portion, portions
from runner.rendering.byte_size import byte_size


class Asked(StoredRuns):
    """What the command takes."""


def run(asked: Asked) -> int:
    """Print a line for each kind, with the parts of it."""
    directory = Path(asked.place().store) / "cache"
    every = portions(directory)
    print(f"{directory}: {byte_size(sum(each.bytes for each in every))} in {len(every)} parts")
    for kind in dict.fromkeys(each.kind for each in every):
        print(kind)
        print("\n".join(portion_lines([each for each in every if each.kind == kind])))
    for path in sorted(directory.glob("cache.*.db")) if directory.is_dir() else ():
        print(f"{path.name}: {byte_size(path.stat().st_size)}, put aside earlier; you may delete it")
    return 0


def portion_lines(every: list[Portion]) -> list[str]:
    """A line for each part: its size, its records, when it was used last, and whose it is."""
    return [
        f"  {byte_size(each.bytes):>9}  {each.count:>10,} record{'s' if each.count != 1 else ' '}  "
        f"last used {each.used or 'unknown'!s:<10}  {each.name}".rstrip()
        for each in every
    ]


main = Command("cache size", Asked, run, example="store=mlruns")

if __name__ == "__main__":
    main()
