"""`python -m runner.snapshot build | list | show | diff`."""

from functools import partial

from runner.cli.loading import run_group

main = partial(run_group, "snapshot")

if __name__ == "__main__":
    main()
