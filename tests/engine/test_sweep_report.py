"""What a person reads of a sweep: the table with its marks, the worst slices, and the figures."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runner.rendering.figures import recall_by_slice, recall_curve
from runner.reports.sweep_table import LEAST_IN_SLICE, Row, as_text, print_table, sweep_markdown, worst_lines


def row(
    retriever: str = "bm25", k: int = 3, recall: float = 0.5, pool: str = "", variant: str = "", **metrics: float
) -> Row:
    plain = {
        "hit": 0.5,
        "recall": recall,
        "mrr": 0.5,
        "ndcg": 0.5,
        "pool_recall": 0.5,
        "n": 10,
        "failing_lost_in_pool": 2,
        "failing_lost_in_ranking": 3,
    }
    sliced = {name.replace("__", "/"): value for name, value in metrics.items()}
    name = f"{retriever} k={k}"
    return Row("id", name, retriever, k, pool, "core", "0123456789abcdef", variant, {**plain, **sliced})


def cells(rows: list[Row]) -> list[dict[str, str]]:
    lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in sweep_markdown(rows).splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


# -- the table ---------------------------------------------------------------------------------------------


def test_the_best_of_each_k_is_marked_and_only_it() -> None:
    table = cells([row("bm25", 1, 0.2), row("hybrid", 1, 0.3), row("bm25", 3, 0.6), row("hybrid", 3, 0.4)])
    assert [line["recall"] for line in table] == ["0.200", "0.300*", "0.600*", "0.400"]


def test_all_that_are_equally_good_are_marked_unless_all_are_equal() -> None:
    table = cells([row("a", recall=0.6), row("b", recall=0.6), row("c", recall=0.5)])
    assert [line["recall"] for line in table] == ["0.600*", "0.600*", "0.500"]
    assert [line["ndcg"] for line in table] == ["0.500"] * 3
    assert cells([row()])[0]["recall"] == "0.500"


def test_the_lowest_latency_is_the_best() -> None:
    table = cells([row("a", latency_p50_ms=2.0), row("b", latency_p50_ms=0.254), row("c")])
    assert [line["p50 ms"] for line in table] == ["2.00", "0.25*", "-"]


def test_a_noisy_latency_is_marked_in_every_table_and_the_mark_explained() -> None:
    rows = [row("a", latency_p50_ms=2.0, latency_p95_ms=9.0, latency_noisy=1.0), row("b", latency_p50_ms=3.0)]
    assert [line["p50 ms"] for line in cells(rows)] == ["2.00~*", "3.00"]
    assert cells(rows)[0]["p95 ms"] == "9.00~"
    assert "~ noisy: a repeat took more than twice" in as_text(rows)
    assert "~" not in as_text(rows[1:])


def test_runs_on_other_snapshots_or_suites_are_no_rivals() -> None:
    from dataclasses import replace

    other = replace(row(recall=0.9), snapshot="fedcba9876543210")
    table = cells([row("a", recall=0.2), row("b", recall=0.3), other])
    assert [line["recall"] for line in table] == ["0.200", "0.300*", "0.900"]
    assert [line["snapshot"] for line in table] == ["0123456789abcdef"] * 2 + ["fedcba9876543210"]


def test_a_column_that_is_the_same_for_all_is_left_out() -> None:
    assert "pool" not in cells([row(), row("hybrid")])[0]
    assert [line["pool"] for line in cells([row(), row("reranked", pool="20")])] == ["-", "20"]


def test_variants_of_one_retriever_are_told_apart() -> None:
    rows = [row(variant="k1=1.2", recall__a=0.1, n__a=9), row(variant="k1=2.0", recall__a=0.2, n__a=9)]
    assert [line["variant"] for line in cells(rows)] == ["k1=1.2", "k1=2.0"]
    assert len(worst_lines(rows)) == 2


def test_the_interval_and_the_counts_stand_beside_the_scores() -> None:
    counts = {"recall.low": 0.25, "recall.high": 0.75, "recall_hits": 4, "recall_relevant": 8}
    counts |= {"hit.low": 0.2, "hit.high": 0.8, "hit_queries": 5}
    (line,) = cells([row(**counts)])
    assert (line["hit"], line["recall"]) == ("0.500 [0.20, 0.80] 5/10", "0.500 [0.25, 0.75] 4/8")


def test_misses_are_shown_by_cause() -> None:
    (line,) = cells([row()])
    assert (line["lost in pool"], line["in ranking"], line["n"]) == ("2", "3", "10")


def test_a_bar_in_a_name_does_not_break_the_markdown_table() -> None:
    text = sweep_markdown([row("a|b")])
    assert text.splitlines()[2].startswith(r"| a\|b | 3 |")


def test_the_printed_table_holds_chinese_names_markup_and_marks_as_they_are() -> None:
    text = as_text([row("檢索 [bold]x[/bold] :smile:", recall=0.25), row("bm25", recall=0.75)])
    assert "檢索 [bold]x[/bold] :smile:" in text
    assert "0.750*" in text
    assert "* best at this k" in text


def test_the_table_is_printed_where_it_is_told_without_colour_codes(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    print_table([row(), row("hybrid", recall=0.9)], stream)
    assert capsys.readouterr().out == ""
    assert "\x1b" not in stream.getvalue()
    print_table([row()])
    assert "bm25" in capsys.readouterr().out


# -- the worst slice ---------------------------------------------------------------------------------------


def test_the_worst_slice_is_that_of_the_lowest_recall() -> None:
    one = row(recall__type_a=0.4, n__type_a=9, recall__type_b=0.1, n__type_b=7)
    assert one.worst_slice() == ("type_b", 0.1, 7)


def test_a_slice_of_few_queries_is_worst_only_where_none_is_larger() -> None:
    few = LEAST_IN_SLICE - 1
    assert row(recall__a=0.0, n__a=few, recall__b=0.4, n__b=LEAST_IN_SLICE).worst_slice() == ("b", 0.4, LEAST_IN_SLICE)
    assert row(recall__a=0.0, n__a=few, recall__b=0.4, n__b=1).worst_slice() == ("a", 0.0, few)


def test_without_slices_there_is_no_worst() -> None:
    assert row().worst_slice() is None
    assert worst_lines([row()]) == []


def test_a_slice_of_all_queries_is_never_the_worst() -> None:
    # The same mean in another order of adding.
    one = row(recall__all=0.5 - 1e-15, n__all=8, n=8)
    assert worst_lines([one]) == []
    assert worst_lines([row(recall__most=0.4, n__most=7, n=8)]) != []


def test_the_worst_slice_is_named_as_it_was_written() -> None:
    from runner.tracking.names import key_part

    key = key_part("類型.a@1 / b%")
    metrics = {**row().metrics, f"recall/{key}": 0.25, f"n/{key}": 8}
    one = Row("id", "bm25 k=3", "bm25", 3, "", "core", "snapshot", "", metrics)
    assert worst_lines([one]) == ["worst slice of bm25 k=3: 類型.a@1 / b%  recall 0.250 (n=8; all 0.500)"]


def test_each_retriever_is_named_once_at_its_largest_k() -> None:
    rows = [row("bm25", k, recall__a=0.01 * k, n__a=9) for k in (1, 5, 3)] + [row("hybrid", 1, recall__a=0.4, n__a=9)]
    assert [line.partition(":")[0] for line in worst_lines(rows)] == [
        "worst slice of bm25 k=5",
        "worst slice of hybrid k=1",
    ]


def test_a_slice_no_worse_than_all_is_not_called_worst() -> None:
    assert worst_lines([row("bm25", 1, recall__a=0.5, n__a=9)]) == []


# -- figures -----------------------------------------------------------------------------------------------

Draw = Callable[[Path, str], None]
VALUES = np.array([0.1, 0.5, 1.0])


def one_curve(path: Path, name: str) -> None:
    recall_curve(path, name, [1, 3, 10], {name: VALUES, "bm25": VALUES / 2}, 12)


def several_slices(path: Path, name: str) -> None:
    groups: dict[str, Any] = {f"{name} {number}": (number, {name: VALUES, "bm25": VALUES}) for number in range(5)}
    recall_by_slice(path, f"recall at k by {name}", [1, 3, 10], groups)


@pytest.mark.parametrize("draw", [one_curve, several_slices])
@pytest.mark.parametrize(
    "name", ["類型", "刪除的文件 x 英文", "🙂 退款", "$\\bad{10$", "_hidden", "a%b{c}^d", "問題" * 60, "", "a\nb"]
)
def test_a_figure_is_written_for_any_name_without_a_warning(tmp_path: Path, draw: Draw, name: str) -> None:
    draw(tmp_path / "figure.png", name)
    content = (tmp_path / "figure.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 5000


def test_a_figure_of_one_slice_at_one_k_is_written(tmp_path: Path) -> None:
    recall_by_slice(tmp_path / "figure.png", "recall", [1], {"只有": (1, {"bm25": np.array([0.0])})})
    assert (tmp_path / "figure.png").stat().st_size > 2000


def test_figures_of_the_same_numbers_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        one_curve(tmp_path / name, "類型")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_every_line_is_in_the_legend_whatever_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    seen: list[str] = []

    def look(figure: Figure, *_: Any, **__: Any) -> None:
        legend = figure.axes[0].get_legend()
        assert legend is not None
        seen.extend(text.get_text() for text in legend.get_texts())

    monkeypatch.setattr(Figure, "savefig", look)
    recall_curve(tmp_path / "figure.png", "recall", [1, 3, 10], {"_mine": VALUES, "檢索": VALUES}, 3)
    assert seen == ["_mine", "檢索"]
