"""Charts of the page: where each point stands."""

import numpy as np
import pytest

from runner.rendering.svg_curves import COLOURS, draw, mark


def points(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


def test_a_score_of_0_stands_on_the_floor_and_1_at_the_top_along_a_logarithmic_k() -> None:
    panel = draw("all", 9, [1, 10, 100], {"bm25": np.array([0.0, 0.5, 1.0])})
    (first, middle, last) = points(panel.lines[0].points)
    assert (first[1], last[1]) == (panel.bottom, panel.top)
    assert middle[1] == pytest.approx((panel.top + panel.bottom) / 2)
    assert middle[0] == pytest.approx((first[0] + last[0]) / 2)
    assert panel.left < first[0] < last[0] < panel.right
    assert [tick.label for tick in panel.across] == ["1", "10", "100"]


def test_one_k_stands_in_the_middle() -> None:
    panel = draw("all", 9, [5], {"bm25": np.array([0.2])})
    assert points(panel.lines[0].points)[0][0] == pytest.approx((panel.left + panel.right) / 2)


def test_a_name_keeps_its_colour_where_another_has_no_line() -> None:
    panel = draw("all", 9, [1, 2], {"a": None, "b": np.array([0.1, 0.2])})
    assert [(line.name, line.style) for line in panel.lines] == [("b", 1)]


def test_lines_are_told_apart_by_their_marks_too() -> None:
    assert len({mark(number, 0, 0) for number in range(5)}) == 5
    many = draw("all", 9, [1], {str(number): np.array([0.5]) for number in range(COLOURS + 1)})
    assert many.lines[0].style == many.lines[COLOURS].style
    assert many.lines[0].marks != many.lines[COLOURS].marks
