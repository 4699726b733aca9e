"""A choice of k as a person and as a machine reads it: terminal, Markdown, JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from runner.decisions.smallest_k import Choice, Point, Selection
from runner.files.atomic import replace_files
from runner.files.strict_json import json_text
from runner.rendering.markdown import bullets, document, escape, markdown_table
from runner.rendering.terminal import show, terminal_table
from runner.rules.estimate import Estimate
from runner.rules.policy import COSTS
from runner.rules.rule import Rule

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
            title=choice.variant.name,
        )
        yield verdict_line(choice)
    yield headline(selection)


def headline(selection: Selection) -> str:
    """The cheapest choice of all variants, or that there is none."""
    best = selection.cheapest
    if best is None or best.chosen is None:
        count = len(selection.choices)
        return f"none feasible: no variant of {count} meets gate {selection.policy.name} within its budget"
    costs = ", ".join(f"{_HEADERS[cost]} {_amount(best.chosen.costs.get(cost))}" for cost in COSTS)
    quality = f"{selection.metric} {_interval(best.chosen.quality)}"
    return f"cheapest: {best.variant.name} k={best.chosen.k} ({quality}; {costs}){_doubt(best)}"


def verdict_line(choice: Choice) -> str:
    """What was chosen for one variant with what bound it, or the nearest miss."""
    name = choice.variant.name
    if choice.chosen is None:
        near = choice.nearest
        missed = [each.rule.missed(each) for each in (*near.unmet, *near.over)]
        return f"{name}: none feasible: nearest at k={near.k}, where {' and '.join(missed)}"
    below = [point for point in choice.points if point.k < choice.chosen.k]
    if choice.binding:
        first = choice.binding[0]
        slices = f"binding slice {first.rule.where}: at k={below[-1].k} {first.rule.missed(first)}"
        others = [repr(each.rule.name) for each in choice.binding[1:]]
        slices += f" (and {', '.join(others)})" if others else ""
    else:
        slices = "binding slice none: the smallest k of the sweep meets every floor already"
    if choice.stop is not None:
        point, over = choice.stop
        budget = f"binding budget {over.rule.measure}: at k={point.k} {over.rule.missed(over)}"
    else:
        budget = "binding budget none within the sweep"
    return f"{name}: k={choice.chosen.k}; {slices}; {budget}{_doubt(choice)}"


def _doubt(choice: Choice) -> str:
    """What the policy lets go at the chosen k, and the k from which nothing is left open."""
    if choice.chosen is None or not choice.chosen.undecided:
        return ""
    open_ = ", ".join(
        f"{each.rule.name!r} {_interval(each.value)} of {each.rule.limit:.3f}"
        for each in choice.chosen.undecided
        if each.value and each.rule.limit is not None
    )
    few = [each.rule.name for each in choice.chosen.undecided if not each.value or each.rule.limit is None]
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
        parts += [f"## {escape(choice.variant.name)}", markdown_table(header, rows), escape(verdict_line(choice))]
    return document(parts)


def choose_values(selection: Selection) -> dict[str, Any]:
    """The whole selection as JSON values."""
    best = selection.cheapest
    return {
        "policy": selection.policy.model_dump(mode="json"),
        "metric": selection.metric,
        "cheapest": None if best is None or best.chosen is None else {"variant": best.variant.name, "k": best.chosen.k},
        "variants": [
            {
                "variant": choice.variant.name,
                "chosen": choice.chosen.k if choice.chosen else None,
                "verdict": verdict_line(choice),
                "binding": [each.rule.name for each in choice.binding],
                "budget": {"k": choice.stop[0].k, "cost": choice.stop[1].rule.measure} if choice.stop else None,
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
            for each in point.floors
        ],
        "costs": {cost: point.costs.get(cost) for cost in COSTS},
        "over_budget": [each.rule.measure for each in point.over],
    }


def _demands(selection: Selection) -> list[str]:
    policy = selection.policy
    rules = [rule for rule in policy.rules if not rule.ceiling and rule.at(1) is not None]
    limits = [rule.demand + _weak(rule) for rule in (*policy.rules, *policy.budget.rules) if rule.ceiling]
    first = selection.choices[0].variant.scores
    return [
        f"suite {first.run.params['suite']} (n = {len(first.query_ids)}), gate {policy.name}: "
        "every floor is judged at every k of the sweep",
        *(f"floor {rule.name!r}: {rule.demand}{_weak(rule)}" for rule in rules),
        f"budget: {', '.join(limits) or 'no limit'}; ! is over; lengths are estimates, in words and Han characters",
    ]


def _weak(rule: Rule) -> str:
    return "" if rule.severity == "block" else f" ({rule.severity} only)"


def _header(selection: Selection) -> list[str]:
    return ["k", selection.metric, "n", "floors", *(_HEADERS[name] for name in COSTS), ""]


def _cells(choice: Choice, point: Point) -> list[str]:
    over = {each.rule.measure for each in point.over}
    costs = [_amount(point.costs.get(cost)) + "!" * (cost in over) for cost in COSTS]
    mark = _CHOSEN if point is choice.chosen else ""
    return [str(point.k), _interval(point.quality), str(point.n), _floors(point), *costs, mark]


def _floors(point: Point) -> str:
    blocking = [each for each in point.floors if each.rule.severity == "block"]
    text = f"{sum(each.outcome == 'pass' for each in blocking)} of {len(blocking)} passed"
    if point.unmet:
        text += "; missed: " + ", ".join(each.rule.missed(each) for each in point.unmet)
    beyond = [each for each in point.over if each.rule.measure not in COSTS]
    if beyond:
        text += "; over: " + ", ".join(each.rule.missed(each) for each in beyond)
    if point.undecided:
        text += f"; undecided: {', '.join(each.rule.name for each in point.undecided)}"
    warned = [each for each in point.verdicts if each.outcome != "pass" and each.rule.severity != "block"]
    if warned:
        text += f"; warned: {', '.join(each.rule.name for each in warned)}"
    return text


def _interval(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _amount(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
