"""The verdict of a policy on a run: each rule passes, fails, or cannot be decided from so few queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.decisions.run_scores import RunScores
from runner.errors import ConfigError, InputError
from runner.rendering.tabular import Tabular
from runner.rules.evidence import Evidence
from runner.rules.policy import Policy
from runner.rules.rule import Verdict

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class GateResult(Tabular):
    """All verdicts of a policy on one run. blocked: whether the release must stop."""

    policy: Policy
    new_run: RunScores
    baseline: RunScores | None
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()

    @property
    def blocking(self) -> tuple[Verdict, ...]:
        """The verdicts that stop the release."""
        stops = {"fail", "inconclusive"} if self.policy.inconclusive == "block" else {"fail"}
        return tuple(each for each in self.verdicts if each.rule.severity == "block" and each.outcome in stops)

    @property
    def warnings(self) -> tuple[Verdict, ...]:
        """The verdicts that are not good but do not stop the release."""
        silent = self.policy.inconclusive == "pass"
        return tuple(
            each
            for each in self.verdicts
            if each not in self.blocking and (each.outcome == "fail" or (each.outcome == "inconclusive" and not silent))
        )

    @property
    def blocked(self) -> bool:
        """Whether any rule stops the release."""
        return bool(self.blocking)

    @property
    def title(self) -> str:
        """What was judged by which policy, and what came of it."""
        return f"gate {self.policy.name}: {self.new_run.run.name} {'blocked' if self.blocked else 'passed'}"

    @property
    def table(self) -> "pd.DataFrame":
        """One row a rule: its outcome, the value and its interval, the baseline's, the difference, and why."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "rule": each.rule.name,
                    "outcome": each.outcome,
                    "blocks": each in self.blocking,
                    "k": each.k,
                    "n": each.n,
                    "value": each.value and each.value.value,
                    "low": each.value and each.value.low,
                    "high": each.value and each.value.high,
                    "baseline": each.baseline,
                    "difference": each.difference and each.difference.value,
                    "why": "; ".join(each.reasons) or each.lacking,
                }
                for each in self.verdicts
            ]
        )


def judge(
    policy: Policy,
    new_run: RunScores,
    baseline: RunScores | None,
    notes: Sequence[str] = (),
    earlier_slices: Sequence[str] = (),
    measurements: Mapping[str, float] | None = None,
) -> GateResult:
    """Judge a run by a policy, against a baseline scored on the same queries.

    earlier_slices: what the accepted baseline was sliced by, where `baseline` is a repetition of it. measurements:
    what the run cost, as it was logged unless said. The same input gives the same verdict: resampling is seeded by
    the policy. Raises ConfigError for a rule that names an unknown slice, metric or k, and InputError for runs that
    were not scored alike.
    """
    policy = policy.resolved()
    if baseline is not None:
        refuse_unlike(new_run, baseline)
    evidence = Evidence(
        new_run,
        baseline,
        {*earlier_slices, *(baseline.slice_names if baseline is not None else ())},
        new_run.run.metrics if measurements is None else measurements,
        policy.resamples,
        policy.seed,
    )
    problems = [f"  rule {rule.name!r}: {problem}" for rule in policy.rules for problem in rule.problems(evidence)]
    if problems:
        raise ConfigError("\n".join([f"gate {policy.name!r} does not fit run {new_run.id}:", *problems]))
    return GateResult(policy, new_run, baseline, tuple(rule.judge(evidence) for rule in policy.rules), tuple(notes))


def refuse_unlike(one: RunScores, other: RunScores) -> None:
    """Raise InputError naming the field in which two runs differ that must not differ between them."""
    for field in ("suite", "suite_revision", "unit", "min_grade", "metrics_version"):
        if one.run.params.get(field) != other.run.params.get(field):
            raise InputError(
                f"runs {one.run.id} and {other.run.id} differ in {field} ({one.run.params.get(field)} and "
                f"{other.run.params.get(field)}), so their scores cannot be set against each other; repeat one of "
                "them on the other's suite"
            )
    if one.query_ids != other.query_ids:
        raise InputError(f"runs {one.run.id} and {other.run.id} did not score the same queries")
