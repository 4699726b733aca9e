"""`python -m runner cache size | verify | prune`."""

from functools import partial

from runner.cli.loading import run_group

main = partial(run_group, "cache")

if __name__ == "__main__":
    main()
