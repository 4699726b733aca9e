"""`python -m runner.judgments check | migrate | freeze | review | agreement | candidates | export | import`."""

from functools import partial

from runner.cli.loading import run_group

main = partial(run_group, "judgments")

if __name__ == "__main__":
    main()
