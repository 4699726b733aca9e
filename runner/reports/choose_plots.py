"""The figures of a choice of k: each floored slice against k, and quality against latency with the Pareto front."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.decisions.smallest_k import LATENCY, Choice, Point, Selection, pareto_front
from runner.rendering.figures import COLOURS, MARKERS, boxes_for_missing_letters, new_figure, save_figure
from runner.rendering.visible import cut
from runner.rules.rule import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FLOORS, FRONT = "floors_at_k.png", "quality_latency.png"
_GREY = "#595959"
# Where a label may stand, in points from its marker, with its alignment; the first free place is taken.
_PLACES = (
    (8, 0, "left", "center"),
    (-8, 0, "right", "center"),
    (7, 7, "left", "bottom"),
    (7, -7, "left", "top"),
    (-7, 7, "right", "bottom"),
    (-7, -7, "right", "top"),
    (0, 10, "center", "bottom"),
    (0, -10, "center", "top"),
)


def draw_plots(selection: Selection, folder: Path) -> None:
    """Write both figures into a folder; that of latency only where some was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    with boxes_for_missing_letters():
        _draw_floors(selection, folder / FLOORS)
        if any(point.costs.get(LATENCY) is not None for choice in selection.choices for point in choice.points):
            _draw_front(selection, folder / FRONT)


def _draw_floors(selection: Selection, path: Path) -> None:
    """One panel a floor, one line a variant, the chosen k ringed."""
    rules = selection.choices[0].points[0].floors
    columns = min(3, len(rules))
    rows = -(-len(rules) // columns)
    legend_rows = -(-(len(selection.choices) + 3) // 3)
    below = 0.5 + 0.2 * legend_rows
    figure = new_figure(max(3.7 * columns, 5.2), 3.0 * rows + below)
    cells = figure.subplots(rows, columns, squeeze=False).ravel()
    for number, (axes, rule) in enumerate(zip(cells, rules, strict=False)):
        _draw_floor(axes, selection, number, rule)
    for axes in cells[len(rules) :]:
        axes.set_visible(False)
    _legend_below(figure, selection.choices, "floor")
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=0.62 / width,
        right=1 - 0.4 / width,
        top=1 - 0.55 / height,
        bottom=below / height,
        wspace=0.34,
        hspace=0.46,
    )
    save_figure(figure, path)


def _draw_floor(axes: "Axes", selection: Selection, number: int, first: Verdict) -> None:
    rule, ks = first.rule, sorted({point.k for choice in selection.choices for point in choice.points})
    for colour, marker, choice in _styled(selection.choices):
        drawn = [(point.k, each.value.value) for point in choice.points if (each := point.floors[number]).value]
        if not drawn:
            continue
        axes.plot(*zip(*drawn, strict=True), color=colour, marker=marker, markersize=5, linewidth=1.6, alpha=0.9)
        if choice.chosen is not None and (value := choice.chosen.floors[number].value):
            axes.plot(choice.chosen.k, value.value, **_ring(colour))
    blocks = rule.severity == "block"
    if rule.limit is not None:
        _draw_limit(axes, rule.limit, blocks)
    axes.set_xscale("log")
    axes.set_xticks(ks, [str(k) for k in ks], fontsize=8)
    axes.minorticks_off()
    axes.margins(x=0.08)
    axes.set_ylim(0, 1.03 * max(1.0, axes.get_ylim()[1] / 1.08))
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(alpha=0.25)
    axes.set_xlabel("k", fontsize=8)
    axes.set_ylabel(rule.measure, fontsize=8)
    title = textwrap.shorten(rule.name, 44, placeholder=" …")
    axes.set_title(f"{title}\n{cut(rule.where, 40)}  (n = {first.n})", fontsize=9, parse_math=False, linespacing=1.35)


def _draw_limit(axes: "Axes", limit: float, blocks: bool) -> None:
    colour = "black" if blocks else _GREY
    axes.axhline(limit, color=colour, linestyle="--" if blocks else ":", linewidth=1.1, zorder=1)
    # Outside the frame, where no curve can lie beneath it.
    axes.annotate(
        f"{limit:.2f}",
        (1, limit),
        xycoords=("axes fraction", "data"),
        xytext=(3, 0),
        textcoords="offset points",
        ha="left",
        va="center",
        fontsize=8,
        color=colour,
    )


def _draw_front(selection: Selection, path: Path) -> None:
    """Every variant at every k over its P95 latency; filled where feasible, the chosen ringed, the front labelled."""
    figure = new_figure(7.6, 5.0)
    axes = figure.subplots()
    timed: list[tuple[Choice, Point, float]] = []
    for colour, marker, choice in _styled(selection.choices):
        for point in choice.points:
            latency = point.costs.get(LATENCY)
            if latency is None:
                continue
            timed.append((choice, point, latency))
            face = colour if point.feasible else "white"
            axes.plot(
                latency, point.quality.value, marker=marker, markersize=7, color=colour, markerfacecolor=face, zorder=3
            )
            if point is choice.chosen:
                axes.plot(latency, point.quality.value, **_ring(colour))
    front = pareto_front([latency for *_, latency in timed], [point.quality.value for _, point, _ in timed])
    steps = [(timed[each][2], timed[each][1].quality.value) for each in front]
    axes.set_xscale("log")
    axes.margins(x=0.22, y=0.12)
    axes.autoscale_view()
    right, bottom = axes.get_xlim()[1], axes.get_ylim()[0]
    axes.step(
        [steps[0][0], *(x for x, _ in steps), right],
        [bottom, *(y for _, y in steps), steps[-1][1]],
        where="post",
        color=_GREY,
        linewidth=1.2,
        linestyle="-",
        zorder=2,
    )
    axes.set_xlim(axes.get_xlim()[0], right)
    axes.set_ylim(bottom, axes.get_ylim()[1])
    limit = selection.policy.budget.latency_p95_ms
    if limit is not None and axes.get_xlim()[0] < limit < right:
        axes.axvline(limit, color="black", linestyle="--", linewidth=1.1)
    axes.grid(alpha=0.25)
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("P95 latency of a query, ms", fontsize=9)
    axes.set_ylabel(f"{selection.metric} at k", fontsize=9)
    n = selection.choices[0].points[0].n
    axes.set_title(
        f"{selection.metric} against P95 latency  (n = {n}); the line is the Pareto front",
        fontsize=10,
        parse_math=False,
    )
    _legend_below(figure, selection.choices, "front")
    width, height = figure.get_size_inches()
    below = 0.52 + 0.2 * -(-(len(selection.choices) + 3) // 3)
    figure.subplots_adjust(left=0.65 / width, right=1 - 0.15 / width, top=1 - 0.4 / height, bottom=below / height)
    _label(figure, axes, timed, front, [steps[0], *steps, (right, steps[-1][1])], bottom)
    save_figure(figure, path)


def _label(
    figure: "Figure",
    axes: "Axes",
    timed: Sequence[tuple[Choice, Point, float]],
    front: Sequence[int],
    steps: Sequence[tuple[float, float]],
    bottom: float,
) -> None:
    """Name the points of the front in full, and of the others the k where there is room; no label covers another."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Bbox

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    spots = [axes.transData.transform((latency, point.quality.value)) for _, point, latency in timed]
    taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in spots]
    corners = axes.transData.transform([(steps[0][0], bottom), *steps])
    for (x0, y0), (x1, y1) in pairwise(corners):
        taken += [Bbox.from_extents(x0, y0 - 1, x1, y0 + 1), Bbox.from_extents(x1 - 1, y0, x1 + 1, y1)]
    frame = axes.get_window_extent(renderer)
    for each in [*front, *(number for number in range(len(timed)) if number not in front)]:
        choice, point, latency = timed[each]
        bold = each in front
        room = 1.3 if point is choice.chosen else 1.0  # outside the ring
        text = f"{cut(choice.variant.name, 28)} k={point.k}" if bold else f"k={point.k}"
        for x, y, horizontal, vertical in _PLACES:
            label = axes.annotate(
                text,
                (latency, point.quality.value),
                xytext=(x * room, y * room),
                textcoords="offset points",
                ha=horizontal,
                va=vertical,
                fontsize=8 if bold else 7,
                color="black" if bold else _GREY,
                fontweight="bold" if bold else "normal",
                parse_math=False,
                zorder=7,
            )
            box = label.get_window_extent(renderer)
            inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            label.remove()


def _styled(choices: Sequence[Choice]) -> Iterator[tuple[str, str, Choice]]:
    for number, choice in enumerate(choices):
        yield COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)], choice


def _ring(colour: str) -> dict[str, Any]:
    return {
        "marker": "o",
        "markersize": 13,
        "markerfacecolor": "none",
        "markeredgecolor": colour,
        "markeredgewidth": 1.8,
        "linestyle": "none",
        "zorder": 5,
    }


def _legend_below(figure: "Figure", choices: Sequence[Choice], kind: str) -> None:
    """One legend for all panels: the variants with what was chosen, then what the marks mean."""
    from matplotlib.lines import Line2D

    entries: list[tuple[Line2D, str]] = []
    for colour, marker, choice in _styled(choices):
        outcome = f"k={choice.chosen.k}" if choice.chosen else "none feasible"
        entries.append(
            (
                Line2D([], [], color=colour, marker=marker, linewidth=1.6 if kind == "floor" else 0),
                f"{cut(choice.variant.name, 28)}: {outcome}",
            )
        )
    entries.append((Line2D([], [], **{**_ring("black"), "markersize": 10}), "chosen k"))
    if kind == "front":
        hollow = Line2D([], [], color=_GREY, marker="o", linestyle="none", markerfacecolor="white")
        entries.append((hollow, "a floor is missed, or over budget"))
        entries.append((Line2D([], [], color=_GREY, linewidth=1.2), "Pareto front"))
    else:
        entries.append((Line2D([], [], color="black", linestyle="--", linewidth=1.1), "floor"))
        if any(each.rule.severity != "block" for each in choices[0].points[0].floors):
            entries.append((Line2D([], [], color=_GREY, linestyle=":", linewidth=1.1), "floor that only warns"))
    legend = figure.legend(
        [handle for handle, _ in entries],
        [" "] * len(entries),
        loc="lower center",
        ncols=min(3, len(entries)),
        frameon=False,
        fontsize=8,
        columnspacing=1.4,
        handletextpad=0.5,
    )
    for text, (_, name) in zip(legend.get_texts(), entries, strict=True):
        text.set_parse_math(False)
        text.set_text(name)
