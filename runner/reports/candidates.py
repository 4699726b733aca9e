"""Candidates at the terminal: the first as a table, clicks by rank, counts."""

from typing import TextIO

from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.candidates.candidate_list import CandidateList
from runner.rendering.console import console
from runner.rendering.visible import one_line

_MOST_ROWS = 20
_MOST_RANKS = 10
_GAP = 2


def print_candidates(found: CandidateList, stream: TextIO, most: int) -> None:
    """Print the first `most` candidates, 20 at the most, how clicks depend on the rank, the counts and the notes."""
    from rich.table import Table

    target = console(stream, paper=170)
    listed = found.candidates[: min(most, _MOST_ROWS)]
    if listed:
        table = Table(box=None, pad_edge=False)
        table.add_column("priority", justify="right", width=8)
        # One line a candidate: what does not fit is in the file.
        room = max(target.width - 8 - 3 * _GAP, 30)
        for name, share in (("query", 0.4), ("passage", 0.25), ("why", 0.35)):
            table.add_column(name, no_wrap=True, width=int(room * share))
        for each in listed:
            table.add_row(f"{each.priority:.3f}", _question(each), one_line(each.id or "-"), one_line(each.why))
        target.print(table)
    if len(found.candidates) > len(listed):
        target.print(f"... and {len(found.candidates) - len(listed):,} more")
    if found.by_rank:
        shown = [f"{each['rank']}: {each['ctr']:.3f} of {each['impressions']}" for each in found.by_rank[:_MOST_RANKS]]
        more = ", ..." if len(found.by_rank) > _MOST_RANKS else ""
        target.print(f"clicks by rank: {', '.join(shown)}{more}", soft_wrap=True)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.kinds().items() if count)
    target.print(f"candidates: {len(found.candidates):,}{f' ({kinds})' if kinds else ''}; none of them is a judgment")
    for note in found.notes:
        target.print(f"note: {one_line(note)}", soft_wrap=True)


def _question(candidate: JudgmentCandidate) -> str:
    turns = " / ".join((*candidate.history, candidate.text))
    return one_line(f"{candidate.query_id}: {turns}")
