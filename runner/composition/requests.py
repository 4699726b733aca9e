"""From overrides to one request: for the command itself, and for the others that take a configuration."""

import copy
import re
from collections.abc import Sequence
from pathlib import Path

import yaml
from hydra.core.override_parser.types import ChoiceSweep, Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from retrievers.run_file import tag_of
from runner import plugins
from runner.composition.hydra_internals import get_args_parser
from runner.composition.job_composer import JobComposer
from runner.composition.late_settings import is_policy_file
from runner.composition.overrides import parsed_override, readable, refuse_broken_text, shortened
from runner.composition.parts_by_name import KINDS
from runner.composition.policy_files import policy_of
from runner.composition.session import hydra_on_conf
from runner.composition.text_settings import as_text
from runner.configuration.settings import Settings, conf_choices, conf_directory
from runner.engine.plan import Request
from runner.errors import ConfigError
from runner.files.nearest import did_you_mean
from runner.suite_formats.trec_ids import run_files


def compose_request(overrides: Sequence[str]) -> Request:
    """Compose one job from overrides, as `python -m runner` would. Raises ConfigError for what does not fit."""
    words = readable_settings(overrides)
    read = [as_text(word) for word in words]
    try:
        with hydra_on_conf() as loader:
            master = OmegaConf.create({"hydra": {"overrides": {"hydra": []}, "job": {"config_name": "config"}}})
            composed = JobComposer(master, loader).composed(read)
            request = request_of(composed.config, tuple(words), composed.unused)
    except (HydraException, OmegaConfBaseException, yaml.YAMLError, RecursionError) as error:
        # What a command adds by itself is nothing that its user could mend.
        asked = " ".join(override for override in overrides if not override.startswith("++"))
        raise ConfigError(f"{asked}: {in_one_line(error)}") from None
    refuse_idle([request])
    return request


def request_of(config: DictConfig, overrides: tuple[str, ...], unused: tuple[str, ...] = ()) -> Request:
    """Check a composed configuration and keep it with its interpolations."""
    settings = Settings.read(config)
    if settings.gate is not None:
        # A rule of the person's own is imported now: it must not turn out only when all is computed that it cannot be.
        policy_of(settings.gate.model_dump(mode="json"), "gate")
    return Request(overrides, settings, OmegaConf.to_yaml(config, resolve=False), unused)


def refuse_idle(requests: Sequence[Request]) -> None:
    """Raise ConfigError for an override that no job of a command has a use for."""
    used = {override for request in requests for override in request.overrides if override not in request.unused}
    idle = dict.fromkeys(each for request in requests for each in request.unused if each not in used)
    if idle:
        which = "this job has no" if len(requests) == 1 else "no job of this sweep has a"
        raise ConfigError("\n".join(f"{override}: {which} place for it" for override in idle))


def requests_of(config: DictConfig, overrides: tuple[str, ...], unused: tuple[str, ...] = ()) -> list[Request]:
    """What a composed configuration asks for: one request, or, where its dataset names TREC runs, one for each.

    A run is named by its tag, and by its file as well where another one has the same.
    """
    runs = OmegaConf.select(config, "dataset.runs", throw_on_missing=False)
    if runs is None:
        return [request_of(config, overrides, unused)]
    if "path" not in config.retriever:
        raise ConfigError("the dataset holds rankings and no texts: leave the retriever out, or set retriever=recorded")
    given = OmegaConf.to_container(runs, resolve=True) if OmegaConf.is_config(runs) else runs
    files = run_files(given, besides=(Path(str(config.dataset.qrels)),))  # type: ignore[arg-type]
    tags = [re.sub(r"[^\w.+-]+", "-", tag_of(str(file)) or file.name.partition(".")[0]) for file in files]
    found = []
    for file, tag in zip(files, tags, strict=True):
        one = copy.deepcopy(config)
        OmegaConf.update(one, "dataset.run", str(file.absolute()))
        if one.retriever.get("name") == "recorded":
            name = tag if tags.count(tag) == 1 else f"{tag}-{file.name.partition('.')[0]}"
            OmegaConf.update(one, "retriever.name", name)
        found.append(request_of(one, (*overrides, f"dataset.run={file}"), unused))
    return found


def in_one_line(error: Exception) -> str:
    """What Hydra says of a configuration that it cannot compose, less the folders where it looked.

    Of a setting that is not there it says how to add it, which is seldom what was meant: here the nearest one is named.
    """
    if unknown := _unknown_setting(error.__cause__):
        return unknown
    said = str(error).partition("\nConfig search path:")[0].partition("\nAvailable options")[0]
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else None
    words = [*said.split(), *(str(cause).partition("\n")[0].split() if cause else ())]
    return " ".join(words) or type(error).__name__


def _unknown_setting(cause: BaseException | None) -> str | None:
    if not isinstance(cause, ConfigKeyError | ConfigAttributeError) or not isinstance(cause.parent_node, DictConfig):
        return None
    if not isinstance(cause.key, str) or cause.key in cause.parent_node:
        return None
    name = str(cause.full_key)
    above = name.removesuffix(cause.key)
    known = [above + str(key) for key in cause.parent_node if not str(key).startswith("_") and key != "hydra"]
    if above:
        return f"there is no setting {name!r}{did_you_mean(name, known)} (+{name}=... adds one)"
    return f"there is no setting {name!r}{did_you_mean(name, {*known, *KINDS, 'gate', 'experiment'})}"


_SWEEPS = ("hydra.mode=MULTIRUN",)


def readable_settings(words: Sequence[str], *, sweep: bool = False, more: bool = False) -> list[str]:
    """The same settings as Hydra reads them. sweep: several values are taken. more: conf/ is not all there is.

    Raises ConfigError for a setting that Hydra cannot read or compose, with the form or the choices that it can.
    """
    sweep = sweep or any(word in _SWEEPS for word in words)
    more = more or any(word.lstrip("+").startswith("hydra.searchpath") for word in words)
    return [_readable_setting(word, sweep, more) for word in words]


def _readable_setting(word: str, sweep: bool, more: bool) -> str:
    read = readable(word)
    parsed = parsed_override(read)
    if parsed.is_sweep_override() and not sweep:
        raise ConfigError(f"{shortened(word)}: names several values, which is a sweep; add -m, or choose one")
    if parsed.value() == {} and not parsed.is_add() and not parsed.is_force_add():
        raise ConfigError(
            f"{word}: an empty mapping changes nothing, since mappings are merged; set its keys to null one by one, or "
            f"the whole with {parsed.get_key_element()}=null"
        )
    _refuse_choice(word, parsed, more)
    return read


def _refuse_choice(argument: str, parsed: Override, more: bool) -> None:
    """Refuse a file of conf/ that is not there: Hydra says so in many lines and without the nearest one."""
    files = conf_choices(parsed.key_or_group)
    if not files or parsed.is_delete():
        return
    if parsed.value() is None:
        raise ConfigError(f"{argument}: a group cannot be null; leave it out, or drop it with ~{parsed.key_or_group}")
    installed = {name for place, name, _ in plugins.choices() if place == parsed.key_or_group}
    known = sorted({*files, *installed})
    given = parsed.value()
    names = [str(each) for each in given.list] if isinstance(given, ChoiceSweep) else [given]
    for name in names:
        if parsed.key_or_group == "gate" and is_policy_file(str(name)):
            continue
        if not more and isinstance(name, str) and "/" not in name and name not in known:
            raise ConfigError(f"{argument}: there is no {parsed.key_or_group}/{name}{did_you_mean(name, known)}")


def readable_arguments(arguments: Sequence[str]) -> list[str]:
    """The arguments of `python -m runner`, its settings as Hydra reads them.

    Raises ConfigError for an option that Hydra does not have, or one without its value, for a configuration file or
    folder that is not there, and for settings as `readable_settings` does.
    """
    for argument in arguments:
        refuse_broken_text(argument)
    parser = get_args_parser()

    def refuse(message: str) -> None:
        raise ConfigError(f"{message}; python -m runner --help shows what there is")

    parser.error = refuse  # type: ignore[method-assign, assignment]
    parsed, unknown = parser.parse_known_args(list(arguments))
    if parsed.experimental_rerun is not None:
        raise ConfigError("--experimental-rerun reads pickled files; repeat a run with python -m runner rerun RUN_ID")
    options = [option for option in parser._option_string_actions if option.startswith("--")]
    for word in unknown:
        if word.startswith("-"):
            raise ConfigError(f"unknown option {shortened(word)}{did_you_mean(word, options)}")
    settings = [*parsed.overrides, *(word for word in unknown if not word.startswith("-"))]
    _refuse_places(parsed.config_name, parsed.config_path, parsed.config_dir)
    read = readable_settings(
        settings, sweep=parsed.multirun, more=parsed.config_dir is not None or parsed.config_path is not None
    )
    # Hydra itself takes settings in one row only.
    return [*(word for word in arguments if word not in settings), *read]


def _refuse_places(name: str | None, path: str | None, folder: str | None) -> None:
    if folder is not None and not Path(folder).is_dir():
        raise ConfigError(f"--config-dir {folder}: is not a folder; expected one with folders like conf/'s in it")
    if name is not None and path is None:
        places = [conf_directory(), *([Path(folder)] if folder else [])]
        known = sorted({found.stem for place in places for found in place.glob("*.yaml")})
        if name.removesuffix(".yaml") not in known and "/" not in name:
            raise ConfigError(f"--config-name {name}: there is no such configuration{did_you_mean(name, known)}")
