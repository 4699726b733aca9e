"""From overrides to one request: for the command itself, and for the others that take a configuration."""

from collections.abc import Sequence

from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner.composing import without_hydra
from runner.config import Settings, conf_directory, register_resolvers
from runner.engine.plan import Request
from runner.errors import ConfigError


def compose_request(overrides: Sequence[str]) -> Request:
    """Compose one job from overrides, as `python -m runner` would. Raises ConfigError for what does not fit."""
    register_resolvers()
    refuse_unreadable(overrides)
    try:
        with initialize_config_dir(str(conf_directory()), version_base="1.3", job_name="runner"):
            composed = compose("config", list(overrides))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(f"{' '.join(overrides)}: {in_one_line(error)}") from None
    return request_of(without_hydra(composed), tuple(overrides))


def request_of(config: DictConfig, overrides: tuple[str, ...]) -> Request:
    """Check a composed configuration and keep it with its interpolations."""
    return Request(overrides, Settings.read(config), OmegaConf.to_yaml(config, resolve=False))


def in_one_line(error: Exception) -> str:
    """What Hydra says of a configuration that it cannot compose, less the folders where it looked."""
    return " ".join(str(error).partition("\nConfig search path:")[0].split())


def _request(config: DictConfig, overrides: tuple[str, ...]) -> Request:
    return Request(overrides, Settings.read(config), OmegaConf.to_yaml(config, resolve=False))


def refuse_unreadable(arguments: Sequence[str]) -> None:
    """Raise ConfigError for an override that Hydra's grammar cannot read, with the form that it can."""
    parser = OverridesParser.create()
    for argument in arguments:
        if argument.startswith("-") or "=" not in argument:
            continue
        try:
            parsed = parser.parse_override(argument)
            if parsed.value() is None and (conf_directory() / parsed.key_or_group).is_dir():
                raise ConfigError(
                    f"{argument}: a group cannot be null; leave it out, or drop it with ~{parsed.key_or_group}"
                )
        except HydraException:
            key, _, value = argument.partition("=")
            bare = value.strip("\"'")
            raise ConfigError(
                f"cannot read the override {argument!r}; text with Chinese letters, spaces or punctuation needs "
                f"quotes of its own inside those of the shell: '{key}=\"{bare}\"'"
            ) from None
