"""What a release must hold to: rules on metrics and slices, and what a run may cost."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from runner.scoring.metrics import METRICS

# A hundred times what intervals and tests need; the time grows with it.
MOST_RESAMPLES = 1_000_000
Source = Literal["human", "synthetic", "click"]
HUMAN: Source = "human"

# Strict: `min: true` would be a floor of 1.
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(_Section):
    """One demand on one metric over one slice.

    k: the cut; null means the run's own. slice: "all", or `field.value`. min: a floor for the mean. max_drop:
    how much the mean may fall below the baseline's. confidence: how sure a verdict must be, one-sided.
    """

    name: Annotated[str, Field(min_length=1)]
    metric: str
    k: Annotated[int, Field(strict=True, ge=1)] | None = None
    slice: Annotated[str, Field(min_length=1)] = "all"
    min: Share | None = None
    max_drop: Share | None = None
    min_queries: Annotated[int, Field(strict=True, ge=1)] = 10
    confidence: Annotated[float, Field(strict=True, gt=0.5, lt=1)] = 0.95
    severity: Literal["block", "warn"] = "block"
    sources: Annotated[tuple[Source, ...], Field(min_length=1)] = (HUMAN,)

    @field_validator("metric")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in METRICS:
            raise ValueError(f"unknown metric; known: {', '.join(METRICS)}")
        return value

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if self.min is None and self.max_drop is None:
            raise ValueError(f"rule {self.name!r} demands nothing; give it min, max_drop or both")
        if self.severity == "block" and set(self.sources) != {HUMAN}:
            raise ValueError(
                f"rule {self.name!r} blocks on judgments by {', '.join(self.sources)}; only human judgments may "
                "block, so make it severity: warn"
            )
        return self

    @property
    def group(self) -> str:
        """The slice as scores name it: empty for all queries."""
        return "" if self.slice == "all" else self.slice

    @property
    def level(self) -> float:
        """Level of the two-sided interval whose each end is exceeded with chance 1 - confidence."""
        return 2 * self.confidence - 1


class Budget(_Section):
    """What a run may cost at its k. context_tokens: mean length of the first k passages together."""

    context_tokens: Positive | None = None
    latency_p95_ms: Positive | None = None
    reranked_pairs: Positive | None = None


class Policy(_Section):
    """Rules and how they are judged.

    inconclusive: what a blocking rule does that can be neither passed nor failed. most_looks: how many
    evaluations of one suite are taken without a note.
    """

    name: str
    rules: tuple[Rule, ...] = Field(min_length=1)
    inconclusive: Literal["pass", "warn", "block"] = "warn"
    resamples: Annotated[int, Field(strict=True, ge=100, le=MOST_RESAMPLES)] = 10_000
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**63)] = 13
    most_looks: Annotated[int, Field(strict=True, ge=1)] = 50
    budget: Budget = Budget()

    @field_validator("rules")
    @classmethod
    def _distinct(cls, rules: Sequence[Rule]) -> Sequence[Rule]:
        repeated = [name for name, count in Counter(rule.name for rule in rules).items() if count > 1]
        if repeated:
            raise ValueError(f"rule names must differ, found {', '.join(repeated)} more than once")
        return rules
