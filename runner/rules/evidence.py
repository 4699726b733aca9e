"""What a rule may look at: the scores of a run query by query, those of its baseline, and what the run measured."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from runner.scoring.judgments import Floats


class ScoredRun(Protocol):
    """The scores of one run.

    query_ids: its judged, answerable queries, sorted. sources: by query, the least trusted of who judged it and its
    judgments. settled: bool [queries], whether nobody disagrees about it. slice_names: `field.value`.
    """

    @property
    def id(self) -> str: ...

    @property
    def query_ids(self) -> tuple[str, ...]: ...

    @property
    def sources(self) -> tuple[str, ...]: ...

    @property
    def settled(self) -> NDArray[np.bool_]: ...

    @property
    def slice_names(self) -> Sequence[str]: ...

    @property
    def k(self) -> int:
        """The cut that the run was logged at."""
        ...

    @property
    def depth(self) -> int:
        """How far its rankings go, so the largest k there is."""
        ...

    def values(self, metric: str, k: int) -> Floats:
        """A metric of every query at k, float64 [queries] in [0, 1]."""
        ...

    def members(self, group: str) -> NDArray[np.bool_]:
        """Which queries a slice holds, all for "", bool [queries]."""
        ...


@dataclass(frozen=True)
class Evidence:
    """What a policy is judged by.

    baseline: the run to compare with, scored on the same queries; None where none is accepted. earlier_slices: what
    the accepted baseline was sliced by. measurements: what the run logged of itself, such as `latency_p95_ms`.
    resamples, seed: of the bootstrap, so that the same evidence gives the same verdict.
    """

    run: ScoredRun
    baseline: ScoredRun | None = None
    earlier_slices: Collection[str] = ()
    measurements: Mapping[str, float] = field(default_factory=dict)
    resamples: int = 10_000
    seed: int = 13
