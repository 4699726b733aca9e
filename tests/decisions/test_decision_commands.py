"""The commands gate and compare on stored runs: exit statuses, what they print, and what they leave on the runs."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from decide_office import RULES, Desk, Office, without_chinese, write_policy
from decide_scores import rule
from engine_world import bm25, double

from runner.cli import accept, compare, gate
from runner.composition.policy_files import read_policy
from runner.decisions.baseline import accept as accept_run
from runner.engine.run_name import run_name
from runner.suites import JudgedQuery
from runner.workflows.gate_run import gate_run

TwoRuns = tuple[Office, str, str]


def test_a_lost_slice_blocks_with_status_1_while_the_mean_is_within_its_allowance(
    two_runs: TwoRuns, desk: Desk, tmp_path: Path
) -> None:
    office, good, bad = two_runs
    done = desk(gate.main, bad, "--baseline", good, write_policy(tmp_path, *RULES), office.place)
    assert done.status == 1
    assert f"gate office: BLOCKED {run_name('hidden', 3)} ({bad}) by 移除的選項" in done.out
    assert f"against {run_name('bm25', 3)} ({good})" in done.out
    assert "pass         mean holds: recall k=3 all (n=40, block)" in done.out
    # Ten of ten Chinese questions, of forty that people judged.
    assert "FAIL         移除的選項: recall k=3 topic.removed (n=10, block)" in done.out
    assert "changed by -0.250 [" in done.out
    assert "lost most: zh-丁, zh-丙, zh-乙, zh-壬, zh-己" in done.out


def test_a_run_against_itself_passes_with_status_0(two_runs: TwoRuns, desk: Desk, tmp_path: Path) -> None:
    office, good, _ = two_runs
    done = desk(gate.main, good, "--baseline", good, write_policy(tmp_path, *RULES), office.place)
    assert (done.status, done.err) == (0, "")
    assert f"gate office: passed {run_name('bm25', 3)} ({good})" in done.out


def test_the_verdict_is_on_the_run_as_tags_and_metrics_and_blocked_runs_can_be_found(
    office: Office, desk: Desk, tmp_path: Path
) -> None:
    good, bad, ungated = office.log(), office.log(without_chinese()), office.log()
    policy = write_policy(
        tmp_path,
        *RULES,
        rule("few: a@1 ../x", slice="topic.removed", min=0.5, min_queries=99),
        rule("長" * 300, min=0.1),
    )
    for run_id in (good, bad):
        desk(gate.main, run_id, "--baseline", good, policy, office.place)
    assert [run.info.run_id for run in office.search("tags.gate = 'blocked'")] == [bad]
    assert [run.info.run_id for run in office.search("tags.gate = 'passed'")] == [good]
    data = office.run(bad).data
    assert (data.tags["gate_policy"], data.tags["gate_baseline"]) == ("office", good)
    gated = {key: value for key, value in data.metrics.items() if key.startswith("gate/")}
    assert gated["gate/mean holds"] == 1
    assert gated["gate/移除的選項"] == -1
    assert gated["gate/few_x3a_ a_x40_1 .._x2f_x"] == 0
    assert len(gated) == 4 and max(map(len, gated)) <= 250
    assert "gate" not in office.run(ungated).data.tags
    assert [run.info.run_id for run in office.search("metrics.`gate/移除的選項` < 0")] == [bad]


def test_the_reports_are_on_the_run_and_where_out_says(two_runs: TwoRuns, desk: Desk, tmp_path: Path) -> None:
    office, good, bad = two_runs
    out = tmp_path / "reports" / "of the gate"
    desk(gate.main, bad, "--out", str(out), "--baseline", good, write_policy(tmp_path, *RULES), office.place)
    names = ["gate.json", "gate.md", "gate.xml"]
    assert sorted(path.name for path in out.iterdir()) == names
    for name in names:
        assert (office.files_of(bad) / "gate" / name).read_bytes() == (out / name).read_bytes()
    suite = ElementTree.parse(out / "gate.xml").getroot()
    assert [case.get("name") for case in suite.iter("testcase")] == ["mean holds", "移除的選項"]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert json.loads((out / "gate.json").read_text("utf-8"))["blocked"] is True
    assert "移除的選項" in (out / "gate.md").read_text("utf-8")


def test_gating_again_gives_the_same_bytes(two_runs: TwoRuns, desk: Desk, tmp_path: Path) -> None:
    office, good, bad = two_runs
    policy = write_policy(tmp_path, *RULES)
    for name in ("one", "two"):
        desk(gate.main, bad, "--baseline", good, policy, office.place, "--out", str(tmp_path / name))
    for name in ("gate.json", "gate.md", "gate.xml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_judgments_made_by_a_program_block_nothing(two_runs: TwoRuns, desk: Desk, tmp_path: Path) -> None:
    office, good, _ = two_runs
    made_up = {"slice": "topic.made up", "min": 0.5}
    policy = write_policy(
        tmp_path, rule("human", **made_up), rule("both", **made_up, severity="warn", sources=["human", "synthetic"])
    )
    done = desk(gate.main, good, policy, office.place)
    assert done.status == 0
    assert "inconclusive human: recall k=3 topic.made up (n=0, block)" in done.out
    assert "0 of at least 10 queries (10 more are not judged by human)" in done.out
    assert "FAIL         both: recall k=3 topic.made up (n=10, warn)" in done.out


def test_the_accepted_baseline_is_the_one_that_counts(office: Office, desk: Desk, tmp_path: Path) -> None:
    good, bad, policy = office.log(), office.log(without_chinese()), write_policy(tmp_path, *RULES)
    alone = desk(gate.main, bad, policy, office.place)
    assert alone.status == 0
    assert "note: no baseline is accepted for this suite" in alone.out
    assert desk(accept.main, good, office.place, "--why", "第一版").status == 0
    assert desk(gate.main, bad, policy, office.place).status == 1
    # Whoever accepts a run knowing its verdict has that on record.
    done = desk(accept.main, bad, office.place)
    assert "(gate: blocked)" in done.out
    assert desk(gate.main, bad, policy, office.place).status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gate=nothing",), "no gate policy 'nothing'; known: release"),
        (("gate=null",), "gate=null judges nothing"),
        (("k=3",), "unknown setting 'k'"),
        (("release",), "unexpected word 'release'; a setting is written name=value"),
        (("--baseline", "nothing"), "no run 'nothing' in sqlite:"),
        (("gate.sed=1",), "sed: Extra inputs are not permitted"),
    ],
)
def test_bad_input_to_the_gate_ends_with_status_2_and_leaves_nothing_on_the_run(
    office: Office, desk: Desk, arguments: tuple[str, ...], message: str
) -> None:
    good = office.log()
    done = desk(gate.main, good, *arguments, office.place)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert "gate" not in office.run(good).data.tags


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (rule("k", k=11, min=0.5), "rule 'k': k=11 is deeper than run"),
        (rule("題目", slice="topic.無", min=0.5), "rule '題目': unknown slice 'topic.無'; known: language.en, "),
        (rule("m", metric="accuracy", min=0.5), "rules.'m'.metric: unknown metric"),
    ],
)
def test_a_rule_that_does_not_fit_ends_with_status_2(
    two_runs: TwoRuns, desk: Desk, tmp_path: Path, rules: dict[str, object], message: str
) -> None:
    office, good, _ = two_runs
    done = desk(gate.main, good, write_policy(tmp_path, rules), office.place)
    assert done.status == 2
    assert message in done.err


def test_a_slice_that_vanished_since_the_baseline_ends_with_status_2(
    office: Office, desk: Desk, tmp_path: Path
) -> None:
    before = office.log()
    policy = write_policy(tmp_path, rule("removed", slice="topic.removed", min=0.1))
    assert desk(gate.main, before, policy, office.place).status == 0
    office.asked = tuple(query for query in office.asked if query.fields["topic"] != "removed")
    after = office.log()
    done = desk(gate.main, after, "--baseline", before, policy, office.place)
    assert done.status == 2
    assert "rule 'removed': slice 'topic.removed' has vanished since the baseline" in done.err


@pytest.mark.parametrize("kind", ["sweep", "failed"])
def test_only_a_finished_job_is_gated_or_compared(office: Office, desk: Desk, kind: str) -> None:
    good = office.log()
    tags = {"kind": "sweep" if kind == "sweep" else "run"}
    other = office.client.create_run(office.tracker.experiment_id, tags=tags).info.run_id
    office.client.set_terminated(other, "FAILED" if kind == "failed" else "FINISHED")
    said = {"sweep": "is not a scored job (sweep)", "failed": "did not finish (FAILED)"}[kind]
    for done in (desk(gate.main, other, office.place), desk(compare.main, good, other, office.place)):
        assert (done.status, said in done.err) == (2, True)


def test_a_holdout_and_a_suite_looked_at_often_are_noted(office: Office, desk: Desk, tmp_path: Path) -> None:
    office.role, office.suite_name = "holdout", "last"
    # The store knows the usual questions from tuning.
    office.asked = tuple(replace(each, id=f"last-{each.id}", text=f"lastly, {each.text}") for each in office.asked)
    runs = [office.log(allow_holdout=True) for _ in range(3)]
    often = desk(gate.main, runs[0], write_policy(tmp_path, *RULES, most_looks=2), office.place)
    assert "note: suite 'last' has been scored more than 2 times" in often.out
    assert "note: a holdout suite was used: every look makes it less of one" in often.out
    seldom = desk(gate.main, runs[0], write_policy(tmp_path, *RULES, most_looks=3), office.place)
    assert "has been scored more than" not in seldom.out


def test_two_runs_are_compared_and_the_reports_are_on_both(two_runs: TwoRuns, desk: Desk, tmp_path: Path) -> None:
    office, good, bad = two_runs
    done = desk(compare.main, good, bad, office.place, "--out", str(tmp_path / "out"))
    assert done.status == 0, done.err
    assert "suite core " in done.out and "50 queries, k=3" in done.out
    row = next(row.split() for row in done.out.splitlines() if row.split()[:2] == ["recall", "all"])
    # 20 + 10/2 + 10 of 50, and the same without the 10.
    assert row[2:6] == ["50", "0.700", "0.500", "-0.200"]
    assert "queries with nothing relevant in the first 3: both 10, A only 0, B only 10" in done.out
    for run_id, other in ((good, bad), (bad, good)):
        folder = office.files_of(run_id) / "compare" / other[:8]
        assert (folder / "compare.json").read_bytes() == (tmp_path / "out" / "compare.json").read_bytes()
        assert (folder / "compare.md").is_file()


def test_the_failing_queries_of_one_run_are_named_with_where_they_were_lost(two_runs: TwoRuns, desk: Desk) -> None:
    office, good, bad = two_runs
    done = desk(compare.main, good, bad, office.place)
    assert "B only: zh-甲 '甲的額度是多少？': A rank 1, B not found (lost in the pool)" in done.out


def test_a_single_changed_setting_is_named_with_its_effect(office: Office, desk: Desk) -> None:
    done = desk(compare.main, office.log(), office.log(k=1), office.place)
    # All runs are cut at one k here, so k is no setting that could have had an effect.
    assert "effect of k" not in done.out
    assert f"{run_name('bm25', 1)} was logged at k=1; its rankings are cut at k=3 here" in done.out
    changed = desk(compare.main, office.log(bm25(k1=0.7)), office.log(bm25(k1=0.1)), office.place)
    assert "effect of stage.bm25.k1 0.7 -> 0.1: recall " in changed.out


def test_another_k_than_was_logged_can_be_compared(two_runs: TwoRuns, desk: Desk) -> None:
    office, good, bad = two_runs
    done = desk(compare.main, good, bad, "--k", "10", "--metric", "ndcg", office.place)
    assert done.status == 0
    assert ", k=10" in done.out
    assert {row.split()[0] for row in done.out.splitlines() if " topic." in row} == {"ndcg"}


def test_three_runs_are_compared_with_the_first(two_runs: TwoRuns, desk: Desk) -> None:
    office, good, bad = two_runs
    third = office.log(bm25(b=0.1))
    done = desk(compare.main, good, bad, third, office.place)
    assert done.status == 0
    assert [line.partition(", B = ")[2].partition(" ")[0] for line in done.out.splitlines() if line[:3] == "A ="] == [
        "hidden",
        "bm25",
    ]
    assert (office.files_of(third) / "compare" / f"{good[:8]}-{bad[:8]}" / "compare.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name at least two runs to compare"),
        (("--k", "11", "OTHER"), "k=11 is outside the rankings of run"),
        (("--k", "0", "OTHER"), "k=0 is outside the rankings of run"),
        (("--metric", "accuracy", "OTHER"), "unknown metric 'accuracy'"),
        (("--level", "1", "OTHER"), "level: expected a number between 0 and 1, found '1'"),
        (("SELF",), "a run is named twice"),
        (("nothing",), "no run 'nothing' in"),
        (("OTHER", "kk=5"), "unknown setting 'kk'"),
    ],
)
def test_a_comparison_that_cannot_be_made_ends_with_status_2(
    two_runs: TwoRuns, desk: Desk, arguments: tuple[str, ...], message: str
) -> None:
    office, good, bad = two_runs
    named = [{"OTHER": bad, "SELF": good}.get(each, each) for each in arguments]
    done = desk(compare.main, good, *named, office.place)
    assert (done.status, message in done.err) == (2, True), done.err


def test_other_documents_are_compared_with_a_note_and_named_as_the_cause(office: Office, desk: Desk) -> None:
    before = office.log()
    office.documents["zh/甲.md"] = "這一頁改寫了。"
    office.documents["zh/新.md"] = "新的一頁。"
    done = desk(compare.main, before, office.log(), office.place)
    assert done.status == 0
    assert "note: the snapshots differ (" in done.out and "every judged document exists in both" in done.out
    sentence = next(line for line in done.out.splitlines() if line.startswith("recall fell from "))
    assert "documents (1 changed: zh/甲.md; 1 added: zh/新.md)" in sentence


def test_runs_on_another_suite_are_refused_with_what_moved_in_it(office: Office, desk: Desk) -> None:
    before = office.log()
    first, *rest = office.asked
    moved = JudgedQuery(first.id, first.text, {**first.grades, "en/more-08.md": 1}, first.fields, source=first.source)
    office.asked = (moved, *rest[1:], JudgedQuery("新題", "alpha01", {"en/01.md": 1}, {"language": "en", "topic": "x"}))
    after = office.log()
    done = desk(compare.main, before, after, office.place)
    assert done.status == 2
    assert "differ in suite_revision (" in done.err
    said = f"1 query added: 新題; 1 query removed: {rest[0].id}; 1 query judged otherwise: {first.id}"
    assert f"(what moved: suite ({said})" in done.err
    assert not (office.files_of(before) / "compare").exists()


def test_a_run_of_another_experiment_is_gated_by_the_baseline_of_its_own(office: Office, tmp_path: Path) -> None:
    other = office.named(f"{office.experiment} too")
    accept_run(other.tracker, other.run(other.log()), "")
    policy = read_policy([write_policy(tmp_path, *RULES)])
    assert policy
    here = gate_run(office.tracker, office.log(), policy, str(office.store))
    # The tracker looks at one experiment, the run is of the other.
    there = gate_run(office.tracker, other.log(without_chinese()), policy, str(office.store))
    assert (here.baseline, there.blocked) == (None, True)


def test_a_retriever_that_finds_nothing_is_blocked_by_a_floor_alone(office: Office, desk: Desk, tmp_path: Path) -> None:
    empty = office.log(double("Fixed", rankings={}))
    done = desk(gate.main, empty, write_policy(tmp_path, rule(min=0.1)), office.place)
    # 0 of 40: z^2 / (40 + z^2) = 0.063
    assert (done.status, "recall 0.000 [0.000, 0.063] against a floor of 0.100" in done.out) == (1, True)
