"""From overrides to one request: for the command itself, and for the others that take a configuration."""

from collections.abc import Sequence

from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner.composing import JobComposer
from runner.config import Settings, conf_directory, register_resolvers
from runner.engine.plan import Request
from runner.errors import ConfigError
from runner.formats.reading import did_you_mean
from runner.text_settings import as_text


def compose_request(overrides: Sequence[str]) -> Request:
    """Compose one job from overrides, as `python -m runner` would. Raises ConfigError for what does not fit."""
    register_resolvers()
    refuse_unreadable(overrides)
    read = [as_text(override) for override in overrides]
    try:
        with initialize_config_dir(str(conf_directory()), version_base="1.3", job_name="runner"):
            master = OmegaConf.create({"hydra": {"overrides": {"hydra": []}, "job": {"config_name": "config"}}})
            composed = JobComposer(master, GlobalHydra.instance().config_loader()).composed(read)
    except (HydraException, OmegaConfBaseException) as error:
        # What a command adds by itself is nothing that its user could mend.
        asked = " ".join(override for override in overrides if not override.startswith("++"))
        raise ConfigError(f"{asked}: {in_one_line(error)}") from None
    request = request_of(composed.config, tuple(overrides), composed.unused)
    refuse_idle([request])
    return request


def request_of(config: DictConfig, overrides: tuple[str, ...], unused: tuple[str, ...] = ()) -> Request:
    """Check a composed configuration and keep it with its interpolations."""
    return Request(overrides, Settings.read(config), OmegaConf.to_yaml(config, resolve=False), unused)


def refuse_idle(requests: Sequence[Request]) -> None:
    """Raise ConfigError for an override that no job of a command has a use for."""
    used = {override for request in requests for override in request.overrides if override not in request.unused}
    idle = dict.fromkeys(each for request in requests for each in request.unused if each not in used)
    if idle:
        which = "this job has no" if len(requests) == 1 else "no job of this sweep has a"
        raise ConfigError("\n".join(f"{override}: {which} place for it" for override in idle))


def in_one_line(error: Exception) -> str:
    """What Hydra says of a configuration that it cannot compose, less the folders where it looked."""
    return " ".join(str(error).partition("\nConfig search path:")[0].split())


# With any of these the choices of conf/ are not the only ones.
_MORE_CONF = ("--config-dir", "-cd", "--config-path", "-cp", "hydra.searchpath", "+hydra.searchpath")
_SWEEPS = ("-m", "--multirun", "hydra.mode=MULTIRUN")


def refuse_unreadable(arguments: Sequence[str]) -> None:
    """Raise ConfigError for an override that Hydra cannot read or compose, with the form or the choices that it can."""
    parser = OverridesParser.create()
    more = any(argument.startswith(_MORE_CONF) for argument in arguments)
    sweeps = any(argument in _SWEEPS for argument in arguments)
    for argument in arguments:
        if argument.startswith("-") or "=" not in argument:
            continue
        try:
            parsed = parser.parse_override(argument)
        except HydraException:
            key, _, value = argument.partition("=")
            bare = value.strip("\"'")
            raise ConfigError(
                f"cannot read the override {argument!r}; text with Chinese letters, spaces or punctuation needs "
                f"quotes of its own inside those of the shell: '{key}=\"{bare}\"'"
            ) from None
        if parsed.is_sweep_override() and not sweeps:
            raise ConfigError(f"{argument}: names several values, which is a sweep; add -m, or choose one")
        _refuse_choice(argument, parsed, more)


def _refuse_choice(argument: str, parsed: Override, more: bool) -> None:
    """Refuse a file of conf/ that is not there: Hydra says so in many lines and without the nearest one."""
    group = conf_directory() / parsed.key_or_group
    if not group.is_dir() or parsed.is_delete():
        return
    if parsed.value() is None:
        raise ConfigError(f"{argument}: a group cannot be null; leave it out, or drop it with ~{parsed.key_or_group}")
    known = sorted(path.stem for path in group.glob("*.yaml"))
    given = parsed.value()
    names = [str(each) for each in given.list] if isinstance(given, ChoiceSweep) else [given]
    for name in names:
        if not more and isinstance(name, str) and "/" not in name and name not in known:
            raise ConfigError(f"{argument}: there is no {parsed.key_or_group}/{name}{did_you_mean(name, known)}")
