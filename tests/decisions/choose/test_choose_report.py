"""What a person and a machine read of a choice, and its figures."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from choose_scores import floor, policy, scores, variant

from runner.decisions.smallest_k import Selection, choose
from runner.reports.choose import choose_markdown, headline, print_selection, verdict_line, write_reports
from runner.reports.choose_plots import FLOORS, FRONT, draw_plots

RUN = scores([1] * 30 + [4] * 10, {"change.removed": range(30, 40)})
REMOVED = floor("change.removed")


def made(*rules: dict[str, Any], name: str = "bm25", **values: Any) -> Selection:
    return choose(policy(*(rules or (floor(), REMOVED)), **values), [variant(RUN, name)])


def line(selection: Selection) -> str:
    return verdict_line(selection.choices[0])


def test_the_chosen_k_is_told_with_the_binding_slice_and_the_binding_budget() -> None:
    assert line(made(budget={"context_tokens": 800})) == (
        "bm25: k=5; binding slice change.removed: at k=3 'floor of change.removed' has 0.000 of 0.500 (0.500 short); "
        "binding budget context_tokens: at k=10 context_tokens is 1,000 of 800 (200 over)"
    )


def test_where_nothing_binds_that_is_told() -> None:
    assert line(made(floor())) == (
        "bm25: k=1; binding slice none: the smallest k of the sweep meets every floor already; "
        "binding budget none within the sweep"
    )


def test_none_feasible_names_the_nearest_miss_by_how_much() -> None:
    selection = made(budget={"context_tokens": 400})
    assert line(selection) == ("bm25: none feasible: nearest at k=5, where context_tokens is 500 of 400 (100 over)")
    assert headline(selection) == "none feasible: no variant of 1 meets gate release within its budget"


def test_a_floor_with_too_few_queries_says_so() -> None:
    selection = made(floor("change.removed", min_queries=11), inconclusive="block")
    assert line(selection).endswith("where 'floor of change.removed' has 10 of at least 11 queries")


def test_what_the_policy_lets_go_is_told_beside_the_choice() -> None:
    selection = choose(policy(floor(least=0.6)), [variant(scores([1] * 12 + [2] * 8))])
    assert "let go as undecided: 'floor of all' 0.600 [" in headline(selection)
    assert headline(selection).endswith("of 0.600; every floor is passed from k=3")


def test_the_cheapest_is_told_with_its_costs() -> None:
    text = headline(made())
    assert text.startswith("cheapest: bm25 k=5 (recall 1.000 [")
    assert text.endswith("context tokens 500, p95 ms 2, pairs a query 0)")


def test_the_printed_curve_has_a_line_a_k_with_n_and_the_choice_marked() -> None:
    stream = io.StringIO()
    print_selection(made(budget={"context_tokens": 800}, name="檢索 [bold]x[/bold]"), stream)
    text = stream.getvalue()
    assert "檢索 [bold]x[/bold]" in text
    assert "1 of 2 passed; missed: 'floor of change.removed' has 0.000 of 0.500" in text
    (chosen,) = [row for row in text.splitlines() if "<- chosen" in row]
    assert chosen.split()[0] == "5" and " 40 " in chosen
    assert "1,000!" in text


def test_markdown_keeps_names_as_they_are_written() -> None:
    rule = {**floor(), "name": "a|b <script>"}
    text = choose_markdown(made(rule, name="x|y"))
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "## x\\|y" in text


def test_the_reports_are_written_in_any_script(tmp_path: Path) -> None:
    write_reports(made({**floor(), "name": "整體"}), tmp_path / "new")
    values = json.loads((tmp_path / "new/choose.json").read_text("utf-8"))
    assert values["cheapest"] == {"variant": "bm25", "k": 1}
    assert values["variants"][0]["points"][0]["floors"][0]["rule"] == "整體"
    assert "整體" in (tmp_path / "new/choose.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["bm25", "檢索", "$\\bad{10$", "_hidden", "問題" * 60, "a\nb"])
def test_figures_are_drawn_for_any_name_without_a_warning(tmp_path: Path, name: str) -> None:
    rules = [{**floor(), "name": name}, REMOVED, {**floor(least=0.9), "name": "w", "severity": "warn"}]
    runs = [variant(RUN, name), variant(scores([0] * 40, {"change.removed": range(3)}), "lost", latency=0.5)]
    draw_plots(choose(policy(*rules, budget={"latency_p95_ms": 1.0}), runs), tmp_path)
    for file in (FLOORS, FRONT):
        assert (tmp_path / file).read_bytes().startswith(b"\x89PNG")


def test_one_k_and_one_floor_are_drawn_and_no_latency_leaves_its_figure_out(tmp_path: Path) -> None:
    draw_plots(choose(policy(floor()), [variant(RUN, latency=None, ks=[1])]), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [FLOORS]


def test_no_label_of_the_front_covers_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from itertools import combinations

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    seen: list[list[Any]] = []

    def look(figure: Figure, *_: Any, **__: Any) -> None:
        renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
        seen.append([(text.get_text(), text.get_window_extent(renderer)) for text in figure.axes[0].texts])

    monkeypatch.setattr(Figure, "savefig", look)
    runs = [variant(scores([1] * (20 + n) + [4] * (20 - n)), f"variant {n}", latency=2 + n / 100) for n in range(6)]
    draw_plots(choose(policy(floor()), runs), tmp_path)
    labels = seen[1]
    assert "variant 0 k=5" in [text for text, _ in labels]
    assert not [(a, b) for (a, one), (b, two) in combinations(labels, 2) if one.overlaps(two)]
