"""Read a gate policy by name from conf/gate/, or from a file of one's own, with overrides."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from pydantic import ValidationError

from runner.config import conf_directory
from runner.errors import ConfigError
from runner.policy import Policy


def read_policy(overrides: Sequence[str], default: str = "release") -> Policy | None:
    """Read the policy that overrides like `gate=release gate.seed=7` name; None for gate=null.

    Raises ConfigError listing every fault of the policy with its key.
    """
    name = default
    changes: list[str] = []
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise ConfigError(f"cannot read the override {override!r}; write gate=NAME or gate.KEY=VALUE")
        if key == "gate":
            name = value
        elif key.startswith("gate."):
            changes.append(override.removeprefix("gate."))
        else:
            raise ConfigError(f"unknown setting {key!r}; write gate=NAME or gate.KEY=VALUE")
    if name in ("null", "none", ""):
        return None
    path = _locate(name)
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
        merged = OmegaConf.to_container(OmegaConf.merge(OmegaConf.create(values), OmegaConf.from_dotlist(changes)))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read as YAML: {error}") from None
    return policy_of(merged, str(path))


def policy_of(values: Any, where: str) -> Policy:
    """Check the values of a policy. Raises ConfigError listing every fault with its key."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: expected the keys of a gate policy, found {values!r}")
    try:
        return Policy.model_validate(values)
    except ValidationError as error:
        faults = [_fault(values, problem) for problem in error.errors()]
        raise ConfigError(
            "\n".join([f"{where}: {len(faults)} problems", *(f"  {fault}" for fault in faults)])
        ) from None


def _locate(name: str) -> Path:
    known = sorted(path.stem for path in (conf_directory() / "gate").glob("*.yaml"))
    if name in known:
        return conf_directory() / "gate" / f"{name}.yaml"
    path = Path(name)
    if path.is_file():
        return path
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
