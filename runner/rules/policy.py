"""What a release must hold to: rules on metrics and slices, and what a run may cost."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializeAsAny, field_validator

from runner.rules.budget import Budget, Cost
from runner.rules.kinds import IMPORT_OWN, read_rule
from runner.rules.own import OwnRule
from runner.rules.rule import Positive, Rule

# A hundred times what intervals and tests need; the time grows with it.
MOST_RESAMPLES = 1_000_000
COSTS: tuple[str, ...] = get_args(Cost)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(_Section):
    """What a run may cost at its k where k is chosen; the gate knows only rules, of `kind: budget`."""

    context_tokens: Positive | None = None
    latency_p95_ms: Positive | None = None
    reranked_pairs: Positive | None = None

    @property
    def rules(self) -> tuple[Budget, ...]:
        """The same as rules, each named after its cost."""
        limits = [(cost, getattr(self, cost)) for cost in COSTS]
        named = [{"name": cost, "cost": cost, "max": limit} for cost, limit in limits if limit is not None]
        return tuple(map(Budget.model_validate, named))


class Policy(_Section):
    """Rules and how they are judged.

    inconclusive: what a blocking rule does that can be neither passed nor failed. most_looks: how many
    evaluations of one suite are taken without a note.
    """

    name: str
    rules: tuple[Annotated[SerializeAsAny[Rule], BeforeValidator(read_rule)], ...] = Field(min_length=1)
    inconclusive: Literal["pass", "warn", "block"] = "warn"
    resamples: Annotated[int, Field(strict=True, ge=100, le=MOST_RESAMPLES)] = 10_000
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**63)] = 13
    most_looks: Annotated[int, Field(strict=True, ge=1)] = 50
    budget: Limits = Limits()

    @field_validator("rules")
    @classmethod
    def _distinct(cls, rules: Sequence[Rule]) -> Sequence[Rule]:
        repeated = [name for name, count in Counter(rule.name for rule in rules).items() if count > 1]
        if repeated:
            raise ValueError(f"rule names must differ, found {', '.join(repeated)} more than once")
        return rules

    def resolved(self) -> Self:
        """The same with the classes imported that it names itself. Raises pydantic's error for one that cannot be."""
        if not any(isinstance(rule, OwnRule) for rule in self.rules):
            return self
        return self.model_validate(self.model_dump(), context={IMPORT_OWN: True})
