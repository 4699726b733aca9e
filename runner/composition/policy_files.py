"""Read a gate policy by name from conf/gate/, or from a file of one's own, with overrides."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

from runner.composition.overrides import read_settings
from runner.configuration.settings import conf_choices
from runner.errors import ConfigError, InputError, Problem
from runner.files.reading import decode, read_bytes
from runner.files.strict_yaml import read_mapping
from runner.rules.kinds import IMPORT_OWN
from runner.rules.policy import Policy

_REACH = (
    "gate.KEY=VALUE reaches the keys beside the rules, a rule is changed in a file of its own, named with "
    "gate=FILE.yaml"
)


def read_policy(overrides: Sequence[str], default: str = "release") -> Policy | None:
    """Read the policy that overrides like `gate=release gate.seed=7` name; None for gate=null.

    Raises ConfigError listing every fault of the policy with its key, and InputError for a file that is no YAML.
    """
    name = default
    asked: list[str] = []
    changes = OmegaConf.create({})
    for override in overrides:
        if override.startswith(("gate.rules.", "gate.rules[")):
            raise ConfigError(f"cannot apply {override}; {_REACH}")
    for setting in read_settings(overrides):
        if setting.key == "gate":
            name = setting.text
        elif setting.key.startswith("gate."):
            key = setting.key.removeprefix("gate.")
            asked.append(f"{key}={setting.text}")
            OmegaConf.update(changes, key, setting.value)
        else:
            raise ConfigError(f"unknown setting {setting.key!r}; write gate=NAME or gate.KEY=VALUE")
    if name in ("null", "none", ""):
        return None
    path = _locate(name)
    values = {"name": path.stem, **read_policy_file(path)}
    try:
        merged = OmegaConf.to_container(OmegaConf.merge(OmegaConf.create(values), changes))
    except (OmegaConfBaseException, ValueError, TypeError) as error:
        raise ConfigError(f"{path}: cannot apply {' '.join(asked)}: {str(error).splitlines()[0]}; {_REACH}") from None
    return policy_of(merged, str(path))


def policy_of(values: Any, where: str) -> Policy:
    """Check the values of a policy, its own rules imported, and read them. Raises ConfigError listing every fault."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: expected the keys of a gate policy, found {values!r}")
    try:
        Policy.model_validate(values, context={IMPORT_OWN: True})
        # As it is written, so that it can be stored and read again.
        return Policy.model_validate(values)
    except ValidationError as error:
        found = error.errors()
        # Where every item of a list is faulty pydantic adds that there are none.
        around = {problem["loc"][:depth] for problem in found for depth in range(len(problem["loc"]))}
        faults = [_fault(values, problem) for problem in found if problem["loc"] not in around or not problem["loc"]]
        counted = "1 problem" if len(faults) == 1 else f"{len(faults)} problems"
        raise ConfigError("\n".join([f"{where}: {counted}", *(f"  {fault}" for fault in faults)])) from None


def read_policy_file(path: Path) -> dict[str, Any]:
    """The values of a policy's file, not yet checked. Raises InputError for a file that is no YAML mapping."""
    problems: list[Problem] = []
    text = decode(read_bytes(path, "a gate policy"), problems)
    found = read_mapping(text, problems) if text is not None else None
    if found is None:
        raise InputError.of(path, problems or [Problem(1, "expected the keys of a gate policy (name, rules, ...)")])
    return found.values


def _locate(name: str) -> Path:
    known = conf_choices("gate")
    if name in known:
        return known[name]
    path = Path(name)
    if path.is_file():
        return path
    if path.suffix in (".yaml", ".yml"):
        raise ConfigError(f"the gate policy {name!r} is not there; known by name: {', '.join(known)}")
    raise ConfigError(f"no gate policy {name!r}; known: {', '.join(known)}, or name a YAML file")


def _fault(values: Mapping[str, Any], problem: Any) -> str:
    place = [str(part) for part in problem["loc"]]
    rules = values.get("rules")
    if len(place) > 1 and place[0] == "rules" and place[1].isdigit() and isinstance(rules, Sequence):
        rule = rules[int(place[1])]
        name = rule.get("name") if isinstance(rule, Mapping) else None
        place[1] = repr(name) if name else place[1]
    message = problem["msg"].removeprefix("Value error, ")
    shown = "" if isinstance(problem["input"], Mapping | list | tuple) else f", found {problem['input']!r}"
    return f"{'.'.join(place) or 'policy'}: {message}{shown}"
