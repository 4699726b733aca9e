"""What MLflow's UI shows of a sweep: its runs, the links that the command prints, the report, the traces."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mlflow_ui import Sweep, swept

from runner.engine.run_name import run_name

RUNS = [
    f"{name} k={k}{pool}"
    for name, pool in (("bm25", ""), ("hybrid", ""), ("reranked", " pool=50"))
    for k in (1, 3, 5, 10)
]
TRACES = 6


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Sweep]:
    """The README's sweep, with traces."""
    asked = ("retriever=bm25,hybrid,reranked", "k=1,3,5,10", "trace=failures", f"trace.most={TRACES}")
    with swept(tmp_path_factory.mktemp("home"), *asked) as done:
        yield done


@pytest.fixture
def page(page: Any) -> Any:
    # The UI loads slowly where other tests run beside this one.
    page.set_default_timeout(90_000)
    page.set_viewport_size({"width": 1500, "height": 1000})
    return page


def link(page: Any, name: str) -> Any:
    return page.get_by_role("link", name=name, exact=True).first


def test_the_table_of_runs_shows_every_run_and_the_sweep(sweep: Sweep, page: Any) -> None:
    page.goto(f"{sweep.address}/#/experiments/1/runs")
    for name in RUNS:
        link(page, name).wait_for()
    assert page.get_by_role("link", name=re.compile(r"^sweep \d{8}-\d{6}")).count() == 1


def test_the_charts_show_all_runs_and_not_the_first_ten(sweep: Sweep, page: Any) -> None:
    page.goto(sweep.link("charts along k"))
    for name in RUNS:
        link(page, name).wait_for()
    page.get_by_text("curve/recall").first.wait_for(state="attached")
    shown = page.locator(".is-visibility-toggle-checkbox")
    assert (shown.count(), page.locator(".is-visibility-toggle-checkbox:checked").count()) == (len(RUNS), len(RUNS))
    page.locator(".js-plotly-plot .scatterlayer .trace").first.wait_for()


def test_the_compare_link_opens_on_k_pool_retriever_and_recall(sweep: Sweep, page: Any) -> None:
    page.goto(sweep.link("compare these runs"))
    page.get_by_role("heading", name="Comparing 12 Runs from 1 Experiment").wait_for()
    plot = page.locator(".js-plotly-plot .parcoords").first
    plot.wait_for(state="attached")
    axes = page.locator(".js-plotly-plot .axis-title")
    axes.first.wait_for(state="attached")
    assert [text.strip() for text in axes.all_text_contents()] == ["k", "pool", "retriever", "recall"]


def test_the_page_of_the_sweep_has_a_table_that_fits_and_the_report_among_its_files(
    sweep: Sweep, page: Any, tmp_path: Path
) -> None:
    page.goto(f"{sweep.address}/#/experiments/1/runs?workflowType=machine_learning")
    page.get_by_role("link", name=re.compile("^sweep ")).first.click()
    table = page.locator("table").filter(has_text="reranked").first
    table.wait_for(state="attached")
    assert table.locator("tr").count() == 1 + len(RUNS)
    if (more := page.get_by_text("Show more")).count():
        more.click()
    heights = table.locator("tbody tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert max(heights) < 60, "each run on one line or two"
    page.screenshot(path=tmp_path / "summary.png")

    page.get_by_role("tab", name="Artifacts").click()
    page.get_by_text("report.html", exact=True).first.click()
    report = page.frame_locator("iframe")
    report.get_by_role("heading", name=re.compile("^Sweep ")).wait_for()
    report.get_by_role("link", name="Failing queries").click()
    assert report.locator("svg").count() > 0
    page.screenshot(path=tmp_path / "report.png")


def requests(page: Any, sweep: Sweep, run: str) -> Any:
    """The questions on the traces tab of a run."""
    page.goto(f"{sweep.address}/#/experiments/1/runs/{sweep.run_id(run)}/traces?workflowType=machine_learning")
    page.get_by_text(re.compile("^lost in the ")).first.wait_for()
    return page.get_by_role("cell").get_by_text(re.compile(r"[?？]$"))


def test_the_traces_of_a_run_tell_what_every_stage_found(sweep: Sweep, page: Any, tmp_path: Path) -> None:
    asked = requests(page, sweep, run_name("hybrid", 1))
    assert page.get_by_text(re.compile("^lost in the ")).count() == TRACES
    page.screenshot(path=tmp_path / "traces.png")
    asked.first.click()
    for name in ("expected", "bm25: ", "semantic: ", "pool of hybrid: ", "hybrid: "):
        page.get_by_text(re.compile(f"^{name}")).first.wait_for()
    page.get_by_text(re.compile("^semantic: ")).first.click()
    page.get_by_text("doc_uri").nth(1).wait_for()
    page.screenshot(path=tmp_path / "trace.png")


def test_the_traces_of_two_variants_are_read_side_by_side(sweep: Sweep, page: Any, tmp_path: Path) -> None:
    asked = requests(page, sweep, run_name("hybrid", 1))
    page.get_by_role("button", name="baseline run", exact=True).click()
    page.get_by_role("option").filter(has_text=re.compile(rf"{re.escape(run_name('hybrid', 3))}$")).first.click()
    # The hardest queries of the one are those of the other: each has a line of both.
    page.get_by_text(re.compile("^lost in the ")).nth(2 * TRACES - 1).wait_for()
    page.screenshot(path=tmp_path / "pairs.png")
    asked.first.click()
    page.get_by_text("Comparing 2 traces").wait_for()
    page.get_by_text(re.compile("^bm25: ")).nth(1).wait_for()
    page.screenshot(path=tmp_path / "side-by-side.png")
