"""`python -m runner.lineage`: the name that `python -m runner.citations` had before."""

from runner.cli.citations import main

if __name__ == "__main__":
    main()
