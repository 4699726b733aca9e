"""A rule whose class a policy names itself, with `_target_: my_module.MyRule` and the keys of that class."""

from importlib import import_module
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from runner.rules.rule import Rule


class OwnRule(Rule):
    """Such a rule as it is written: nothing of it is imported while a policy is only looked at.

    The policy may be stored with a run, and then is data that somebody else wrote.
    """

    model_config = ConfigDict(extra="allow", frozen=True, serialize_by_alias=True)

    target: Annotated[str, Field(alias="_target_")]

    @property
    def measure(self) -> str:
        """The class."""
        return self.target

    def resolved(self) -> Rule:
        """The rule itself. Raises ValueError for what is no rule's class, and pydantic's error for its keys."""
        module, _, name = self.target.rpartition(".")
        try:
            kind: Any = getattr(import_module(module), name)
        except (Exception, SystemExit) as error:  # the module is the user's own and may fail in any way
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise ValueError(f"cannot import {self.target!r} ({reason}); put its folder on PYTHONPATH") from error
        if not (isinstance(kind, type) and issubclass(kind, Rule)):
            raise ValueError(f"{self.target} is no subclass of runner.rules.rule.Rule")
        return kind.model_validate(self.model_dump(exclude={"target"}, exclude_unset=True))
