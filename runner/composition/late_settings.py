"""What is done to a command line before Hydra reads it.

Hydra sets values as soon as it has chosen files. What is to be set wherever a part stands, or only in those jobs that
have a place for it, has to wait until a job is composed; here it is kept from Hydra's own composing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override
from hydra.errors import HydraException

from runner.composition.parts_by_name import KINDS
from runner.composition.text_settings import as_text
from runner.errors import ConfigError

# Groups of which one choice has settings that another lacks.
_GROUPS = (*KINDS, "retriever", "chunker", "corpus", "suite")
_SHOWS = ("--cfg", "-c", "--info", "-i")
_SWEEPS = ("-m", "--multirun", "hydra.mode=MULTIRUN")


class Prepared(NamedTuple):
    """A command line as Hydra is given it. late: all overrides of a single job, where one was kept from Hydra."""

    words: list[str]
    late: tuple[str, ...] = ()


def prepare(arguments: Sequence[str]) -> Prepared:
    """Arguments with text as text, files of policies known by name, and late settings out of the way.

    Raises ConfigError for `--cfg` or `--info` of a sweep.
    """
    sweeps = any(argument in _SWEEPS for argument in arguments)
    shows = next((each for each in arguments if each.partition("=")[0] in _SHOWS), None)
    if sweeps and shows:
        raise ConfigError(f"{shows} shows one job: leave -m out, and choose one value of each list")
    read = [argument if argument.startswith("-") else as_text(argument) for argument in arguments]
    parser = OverridesParser.create()
    overrides: dict[str, Override] = {}
    for argument in read:
        if argument[:1] not in "-" and "=" in argument:
            try:
                overrides[argument] = parser.parse_override(argument)
            except HydraException:
                continue  # refused, with its reason, by whoever reads it
    for override in overrides.values():
        _know_policies(override)
    if sweeps:
        return Prepared([_swept(argument, overrides.get(argument)) for argument in read])
    if not _has_late(overrides.values()):
        return Prepared(read)
    late = tuple(argument for argument in read if argument in overrides)
    return Prepared([argument for argument in read if not _is_late(overrides.get(argument))], late)


def _has_late(overrides: Any) -> bool:
    return any(override.package is None and override.key_or_group.partition(".")[0] in KINDS for override in overrides)


def _is_late(override: Override | None) -> bool:
    """Whether a value waits for the parts; what chooses files does not."""
    if override is None or override.package is not None:
        return False
    head, dot, _ = override.key_or_group.partition(".")
    return bool(dot) and head in (*KINDS, "retriever")


def _swept(argument: str, override: Override | None) -> str:
    """A value as a list of one: Hydra hands it to each job, and does not try it on the sweep as a whole."""
    if override is None or override.is_sweep_override() or override.is_delete() or override.package is not None:
        return argument
    head, dot, _ = override.key_or_group.partition(".")
    value = override.value()
    if not dot or head not in _GROUPS or isinstance(value, list) or override.is_add():
        return argument
    key, _, text = argument.partition("=")
    return f"{key}=choice({text})" if text else argument


def is_policy_file(name: str) -> bool:
    """Whether `gate=NAME` names a file that is there."""
    return name.endswith((".yaml", ".yml")) and Path(name).is_file()


def _know_policies(override: Override) -> None:
    """Make each file of a policy that `gate=FILE.yaml` names one of the choices that Hydra knows."""
    if override.key_or_group != "gate" or override.is_delete():
        return
    from runner.composition.policy_files import policy_of, read_policy_file

    found = override.value()
    for name in found.list if isinstance(found, ChoiceSweep) else [found]:
        path = Path(str(name))
        if is_policy_file(str(name)):
            values = {"name": path.stem, **read_policy_file(path)}
            # With every key there is, so that each can be set.
            whole = policy_of(values, str(path)).model_dump(mode="json")
            # Hydra looks a choice up by its parts, the empty one before an absolute path left out.
            group, _, file = f"gate/{str(name).lstrip('/')}".rpartition("/")
            ConfigStore.instance().store(name=file, group=group, node=whole, package="gate", provider=str(path))
