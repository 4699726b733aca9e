"""The figure of a trend: one dot a run with its interval, joined only where two dots measure the same thing."""

import textwrap
from collections.abc import Mapping, Sequence
from math import cos, radians, sin
from pathlib import Path
from typing import IO, TYPE_CHECKING

from runner.decisions.trend import Trend, TrendPoint
from runner.rendering.figures import COLOURS, new_figure, save_figure
from runner.rendering.visible import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GREY = "#595959"
_BLUE, _RED = COLOURS[0], COLOURS[1]
_MOST_NAMED = 40
_LONGEST = 26
_MARK_ANGLE, _NAME_ANGLE = 60, 50
# In inches: from run to run, and what all of them take at most.
_STEP, _WIDEST = 0.34, 24.0


def draw_trend(trend: Trend, path: Path | IO[bytes]) -> None:
    """Write the figure as PNG; its runs stand at equal distances, however far apart in time."""
    number = len(trend.points)
    names, marks = _names(trend), _marks(trend)
    # All in inches: what the slanted words take on each side.
    above = max((_length(mark) for mark in marks.values()), default=0.0) * sin(radians(_MARK_ANGLE))
    below = max(map(_length, names)) * sin(radians(_NAME_ANGLE))
    step = min(_STEP, _WIDEST / number)
    leftward = [_length(name) * cos(radians(_NAME_ANGLE)) - place * step + 0.1 for place, name in enumerate(names)]
    rightward = [_length(mark) * cos(radians(_MARK_ANGLE)) - (number - place) * step for place, mark in marks.items()]
    left, right = max(0.65, *leftward), max(0.35, 0.0, *rightward)
    figure = new_figure(max(6.4, left + right + 0.4 + step * number), 3.6 + above + below)
    axes = figure.subplots()
    _draw_points(axes, trend)
    _draw_marks(axes, marks)
    _label_runs(axes, names)
    axes.set_xlim(-0.7, number - 0.3)
    axes.set_ylim(*_range(trend))
    axes.set_ylabel(_quantity(trend), fontsize=9, parse_math=False)
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(axis="y", alpha=0.25)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    width, height = figure.get_size_inches()
    title = textwrap.shorten(f"{trend.suite}: {trend.measure}", int(width * 11), placeholder=" …")
    figure.text(0.12 / width, 1 - 0.12 / height, title, fontsize=11, va="top", parse_math=False)
    figure.text(0.12 / width, 1 - 0.34 / height, _key(trend), fontsize=7.5, va="top", color=_GREY)
    figure.subplots_adjust(
        left=left / width, right=1 - right / width, top=1 - (0.68 + above) / height, bottom=(0.2 + below) / height
    )
    save_figure(figure, path)


def _draw_points(axes: "Axes", trend: Trend) -> None:
    for line in trend.lines():
        values = [point.value.value for point in map(trend.points.__getitem__, line) if point.value]
        axes.plot(line, values, color=_BLUE, linewidth=1.5, zorder=2)
    for number, point in enumerate(trend.points):
        if point.value is None:
            continue
        colour = _GREY if point.accepted.undone else _RED if point.accepted.verdict == "blocked" else _BLUE
        below, above = point.value.value - point.value.low, point.value.high - point.value.value
        axes.errorbar(
            number,
            point.value.value,
            yerr=[[max(below, 0.0)], [max(above, 0.0)]],
            color=colour,
            linewidth=1.0,
            capsize=2.5,
            alpha=0.75,
            zorder=3,
        )
        marker, face = _marker(point)
        axes.plot(number, point.value.value, marker, color=colour, markerfacecolor=face, markersize=6, zorder=4)


def _marker(point: TrendPoint) -> tuple[str, str]:
    if point.accepted.undone:
        return "x", _GREY
    return {"passed": ("o", _BLUE), "blocked": ("s", _RED)}.get(point.accepted.verdict, ("o", "white"))


def _key(trend: Trend) -> str:
    """What the signs mean, of those that are there."""
    verdicts = {point.accepted.verdict for point in trend.points if not point.accepted.undone}
    signs = {"passed": "● gate passed", "blocked": "■ gate blocked", "not gated": "○ not gated"}
    shown = [sign for verdict, sign in signs.items() if verdict in verdicts]
    shown += ["× taken back"] if any(point.accepted.undone for point in trend.points) else []
    shown.append(f"bars: {trend.measure.level:.0%} interval")
    if trend.segment_numbers[-1]:
        shown.append("dashed: not the same measurement any more")
    return "   ".join(shown)


def _marks(trend: Trend) -> dict[int, str]:
    """By the number of the point after it, what every break of the line says."""
    return {
        number: ", ".join(f"{change.what.removeprefix('suite ')} {change.now}" for change in point.changes)
        for number, point in enumerate(trend.points)
        if point.changes
    }


def _draw_marks(axes: "Axes", marks: Mapping[int, str]) -> None:
    for number, named in marks.items():
        axes.axvline(number - 0.5, color=_GREY, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        axes.annotate(
            named,
            (number - 0.5, 1),
            xycoords=("data", "axes fraction"),
            xytext=(2, 2),
            textcoords="offset points",
            rotation=_MARK_ANGLE,
            rotation_mode="anchor",
            ha="left",
            va="bottom",
            fontsize=6.5,
            color=_GREY,
            parse_math=False,
        )


def _names(trend: Trend) -> list[str]:
    names = []
    for point in trend.points:
        names.append(f"{point.accepted.at[:10]} {cut(str(point.accepted.run.info.run_name), _LONGEST)}")
    return names


def _label_runs(axes: "Axes", names: Sequence[str]) -> None:
    places = range(0, len(names), -(-len(names) // _MOST_NAMED))
    axes.set_xticks(list(places), [names[place] for place in places], fontsize=7)
    for label in axes.get_xticklabels():
        label.set(rotation=_NAME_ANGLE, ha="right", va="top", rotation_mode="anchor")
        label.set_parse_math(False)


def _length(text: str) -> float:
    """About how long, in inches, a line of the small text of marks and names is."""
    return 0.061 * sum(2 if ord(each) > 0x2E7F else 1 for each in text)


def _range(trend: Trend) -> tuple[float, float]:
    """From below the lowest bar to above the highest, within what a metric can be."""
    values = [point.value for point in trend.points if point.value]
    low, high = min(each.low for each in values), max(each.high for each in values)
    pad = max(0.02, 0.12 * (high - low))
    return max(-0.02, low - pad), min(1.02, high + pad)


def _quantity(trend: Trend) -> str:
    k = trend.measure.depth_of_cut
    return trend.measure.metric if k is None else f"{trend.measure.metric} at k={k}"
