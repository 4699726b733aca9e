"""A limit of the unjudged: of what a run shows, so much at most may be what nobody has looked at."""

from typing import ClassVar, Literal

from runner.rules.estimate import Estimate
from runner.rules.evidence import Evidence
from runner.rules.over_queries import OverQueries, small_sample_notes
from runner.rules.rule import Share, Verdict


class Unjudged(OverQueries):
    """`kind: unjudged`. max: the largest share of the first k, as a mean over queries, without any judgment."""

    ceiling: ClassVar[bool] = True

    kind: Literal["unjudged"] = "unjudged"
    max: Share

    @property
    def limit(self) -> float:
        """The largest share."""
        return self.max

    @property
    def measure(self) -> str:
        """What is measured."""
        return "unjudged"

    def judge(self, evidence: Evidence) -> Verdict:
        """Judge: passed where the whole interval is within the limit, failed where none of it is."""
        k = self.k or evidence.run.k
        values = 1 - evidence.run.values("judged", k)[evidence.run.members(self.group)]
        n, notes = len(values), tuple(small_sample_notes(len(values)))
        if n < self.min_queries:
            few = f"{n} of at least {self.min_queries} queries"
            value = Estimate(float(values.mean()), 0.0, 1.0) if n else None
            return Verdict(self, k, n, "inconclusive", value, reasons=(few,), notes=notes, lacking=f"has {few}")
        value = self.estimate(values, evidence)
        reason = f"unjudged {value.shown()} of the first {k} against a limit of {self.max:.3f}"
        return Verdict(self, k, n, value.against_ceiling(self.max), value, reasons=(reason,), notes=notes)
