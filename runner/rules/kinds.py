"""Every kind of rule there is: those of this folder, of installed packages, and a class that a policy names itself."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from pydantic import ValidationInfo

import runner.rules
from runner import plugins
from runner.errors import ConfigError
from runner.rules.bounds import Bounds
from runner.rules.own import OwnRule
from runner.rules.rule import KINDS, Rule

# In the context of a validation: whether classes that a policy names may be imported.
IMPORT_OWN = "import own rules"


def read_rule(values: Any, info: ValidationInfo) -> Any:
    """A rule of a policy as its kind reads it; what is no mapping is left for pydantic to refuse.

    Raises pydantic's ValidationError with the keys at fault, and ValueError for an unknown kind.
    """
    if not isinstance(values, Mapping):
        return values
    if "_target_" in values:
        rule = OwnRule.model_validate(values)
        return rule.resolved() if (info.context or {}).get(IMPORT_OWN) else rule
    return _kind(values["kind"]).model_validate(values) if "kind" in values else Bounds.model_validate(values)


def _kind(name: Any) -> type[Rule]:
    if not isinstance(name, str):
        raise ValueError(f"kind: expected the name of a kind of rule, such as floor, found {name!r:.60}")
    _import_all()
    if name in KINDS:
        return KINDS[name]
    packages = plugins.installed("rules")
    if name in packages:
        try:
            found = plugins.load(packages[name])
        except ConfigError as error:
            raise ValueError(str(error)) from None
        if isinstance(found, type) and issubclass(found, Rule) and "kind" in found.model_fields:
            return found
        raise ValueError(
            f"{packages[name].value}, the kind of rule {name!r}, is no subclass of runner.rules.rule.Rule with a field "
            f'kind: Literal["{name}"] = "{name}"'
        )
    raise ValueError(
        f"unknown kind of rule {name!r}; known: {', '.join(sorted({*KINDS, *packages}))}; a class of your own is named "
        "with _target_: my_module.MyRule"
    )


@cache
def _import_all() -> None:
    """A kind registers itself when its module is imported, so that it is added in one file."""
    for module in iter_modules(runner.rules.__path__):
        import_module(f"{runner.rules.__name__}.{module.name}")
