"""How often does the relevant stand above what was judged irrelevant, whatever nobody judged?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, over
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class Bpref(Metric):
    """Mean over all of R of 1 - n / min(|R|, |N|), 0 where not found (Buckley and Voorhees 2004, as in trec_eval).

    N are those judged and not relevant, n how many of them stand above, at most min(|R|, |N|). Of spans, n are the
    passages above of which something is known and which, by then, show nothing relevant.
    """

    name: ClassVar[str] = "bpref"
    over_depth: ClassVar[bool] = True
    takes_cutoff: ClassVar[bool] = False

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The mean preference."""
        relevant = found.judgments.relevant_counts
        most = np.minimum(relevant, found.judgments.irrelevant_counts)
        queries, ranks = found.relevant_ranks
        above = np.minimum(found.irrelevant[queries, ranks], most[queries])
        preferred = 1 - np.divide(above, most[queries], out=np.zeros(len(above)), where=most[queries] > 0)
        return over(np.bincount(queries, preferred, len(relevant)), relevant)
