"""`python -m runner [-m] [key=value ...]`: score one retriever variant, or sweep several."""

import sys
import traceback
from collections.abc import Sequence

import hydra
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from runner.command import UNUSABLE, has_started, leave, refuse_unreadable, run_one
from runner.config import conf_directory, register_resolvers
from runner.errors import ConfigError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    if arguments is not None:
        sys.argv[1:] = list(arguments)
    register_resolvers()
    try:
        refuse_unreadable(sys.argv[1:])
    except ConfigError as error:
        message = error
        leave(lambda: _raise(message))
    try:
        _app()
    except SystemExit as stop:
        # Hydra itself leaves with 1 only where it could not compose what was asked for.
        if stop.code == 1 and not has_started():
            raise SystemExit(UNUSABLE) from None
        raise
    except (HydraException, OmegaConfBaseException):
        # With HYDRA_FULL_ERROR=1 Hydra lets its own errors through.
        traceback.print_exc()
        raise SystemExit(UNUSABLE) from None


def _raise(error: Exception) -> int:
    raise error


@hydra.main(version_base="1.3", config_path=str(conf_directory()), config_name="config")
def _app(config: DictConfig) -> None:
    run_one(config)


if __name__ == "__main__":
    main()
