"""Recall against k as line charts for a page: every coordinate worked out here, so that a template only places them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 12, 8, 24
_SIZE = 3.4
COLOURS = 7
_SHAPES = 5


@dataclass(frozen=True)
class Polyline:
    """points: of a polyline. marks: path data of one shape a point. style: number of the line's colour."""

    name: str
    points: str
    marks: str
    style: int


@dataclass(frozen=True)
class Tick:
    """at: a coordinate along its axis. label: what stands there."""

    at: float
    label: str


@dataclass(frozen=True)
class Panel:
    """A chart with its title; sizes and coordinates in CSS pixels."""

    title: str
    n: int
    width: int
    height: int
    left: int
    right: float
    top: int
    bottom: float
    lines: tuple[Polyline, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


def draw(
    title: str, n: int, ks: Sequence[int], lines: Mapping[str, Floats | None], width: int = 300, height: int = 190
) -> Panel:
    """Lay out one line a name over a logarithmic k and a score from 0 to 1; values: float64 [ks], or None for no line.

    A name keeps its colour and mark whether or not the others have a line.
    """
    right, bottom = width - _RIGHT, height - _BOTTOM
    low, high = math.log(ks[0]), math.log(ks[-1])

    def x(k: int) -> float:
        return _LEFT + 8 + (right - _LEFT - 16) * ((math.log(k) - low) / (high - low) if high > low else 0.5)

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * value

    drawn = []
    for number, (name, values) in enumerate(lines.items()):
        if values is None:
            continue
        places = [(x(k), y(float(value))) for k, value in zip(ks, values, strict=True)]
        points = " ".join(f"{across:.1f},{up:.1f}" for across, up in places)
        marks = "".join(mark(number, across, up) for across, up in places)
        drawn.append(Polyline(name, points, marks, number % COLOURS))
    return Panel(
        title,
        n,
        width,
        height,
        _LEFT,
        right,
        _TOP,
        bottom,
        tuple(drawn),
        tuple(Tick(x(k), str(k)) for k in ks),
        tuple(Tick(y(value), f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    )


def mark(number: int, x: float, y: float) -> str:
    """Path data of the mark that tells a line without its colour."""
    s = _SIZE
    shape = number % _SHAPES
    if shape == 0:
        return f"M{x - s:.1f} {y:.1f}a{s} {s} 0 1 0 {2 * s} 0a{s} {s} 0 1 0 {-2 * s} 0z"
    if shape == 1:
        return f"M{x - s:.1f} {y - s:.1f}h{2 * s}v{2 * s}h{-2 * s}z"
    if shape == 2:
        d = round(1.3 * s, 1)
        return f"M{x:.1f} {y - d:.1f}l{d} {d}l{-d} {d}l{-d} {-d}z"
    if shape == 3:
        return f"M{x:.1f} {y - 1.2 * s:.1f}l{1.2 * s:.1f} {2.2 * s:.1f}h{-2.4 * s:.1f}z"
    return f"M{x:.1f} {y + 1.2 * s:.1f}l{1.2 * s:.1f} {-2.2 * s:.1f}h{-2.4 * s:.1f}z"
