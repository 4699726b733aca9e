"""From a command line to jobs: the one room that knows Hydra."""
