"""A metric is a value: its fields are its parameters, and its printed form, `rbp(p=0.8)@10`, parses back."""

from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, field, fields
from typing import ClassVar, Literal

import numpy as np

from runner.scoring.judgments import Floats, Integers
from runner.scoring.relevance import Relevance

# Raised whenever the definition of a metric changes: scores of different versions are never compared.
METRICS_VERSION = 1
# What becomes of a query's value when something relevant goes from its first k and nothing comes nearer the top.
WhenLost = Literal["falls", "never rises", "unknown"]
# By name, what came with the program or by an entry point of an installed package: see `runner.scoring.metric_names`.
REGISTERED: dict[str, "type[Metric]"] = {}


@dataclass(frozen=True)
class Metric(ABC):
    """How good rankings are: one number from 0 to 1 a query, higher being better.

    A subclass in a file of `runner/scoring/metrics/` is known to every command; so is one that an installed package
    names in the entry points `retrieval_runner.metrics`, and one that `metrics=` names by its path, `module.Class`.
    Its parameters are its dataclass fields: numbers, text and Literal. cutoff: look at the first so many, `@10`,
    instead of at the run's k or the depth.

    name: as its mean is printed and logged; without one, the path of the class. query_name: of a single query's value,
    where that is another word (the mean of `rr` is `mrr`). aliases: other names that are understood, in any case.
    over_depth: whether it looks at the whole ranking unless there is a cutoff, so not at the first k. takes_cutoff:
    whether a cutoff has a meaning. quality: whether it says how good a ranking is (`judged` does not). exact_bounds:
    whether a query's value is extreme where each kind of unjudged result is relevant throughout or not at all, so that
    `compare` can bound a difference. when_lost: what the drill may demand of it.
    """

    name: ClassVar[str] = ""
    query_name: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()
    over_depth: ClassVar[bool] = False
    takes_cutoff: ClassVar[bool] = True
    quality: ClassVar[bool] = True
    exact_bounds: ClassVar[bool] = False
    when_lost: ClassVar[WhenLost] = "unknown"

    cutoff: int | None = field(default=None, kw_only=True)

    @abstractmethod
    def per_query(self, found: Relevance, k: int) -> Floats:
        """The value of each query from its first k places or ranks, float64 [queries]."""

    def compute(self, found: Relevance, k: int) -> Floats:
        """The value of each query in a run that is cut at k, float64 [queries]."""
        return self.per_query(found, self.cutoff or (found.reach if self.over_depth else k))

    @property
    def follows_k(self) -> bool:
        """Whether the run's k decides what it looks at."""
        return self.cutoff is None and not self.over_depth

    @property
    def whole(self) -> bool:
        """Whether it looks at the whole ranking, however deep."""
        return self.cutoff is None and self.over_depth

    @classmethod
    def written(cls) -> str:
        """The name it is asked for by, without parameters."""
        return cls.name if REGISTERED.get(cls.name) is cls else f"{cls.__module__}.{cls.__qualname__}"

    @property
    def of_query(self) -> str:
        """The printed form of a single query's value, a column of the table of queries."""
        return f"{self.query_name or self.written()}{self._rest}"

    def __str__(self) -> str:
        return f"{self.written()}{self._rest}"

    @property
    def _rest(self) -> str:
        given = [
            f"{each.name}={printed(getattr(self, each.name))}"
            for each in fields(self)
            if each.name != "cutoff" and (each.default is MISSING or getattr(self, each.name) != each.default)
        ]
        return (f"({','.join(given)})" if given else "") + (f"@{self.cutoff}" if self.cutoff else "")


def printed(value: object) -> str:
    """A parameter as it is typed: 0.8, 2, exp-log2."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def over(numerator: Integers | Floats, denominator: Integers | Floats) -> Floats:
    """Divide, giving 0 where there is nothing relevant (such queries are never scored)."""
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)
