"""How far does a reader go who stops once content?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class ExpectedReciprocalRank(Metric):
    """Sum over the first k of 1 / rank x the chance that a reader stops there (Chapelle et al. 2009).

    A result of grade g contents with the chance (2^g - 1) / 2^max_grade. max_grade: the highest grade there is, 4 in
    TREC's gdeval; what is graded higher counts as that.
    """

    name: ClassVar[str] = "err"
    aliases: ClassVar[tuple[str, ...]] = ("expected_reciprocal_rank",)

    max_grade: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.max_grade <= 50:
            raise ValueError(f"max_grade is the highest grade, from 1 to 50, found {self.max_grade}")

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The expected reciprocal rank."""
        grades = np.clip(found.gains[:, :k], 0, self.max_grade)
        content = (np.exp2(grades) - 1) / 2.0**self.max_grade
        read_on = np.ones((len(content), content.shape[1] + 1))
        np.cumprod(1 - content, axis=1, out=read_on[:, 1:])
        values: Floats = (read_on[:, :-1] * content / np.arange(1, content.shape[1] + 1)).sum(axis=1)
        return values
