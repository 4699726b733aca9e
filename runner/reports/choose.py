"""A choice of k as a person and as a machine reads it: terminal, Markdown, JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from runner.decisions.gating import Estimate, Verdict
from runner.decisions.smallest_k import COSTS, Choice, Cost, Point, Selection
from runner.files.atomic import replace_files
from runner.rendering.json_text import json_text
from runner.rendering.markdown import bullets, document, escape, markdown_table
from runner.rendering.terminal import show, terminal_table
from runner.rules.policy import Rule

if TYPE_CHECKING:
    from rich.table import Table

_HEADERS = {"context_tokens": "context tokens", "latency_p95_ms": "p95 ms", "reranked_pairs": "pairs a query"}
_CHOSEN = "<- chosen"


def write_reports(selection: Selection, folder: Path) -> None:
    """Write choose.md and choose.json into a folder."""
    values = json_text(choose_values(selection))
    replace_files(folder, {"choose.md": choose_markdown(selection), "choose.json": values})


def print_selection(selection: Selection, stream: TextIO) -> None:
    """Print the demands, the curve of each variant with its verdict, and the cheapest choice of all."""
    show(_shown(selection), stream, paper=170)


def _shown(selection: Selection) -> "Iterator[str | Table]":
    yield from _demands(selection)
    for choice in selection.choices:
        yield terminal_table(
            _header(selection),
            [_cells(choice, point) for point in choice.points],
            left=["floors"],
            fold=["floors"],
            bold=[number for number, point in enumerate(choice.points) if point is choice.chosen],
            title=choice.candidate.name,
        )
        yield verdict_line(choice)
    yield headline(selection)


def headline(selection: Selection) -> str:
    """The cheapest choice of all variants, or that there is none."""
    best = selection.cheapest
    if best is None or best.chosen is None:
        count = len(selection.choices)
        return f"none feasible: no variant of {count} meets gate {selection.policy.name} within its budget"
    costs = ", ".join(f"{_HEADERS[cost.name]} {_amount(cost.value)}" for cost in best.chosen.costs)
    quality = f"{selection.metric} {_interval(best.chosen.quality)}"
    return f"cheapest: {best.candidate.name} k={best.chosen.k} ({quality}; {costs}){_doubt(best)}"


def verdict_line(choice: Choice) -> str:
    """What was chosen for one variant with what bound it, or the nearest miss."""
    name = choice.candidate.name
    if choice.chosen is None:
        near = choice.nearest
        missed = [_missed(each) for each in near.unmet] + [_exceeded(cost) for cost in near.over]
        return f"{name}: none feasible: nearest at k={near.k}, where {' and '.join(missed)}"
    below = [point for point in choice.points if point.k < choice.chosen.k]
    if choice.binding:
        slices = f"binding slice {choice.binding[0].rule.slice}: at k={below[-1].k} {_missed(choice.binding[0])}"
        others = [repr(each.rule.name) for each in choice.binding[1:]]
        slices += f" (and {', '.join(others)})" if others else ""
    else:
        slices = "binding slice none: the smallest k of the sweep meets every floor already"
    if choice.stop is not None:
        budget = f"binding budget {choice.stop[1].name}: at k={choice.stop[0].k} {_exceeded(choice.stop[1])}"
    else:
        budget = "binding budget none within the sweep"
    return f"{name}: k={choice.chosen.k}; {slices}; {budget}{_doubt(choice)}"


def _doubt(choice: Choice) -> str:
    """What the policy lets go at the chosen k, and the k from which nothing is left open."""
    if choice.chosen is None or not choice.chosen.undecided:
        return ""
    open_ = ", ".join(
        f"{each.rule.name!r} {_interval(each.value)} of {each.rule.min:.3f}"
        for each in choice.chosen.undecided
        if each.value
    )
    few = [each.rule.name for each in choice.chosen.undecided if not each.value]
    open_ = ", ".join(part for part in (open_, *map(repr, few)) if part)
    sure = f"passed from k={choice.sure.k}" if choice.sure else "passed at no k of the sweep"
    return f"; let go as undecided: {open_}; every floor is {sure}"


def choose_markdown(selection: Selection) -> str:
    """The whole selection as Markdown."""
    parts = [
        "# Smallest k",
        f"**{escape(headline(selection))}**",
        bullets(map(escape, _demands(selection))),
    ]
    header = _header(selection)
    for choice in selection.choices:
        rows = [list(map(escape, _cells(choice, point))) for point in choice.points]
        parts += [f"## {escape(choice.candidate.name)}", markdown_table(header, rows), escape(verdict_line(choice))]
    return document(parts)


def choose_values(selection: Selection) -> dict[str, Any]:
    """The whole selection as JSON values."""
    best = selection.cheapest
    return {
        "policy": selection.policy.model_dump(mode="json"),
        "metric": selection.metric,
        "cheapest": None
        if best is None or best.chosen is None
        else {"variant": best.candidate.name, "k": best.chosen.k},
        "variants": [
            {
                "variant": choice.candidate.name,
                "chosen": choice.chosen.k if choice.chosen else None,
                "verdict": verdict_line(choice),
                "binding": [each.rule.name for each in choice.binding],
                "budget": {"k": choice.stop[0].k, "cost": choice.stop[1].name} if choice.stop else None,
                "every_floor_passed_from": choice.sure.k if choice.sure else None,
                "nearest": None if choice.chosen else choice.nearest.k,
                "points": [_point_values(point) for point in choice.points],
            }
            for choice in selection.choices
        ],
    }


def _point_values(point: Point) -> dict[str, Any]:
    return {
        "k": point.k,
        "n": point.n,
        "quality": asdict(point.quality),
        "feasible": point.feasible,
        "floors": [
            {
                "rule": each.rule.name,
                "outcome": each.outcome,
                "stops": each in point.unmet,
                "n": each.n,
                "value": asdict(each.value) if each.value else None,
            }
            for each in point.verdicts
        ],
        "costs": {cost.name: cost.value for cost in point.costs},
        "over_budget": [cost.name for cost in point.over],
    }


def _demands(selection: Selection) -> list[str]:
    rules = [rule for rule in selection.policy.rules if rule.min is not None]
    limits = [f"{name} at most {_amount(limit)}" for name in COSTS if (limit := getattr(selection.policy.budget, name))]
    first = selection.choices[0].candidate.scores
    return [
        f"suite {first.run.params['suite']} (n = {len(first.query_ids)}), gate {selection.policy.name}: "
        "every floor is judged at every k of the sweep",
        *(f"floor {_demand(rule)}" for rule in rules),
        f"budget: {', '.join(limits) or 'no limit'}; ! is over; lengths are estimates, in words and Han characters",
    ]


def _demand(rule: Rule) -> str:
    weak = "" if rule.severity == "block" else f" ({rule.severity} only)"
    return f"{rule.name!r}: {rule.metric} of {rule.slice} at least {rule.min:.3f}{weak}"


def _header(selection: Selection) -> list[str]:
    return ["k", selection.metric, "n", "floors", *(_HEADERS[name] for name in COSTS), ""]


def _cells(choice: Choice, point: Point) -> list[str]:
    costs = [_amount(cost.value) + ("" if cost.within else "!") for cost in point.costs]
    mark = _CHOSEN if point is choice.chosen else ""
    return [str(point.k), _interval(point.quality), str(point.n), _floors(point), *costs, mark]


def _floors(point: Point) -> str:
    blocking = [each for each in point.verdicts if each.rule.severity == "block"]
    text = f"{sum(each.outcome == 'pass' for each in blocking)} of {len(blocking)} passed"
    if point.unmet:
        text += "; missed: " + ", ".join(_missed(each) for each in point.unmet)
    if point.undecided:
        text += f"; undecided: {', '.join(each.rule.name for each in point.undecided)}"
    warned = [each for each in point.verdicts if each.outcome != "pass" and each.rule.severity != "block"]
    if warned:
        text += f"; warned: {', '.join(each.rule.name for each in warned)}"
    return text


def _missed(verdict: Verdict) -> str:
    rule, value = verdict.rule, verdict.value
    assert rule.min is not None
    if value is None or verdict.n < rule.min_queries:
        return f"{rule.name!r} has {verdict.n} of at least {rule.min_queries} queries"
    if verdict.outcome == "fail":
        return f"{rule.name!r} has {value.value:.3f} of {rule.min:.3f} ({rule.min - value.value:.3f} short)"
    return f"{rule.name!r} has {_interval(value)}, undecided against {rule.min:.3f} ({rule.min - value.low:.3f} short)"


def _exceeded(cost: Cost) -> str:
    if cost.value is None or cost.limit is None:
        return f"{cost.name} was not measured, so it cannot be held to {_amount(cost.limit)}"
    return f"{cost.name} is {_amount(cost.value)} of {_amount(cost.limit)} ({_amount(cost.value - cost.limit)} over)"


def _interval(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _amount(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
