"""A trend in the terminal, as Markdown, CSV and JSON, and as a figure whose lines stop at every mark."""

import csv
import io
import json
from pathlib import Path
from typing import IO, Any

import pytest
from decide_scores import found, lost
from rich.cells import cell_len
from trend_runs import accepted, trend

from runner.decisions.trend import Trend
from runner.reports import trend as trend_report
from runner.reports import trend_plot
from runner.reports.trend import print_trend, trend_csv, trend_markdown, trend_values, write_reports

GOOD, HALF = [found()] * 4, [found(), found(), lost(), lost()]


def moving() -> Trend:
    return trend(
        [
            (accepted(1, name="bm25 k=5"), HALF),
            (accepted(2, name="混合檢索 k=5", verdict="blocked"), GOOD),
            (accepted(3, name="semantic", undone=True, verdict="not gated"), HALF),
            (
                accepted(4, name="a|b *c* $x^2$", snapshot="snap2", documents_sha256="docs2", suite_revision="rev2"),
                GOOD,
            ),
            (accepted(5, name="last", snapshot="snap2", documents_sha256="docs2", suite_revision="rev2"), HALF),
        ]
    )


def printed(shown: Trend) -> list[str]:
    out = io.StringIO()
    print_trend(shown, out)
    return out.getvalue().splitlines()


def test_the_terminal_shows_a_line_a_run_and_a_rule_where_two_are_not_to_be_joined() -> None:
    title, header, *rows = printed(moving())
    assert title == "suite core: recall at k=5, all queries; 5 accepted runs, interval at 95%"
    assert header.split() == [
        "accepted",
        "run",
        "id",
        "revision",
        "snapshot",
        "documents",
        "n",
        "value",
        "interval",
        "gate",
    ]
    assert rows[0].split("  ")[0] == "2026-10-01 09:30"
    assert "rev1" in rows[0] and "0.500  [" in rows[0] and rows[0].endswith("passed")
    assert "1.000" in rows[1] and rows[1].endswith("blocked")
    assert rows[2].endswith("taken back 2026-10-31 09:30")
    assert rows[3] == "-- suite revision rev1 -> rev2; snapshot snap1 -> snap2 --"
    assert "changed" in rows[4] and "same" in rows[5]
    assert rows[6].startswith("note: runs on either side of a rule")
    assert len(rows) == 7


def test_columns_stand_under_each_other_beside_wide_letters() -> None:
    _, header, first, second, *_ = printed(moving())
    place = cell_len(header[: header.index("value")])
    assert [cell_len(line[: line.index(value)]) for line, value in ((first, "0.500"), (second, "1.000"))] == [place] * 2


def test_a_single_run_is_a_line_without_a_rule_or_a_note(tmp_path: Path) -> None:
    alone = trend([(accepted(1), GOOD)])
    title, _, *rows = printed(alone)
    assert "; 1 accepted run, " in title
    assert len(rows) == 1
    write_reports(alone, tmp_path)
    assert (tmp_path / "trend.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_without_a_value_says_so_beneath() -> None:
    shown = trend([(accepted(1, name="old"), GOOD), (accepted(2), [found("zh")])], group="zh")
    _, _, first, _, note = printed(shown)
    assert "  -  " in first and first.endswith("no value, see below")
    assert note.startswith("note: old (01ababab): unknown slice 'zh'")


def test_what_many_runs_lack_is_said_once() -> None:
    lacking = [(accepted(number, name=f"run {number}"), GOOD) for number in range(1, 6)]
    shown = trend([*lacking, (accepted(6), [found("zh")]), (accepted(7, name="few"), [found("en")])], group="zh")
    notes = [line for line in printed(shown) if line.startswith("note: ")]
    assert notes == [
        "note: run 1 (01ababab), run 2 (02ababab), run 3 (03ababab) and 2 more: unknown slice 'zh'; known: none",
        "note: few (07ababab): unknown slice 'zh'; known: en",
    ]
    deep = trend([(accepted(1), GOOD), (accepted(2), GOOD), (accepted(3, depth="20"), GOOD)], k=11)
    notes = [line for line in printed(deep) if line.startswith("note: ")]
    assert notes == ["note: run 1 (01ababab), run 2 (02ababab): k=11 is outside the rankings, which go to depth 10"]


def test_a_mark_shows_a_date_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    group = "freshness.0-30 days"
    dates = [accepted(n, **{"slicing.freshness.as_of": f"2026-0{n}-28"}) for n in (1, 2)]
    axes = figure(trend([(each, [found(group)]) for each in dates], group=group), monkeypatch)
    assert [text.get_text() for text in axes.texts] == ["freshness as_of 2026-02-28"]


def test_markdown_shows_names_as_they_are_and_strikes_what_was_taken_back() -> None:
    lines = trend_markdown(moving()).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {12}
    assert "a\\|b \\*c\\* \\$x^2\\$" in rows[6]
    assert "~~semantic~~" in rows[4] and "~~`03ababab`~~" in rows[4]
    assert rows[5].startswith("| **suite revision rev1 -\\> rev2; snapshot snap1 -\\> snap2** |")


def test_json_and_csv_hold_the_points_of_the_figure() -> None:
    values = trend_values(moving())
    assert {key: values[key] for key in ("suite", "metric", "k", "slice", "level")} == {
        "suite": "core",
        "metric": "recall",
        "k": 5,
        "slice": None,
        "level": 0.95,
    }
    assert [each["value"] for each in values["points"]] == [0.5, 1.0, 0.5, 1.0, 0.5]
    assert [each["segment"] for each in values["points"]] == [0, 0, 0, 1, 1]
    assert [each["gate"] for each in values["points"]][:3] == ["passed", "blocked", "not gated"]
    read = list(csv.DictReader(io.StringIO(trend_csv(moving()))))
    assert [row["name"] for row in read] == [each["name"] for each in values["points"]]
    assert [float(row["low"]) for row in read] == [each["low"] for each in values["points"]]
    assert read[2]["taken_back"].startswith("2026-10-31") and read[0]["taken_back"] == ""
    assert read[3]["changes"] == "suite revision rev1 -> rev2; snapshot snap1 -> snap2"


def test_a_value_that_is_not_there_is_null_and_empty_not_zero() -> None:
    shown = trend([(accepted(1), GOOD), (accepted(2), [found("zh")])], group="zh")
    first = trend_values(shown)["points"][0]
    assert (first["value"], first["low"], first["n"]) == (None, None, 0)
    assert next(csv.DictReader(io.StringIO(trend_csv(shown))))["value"] == ""


def test_the_folder_gets_four_files_and_nothing_else(tmp_path: Path) -> None:
    write_reports(moving(), tmp_path / "a" / "報告")
    names = ["trend.csv", "trend.json", "trend.md", "trend.png"]
    assert sorted(each.name for each in (tmp_path / "a" / "報告").iterdir()) == names
    assert len(json.loads((tmp_path / "a" / "報告" / "trend.json").read_text("utf-8"))["points"]) == 5


def test_reports_that_cannot_all_be_made_leave_the_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_reports(moving(), tmp_path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}

    def fails(shown: Trend, file: IO[bytes]) -> None:
        file.write(b"half")
        raise OSError("no space left on device")

    monkeypatch.setattr(trend_report, "draw_trend", fails)
    with pytest.raises(OSError, match="no space"):
        write_reports(trend([(accepted(1), GOOD)]), tmp_path)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def figure(shown: Trend, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The axes as they are when the figure is about to be written."""
    kept: list[Any] = []
    monkeypatch.setattr(trend_plot, "save_figure", lambda drawn, path: kept.append(drawn))
    trend_plot.draw_trend(shown, Path("trend.png"))
    return kept[0].axes[0]


def test_no_line_of_the_figure_crosses_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = figure(moving(), monkeypatch)
    joined = [list(line.get_xdata()) for line in axes.lines if line.get_linestyle() == "-" and line.get_linewidth() > 1]
    assert [1.0 * place for line in joined for place in line] and joined[:2] == [[0, 1], [3, 4]]
    marks = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"]
    assert marks == [2.5]
    assert [text.get_text() for text in axes.texts] == ["revision rev2, snapshot snap2"]


def test_every_run_is_a_dot_with_its_bar_and_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = moving()
    axes = figure(shown, monkeypatch)
    dots = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() in ("o", "s", "x")]
    assert dots == [(0, 0.5), (1, 1.0), (2, 0.5), (3, 1.0), (4, 0.5)]
    assert [line.get_marker() for line in axes.lines if line.get_marker() in ("o", "s", "x")] == list("osxoo")
    assert len(axes.containers) == 5
    assert [label.get_text() for label in axes.get_xticklabels()][3] == "2026-10-04 a|b *c* $x^2$"
    assert not any(label.get_parse_math() for label in axes.get_xticklabels())
    low, high = axes.get_ylim()
    assert all(each.value and low <= each.value.low and each.value.high <= high for each in shown.points)


@pytest.mark.parametrize("count", [1, 2, 30, 90])
def test_any_number_of_runs_is_drawn_within_the_picture(
    count: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runs = [
        (accepted(1 + each % 28, name=f"reranked k=5 pool={each}", snapshot=f"{each:016}"), HALF)
        for each in range(count)
    ]
    shown = trend(runs)
    axes = figure(shown, monkeypatch)
    axes.figure.canvas.draw()
    width, height = axes.figure.get_size_inches() * axes.figure.dpi
    for text in [*axes.get_xticklabels(), *axes.texts]:
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, text.get_text()
    assert len(axes.get_xticklabels()) <= 45
    monkeypatch.undo()
    trend_plot.draw_trend(shown, tmp_path / "trend.png")
    assert (tmp_path / "trend.png").read_bytes().startswith(b"\x89PNG")
