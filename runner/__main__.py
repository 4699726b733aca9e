"""`python -m runner [COMMAND] [name=value ...]`: run a command; without one, score one variant, or with -m several."""

import sys
from collections.abc import Sequence

from runner import stopping
from runner.files.scratch import stand_in_home
from runner.rendering.console import open_streams
from runner.tracking.recorder import Recorder

# With any of these Hydra, or the plan, has the last word and nothing is logged.
_LOGS_NOTHING = (
    "--help",
    "-h",
    "--hydra-help",
    "--version",
    "--cfg",
    "-c",
    "--info",
    "-i",
    "--shell-completion",
    "-sc",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    open_streams()
    given = _for_sweep(sys.argv[1:] if arguments is None else arguments)
    recorder = None
    with stopping.watched(to_the_end=True):
        try:
            stand_in_home()
            if not any(word in _LOGS_NOTHING or word.startswith("dry_run=true") for word in given):
                recorder = Recorder()
            # Late, so that the recorder is at work while Hydra and the rest are imported.
            from runner.cli.entry import run_command

            run_command(given, recorder)
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
            raise SystemExit(stopping.status()) from None
        finally:
            if recorder is not None:
                recorder.close()


def _for_sweep(given: Sequence[str]) -> list[str]:
    """The words of a run or a sweep; those of another command are run here, and end the process."""
    from runner.cli.front_door import enter
    from runner.errors import ConfigError

    try:
        return enter(given)
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
