"""Agreement as a person reads it at the terminal."""

from collections.abc import Iterator
from typing import TextIO

from runner.annotation.agreement import Agreement, AgreementRow, Disagreement
from runner.rendering.terminal import show, terminal_table
from runner.rendering.visible import one_line

MOST_LISTED = 20
_MOST_CHARACTERS = 240
_COLUMNS = ("slice", "raters", "pairs", "raw", "kappa", "weighted", "alpha", "ordinal")
_TEXTS = _COLUMNS[:2]
_FOR_GRADES = ("weighted", "ordinal")


def print_agreement(agreement: Agreement, stream: TextIO, most: int = MOST_LISTED) -> None:
    """Print the table of coefficients, what is undefined and why, and the pairs on which raters differ."""
    columns = [name for name in _COLUMNS if agreement.graded or name not in _FOR_GRADES]
    rows = [[cells[name] for name in columns] for cells in map(_cells, agreement.lines)]
    table = terminal_table(columns, rows, left=_TEXTS, fold=_TEXTS)
    show([table, *_notes(agreement), *_differing(agreement, most)], stream, paper=120)


def _cells(line: AgreementRow) -> dict[str, str]:
    two = len(line.raters) == 2
    return {
        "slice": one_line(line.group),
        "raters": one_line(" and ".join(line.raters)) if two else f"all {len(line.raters)}",
        "pairs": str(line.n),
        "raw": _number(line.raw),
        "kappa": _number(line.kappa) if two else "",
        "weighted": _number(line.weighted_kappa) if two else "",
        "alpha": _number(line.alpha),
        "ordinal": _number(line.ordinal_alpha),
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _notes(agreement: Agreement) -> Iterator[str]:
    ratings = agreement.ratings
    alone = len(ratings.pairs) - agreement.lines[0].n
    if alone:
        yield f"judged by one rater only, and in no figure: {alone}"
    if ratings.adjudicated:
        yield f"adjudications, left out since they settle what raters said: {ratings.adjudicated}"
    if any(line.alpha is None for line in agreement.lines):
        yield "- is undefined: all gave one and the same grade there, so chance alone would agree as well"
    if agreement.graded:
        yield "weighted (linear) and ordinal count a difference by its size, kappa and alpha count every one alike"
    if len(ratings.raters) > 2:
        yield "kappa is of two raters, alpha of any number"


def _differing(agreement: Agreement, most: int) -> Iterator[str]:
    differing = agreement.disagreements
    yield f"\ngraded differently: {len(differing)} of {agreement.lines[0].n}"
    for each in differing[:most]:
        yield from _disagreement(each)
    if len(differing) > most:
        yield f"... and {len(differing) - most} more (most=N lists more)"


def _disagreement(each: Disagreement) -> Iterator[str]:
    said = ", ".join(
        f"{one_line(rater)} {grade}" + (f" ({one_line(each.notes[rater])})" if rater in each.notes else "")
        for rater, grade in each.grades.items()
    )
    yield f"  {one_line(each.row.query_id)}  {one_line(each.row.id)}: {said}"
    question = one_line(" / ".join([*each.row.history, each.row.text]), _MOST_CHARACTERS)
    passage = one_line(f"{each.row.passage_title} {each.row.passage_text}".strip(), _MOST_CHARACTERS)
    if question:
        yield f"      asked: {question}"
    if passage:
        yield f"      judged: {passage}"
