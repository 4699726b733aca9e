"""`python -m runner trend` on runs that were really made, accepted and taken back."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from decide_office import Desk, Office, without_chinese
from engine_world import bm25

from runner.cli import trend
from runner.decisions.baseline import accept, undo
from runner.engine.run_name import run_name
from runner.suites import JudgedQuery, Suite


def take(office: Office, run_id: str) -> str:
    accept(office.tracker, office.run(run_id), "")
    return run_id


def of(office: Office) -> str:
    return f"suite={office.suite_name}"


def points(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / "trend.json").read_text("utf-8"))["points"]
    return found


def test_accepted_runs_are_shown_in_the_order_in_which_they_were_accepted(
    office: Office, desk: Desk, tmp_path: Path
) -> None:
    first, never, second = office.log(), office.log(), office.log(without_chinese())
    take(office, second)
    take(office, first)
    done = desk(trend.main, of(office), office.place, "--out", str(tmp_path))
    assert (done.status, done.err) == (0, "")
    assert [each["run"] for each in points(tmp_path)] == [second, first]
    assert never[:8] not in done.out
    # 20 + 10/2 found of 50 without the Chinese documents, and ten more with them.
    assert [each["value"] for each in points(tmp_path)] == [0.5, 0.7]
    assert [line.split()[2] for line in done.out.splitlines() if line.startswith("20")] == ["hidden", "bm25"]


def test_values_at_another_k_are_those_of_a_run_logged_at_it(office: Office, desk: Desk, tmp_path: Path) -> None:
    take(office, office.log(k=3))
    at_1 = office.run(office.log(k=1)).data.metrics
    for metric in ("recall", "ndcg", "mrr", "pool_recall"):
        done = desk(trend.main, of(office), f"metric={metric}", "k=1", office.place, "--out", str(tmp_path))
        assert done.status == 0, done.err
        assert points(tmp_path)[0]["value"] == pytest.approx(at_1[metric])


def test_without_a_k_that_of_the_newest_run_is_taken_and_a_slice_is_followed(office: Office, desk: Desk) -> None:
    take(office, office.log(k=3))
    take(office, office.log(k=2))
    done = desk(trend.main, of(office), "slice=language.zh", office.place)
    assert "recall at k=2, language.zh; 2 accepted runs" in done.out
    assert done.out.count(" 10  1.000  [") == 2


def test_what_was_taken_back_is_left_out_unless_all_are_asked_for(office: Office, desk: Desk, tmp_path: Path) -> None:
    good, bad = take(office, office.log()), take(office, office.log(without_chinese()))
    undo(office.tracker, office.run(bad), "")
    done = desk(trend.main, of(office), office.place)
    assert good[:8] in done.out and bad[:8] not in done.out
    done = desk(trend.main, of(office), "--all", office.place, "--out", str(tmp_path))
    assert "taken back 20" in done.out
    assert [(each["run"], bool(each["taken_back"])) for each in points(tmp_path)] == [(good, False), (bad, True)]


def test_a_run_that_was_accepted_again_counts_from_then_on(office: Office, desk: Desk, tmp_path: Path) -> None:
    first, second = take(office, office.log()), take(office, office.log(without_chinese()))
    undo(office.tracker, office.run(first), "")
    take(office, first)
    desk(trend.main, of(office), office.place, "--out", str(tmp_path))
    assert [each["run"] for each in points(tmp_path)] == [second, first]


def test_new_documents_and_new_questions_are_marked_and_not_joined(office: Office, desk: Desk, tmp_path: Path) -> None:
    take(office, office.log())
    office.documents["zh/甲.md"] = "這一頁改寫了。"
    take(office, office.log())
    office.asked = (
        *office.asked[:-1],
        JudgedQuery("新題", "alpha01", {"en/01.md": 1}, {"language": "en", "topic": "x"}),
    )
    take(office, office.log())
    take(office, office.log(bm25(b=0.1)))
    done = desk(trend.main, of(office), office.place, "--out", str(tmp_path))
    rules = [line for line in done.out.splitlines() if line.startswith("-- ")]
    assert [line.split(" ")[1] for line in rules] == ["snapshot", "suite"]
    assert [each["segment"] for each in points(tmp_path)] == [0, 1, 2, 2]
    assert [each["documents_changed"] for each in points(tmp_path)] == [None, True, False, False]


def test_ages_counted_from_another_date_are_marked_where_a_slice_goes_by_them(office: Office, desk: Desk) -> None:
    office.asked = tuple(replace(each, fields={**each.fields, "updated": "2026-09-01"}) for each in office.asked)
    for as_of in ("2026-09-20", "2026-09-30"):
        take(office, office.log(slicing={"freshness": {"field": "updated", "days": [30], "as_of": as_of}}))
    done = desk(trend.main, of(office), "slice=freshness.0-30 days", office.place)
    assert "-- freshness as_of 2026-09-20 -> 2026-09-30 --" in done.out
    assert "-- " not in desk(trend.main, of(office), office.place).out


def test_rankings_of_another_depth_are_marked_for_a_metric_over_all_of_it(office: Office, desk: Desk) -> None:
    for depth in (10, 5):
        take(office, office.log(depth=depth, curve=[1]))
    assert "-- depth 10 -> 5 --" in desk(trend.main, of(office), "metric=map", office.place).out
    assert "-- " not in desk(trend.main, of(office), "metric=ndcg", office.place).out


def test_a_suite_judged_by_another_unit_than_before_is_one_trend_with_a_mark(
    office: Office, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(office, office.log())

    def by_passage(self: Office, settings: object) -> Suite:
        return Suite(self.suite_name, self.role, "passage", self.asked, slices=("language", "topic"))

    monkeypatch.setattr(Office, "suite", by_passage)
    take(office, office.log())
    done = desk(trend.main, of(office), office.place)
    assert "2 accepted runs" in done.out and "unit document -> passage" in done.out
    assert "1 accepted run," in desk(trend.main, of(office), "unit=passage", office.place).out


def test_a_name_that_two_experiments_use_is_asked_about(office: Office, desk: Desk) -> None:
    other = office.named(f"{office.experiment} too")
    other.suite_name = office.suite_name
    mine, theirs = take(office, office.log()), take(other, other.log())
    done = desk(trend.main, of(office), office.place)
    assert done.status == 2
    assert (
        f"are in the experiments {office.experiment}, {other.experiment}; name one with tracking.experiment="
        in done.err
    )
    done = desk(trend.main, of(office), f"tracking.experiment={other.experiment}", office.place)
    assert theirs[:8] in done.out and mine[:8] not in done.out
    done = desk(trend.main, of(office), "tracking.experiment=nowhere", office.place)
    assert (done.status, "no experiment 'nowhere' in sqlite:" in done.err) == (2, True)


def test_where_nothing_is_accepted_it_is_said_how_to_accept(office: Office, desk: Desk) -> None:
    run_id = office.log()
    done = desk(trend.main, of(office), office.place)
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith(f"accept one, say {run_name('bm25', 3)}: python -m runner accept {run_id}\n")
    take(office, run_id)
    undo(office.tracker, office.run(run_id), "")
    done = desk(trend.main, of(office), office.place)
    assert (done.status, "1 accepted once are taken back" in done.err) == (2, True)
    done = desk(trend.main, "suite=無", office.place)
    assert (done.status, "and no run at all; make one with python -m runner suite=無" in done.err) == (2, True)


def test_a_run_whose_table_is_gone_stays_in_the_list_without_a_value(office: Office, desk: Desk) -> None:
    gone, kept = take(office, office.log()), take(office, office.log(k=2))
    (office.files_of(gone) / "per_query.parquet").unlink()
    done = desk(trend.main, of(office), office.place)
    assert done.status == 0
    assert f"note: {run_name('bm25', 3)} ({gone[:8]}): its table of queries cannot be read" in done.out
    assert kept[:8] in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("metric=recall",), "suite=NAME is missing: the suite"),
        (("suite=core", "pool=5"), "unknown setting 'pool'; known: all, k, level, metric"),
        (("suite=core", "core"), "unexpected word 'core'"),
        (("suite=core", "metric=accuracy"), "unknown metric 'accuracy'"),
        (("suite=core", "k=five"), "k: expected a whole number from 1, found 'five'"),
        (("suite=core", "k=0"), "k: expected a whole number from 1, found '0'"),
        (("suite=core", "unit=page"), "unit: expected one of document, passage, span, found 'page'"),
        (("suite=core", "--level", "2"), "level: expected a number between 0 and 1, found '2'"),
        (("suite=it's",), "a name holds no quote"),
    ],
)
def test_bad_input_ends_with_status_2(
    trend_office: Office, desk: Desk, arguments: tuple[str, ...], message: str
) -> None:
    done = desk(trend.main, *arguments, trend_office.place)
    assert (done.status, done.out) == (2, "")
    assert message in done.err and done.err.count("\n") == 1
