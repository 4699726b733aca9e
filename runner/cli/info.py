"""`python -m runner info`: what is installed, what works offline, and what is stored where."""

from runner.cli.arguments import StoredRuns
from runner.cli.command import Command
from runner.rendering.terminal import aligned
from runner.workflows.installation import installation


class Asked(StoredRuns):
    """What the command takes."""


def run(asked: Asked) -> int:
    """Print it all."""
    for title, facts in installation(asked.place()).items():
        print(f"{title}")
        print("\n".join(aligned(facts)))
    return 0


main = Command("info", Asked, run, example="")

if __name__ == "__main__":
    main()
