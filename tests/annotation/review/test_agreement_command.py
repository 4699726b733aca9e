"""Agreement of files: who the raters are, what is counted, what is listed, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from review_world import MESSAGES, WAITING, World, 訊息

from runner.annotation.agreement import Agreement, agree
from runner.annotation.exchange.pair_row import PairRow
from runner.annotation.exchange.ratings import Source, collect
from runner.errors import InputError


def source(name: str, *said: tuple[str, str, int | None, str | None], **more: Any) -> Source:
    rows = tuple(
        PairRow(query, id_, grade=grade, annotator=annotator, line=line, **more)
        for line, (query, id_, grade, annotator) in enumerate(said, 1)
    )
    return Source(f"{name}.jsonl", name, rows)


def of(*sources: Source) -> Agreement:
    return agree(collect(sources))


def test_two_files_are_two_raters() -> None:
    found = of(
        source("a", ("q1", "x", 1, None), ("q1", "y", 0, None), ("q2", "x", 1, None), ("q3", "x", 1, None)),
        source("b", ("q1", "x", 1, None), ("q1", "y", 1, None), ("q2", "x", None, None), ("q4", "x", 1, None)),
    )
    assert found.ratings.raters == ("a", "b")
    line = found.lines[0]
    assert (line.n, line.raw, line.kappa) == (2, 0.5, 0.0)
    (differing,) = found.disagreements
    assert (differing.row.query_id, differing.row.id, differing.grades) == ("q1", "y", {"a": 0, "b": 1})


def test_one_file_may_hold_several_annotators() -> None:
    found = of(source("a", ("q", "x", 1, "wei"), ("q", "x", 2, "amy"), ("q", "y", 0, "wei"), ("q", "y", 0, "amy")))
    assert found.ratings.raters == ("amy", "wei")
    assert (found.lines[0].n, found.lines[0].raw) == (2, 0.5)


def test_the_same_name_in_two_files_is_compared_with_itself() -> None:
    found = of(source("may", ("q", "x", 1, "wei")), source("june", ("q", "x", 2, "wei")))
    assert found.ratings.raters == ("wei (june.jsonl)", "wei (may.jsonl)")


def test_the_same_name_on_other_pairs_is_one_rater() -> None:
    found = of(source("a", ("q", "x", 1, "wei"), ("q", "x", 1, "amy")), source("b", ("q", "y", 2, "wei")))
    assert found.ratings.raters == ("amy", "wei")


def test_labels_of_a_program_are_a_rater() -> None:
    found = of(source("a", ("q", "x", 1, None), source="synthetic"), source("b", ("q", "x", 1, None)))
    assert found.ratings.raters == ("b", "synthetic")


def test_adjudications_are_no_opinion() -> None:
    settled = source("c", ("q", "x", 2, "cy"), adjudicated=True)
    found = of(source("a", ("q", "x", 1, "wei"), ("q", "x", 2, "amy")), settled)
    assert found.ratings.raters == ("amy", "wei")
    assert found.ratings.adjudicated == 1


def test_copies_of_what_nobody_signed_are_one_rater() -> None:
    def suite(name: str, grade: int) -> Source:
        return source(name, ("q", "x", 1, None), ("q", "y", grade, None), ("q", "y", 2, "wei"), kind="judged")

    assert of(suite("a", 1), source("b", ("q", "x", 1, None), kind="judged")).ratings.raters == ("unnamed", "wei")
    # Two that differ are compared, and what was graded in a file without a name is the work of its own rater.
    differing = of(suite("a", 1), source("b", ("q", "y", 0, None), kind="judged"))
    assert differing.ratings.raters == ("unnamed (a.jsonl)", "unnamed (b.jsonl)", "wei")
    assert of(suite("a", 1), source("b", ("q", "x", 1, None))).ratings.raters == ("b", "unnamed", "wei")


def test_files_of_one_name_are_two_raters_although_they_agree() -> None:
    both = [Source(f"{n}/x.csv", "x", (PairRow("q", "p", grade=1), PairRow("q", "r", grade=0))) for n in (0, 1)]
    assert len(of(*both).ratings.raters) == 2


def test_many_raters_are_measured_two_by_two_and_together() -> None:
    found = of(
        source("a", ("q", "x", 1, None), ("q", "y", 0, None)),
        source("b", ("q", "x", 1, None), ("q", "y", 1, None)),
        source("c", ("q", "x", 1, None), ("q", "z", 1, None)),
    )
    assert [(line.raters, line.n) for line in found.lines] == [
        (("a", "b", "c"), 2),
        (("a", "b"), 2),
        (("a", "c"), 1),
        (("b", "c"), 1),
    ]
    assert found.lines[0].kappa is None
    assert found.lines[0].alpha is not None
    assert found.lines[2].kappa is None


def test_slices_are_measured_by_query() -> None:
    ratings = collect(
        [
            source("a", ("en", "x", 1, None), ("en", "y", 0, None), ("zh", "x", 1, None)),
            source("b", ("en", "x", 1, None), ("en", "y", 1, None), ("zh", "x", 1, None)),
        ]
    )
    found = agree(ratings, {"language.en": ["en", "other"], "language.zh": ["zh"], "language.fr": ["fr"]})
    assert [(line.group, line.n, line.raw) for line in found.lines] == [
        ("all", 3, 2 / 3),
        ("language.en", 2, 0.5),
        ("language.zh", 1, 1.0),
    ]


def test_the_widest_disagreement_comes_first() -> None:
    found = of(
        source("a", ("q", "x", 1, None), ("q", "y", 0, None), ("q", "z", 0, None)),
        source("b", ("q", "x", 2, None), ("q", "y", 3, None), ("q", "z", 0, None)),
    )
    assert [each.row.id for each in found.disagreements] == ["y", "x"]


def test_a_rater_who_contradicts_themselves_is_refused_by_line() -> None:
    with pytest.raises(
        InputError, match=r"a.jsonl:3: 'wei' gives query 'q' and 'x' the grade 2, in line 1 1; keep one"
    ):
        collect([source("a", ("q", "x", 1, "wei"), ("q", "x", 0, "amy"), ("q", "x", 2, "wei"))])


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([source("a", ("q", "x", 1, None)), source("b", ("q", "y", 1, None))], r"pairs by rater: a 1, b 1"),
        ([source("a", ("q", "x", 1, None))], r"no pair of query_id and id was judged by two raters"),
        ([source("a", ("q", "x", None, None)), source("b", ("q", "x", None, None))], r"nobody gave a grade"),
    ],
)
def test_without_a_common_pair_there_is_no_agreement(sources: list[Source], message: str) -> None:
    with pytest.raises(InputError, match=message):
        collect(sources)


def test_ten_thousand_pairs_of_many_slices() -> None:
    random = np.random.default_rng(1)
    grades = random.integers(0, 3, (2, 10_000))
    sources = [
        Source(name, name, tuple(PairRow(f"q{n % 500}", f"p{n}", grade=int(g)) for n, g in enumerate(column)))
        for name, column in zip("ab", grades, strict=True)
    ]
    found = agree(collect(sources), {f"s.{n}": [f"q{n}"] for n in range(500)})
    assert len(found.lines) == 501
    assert found.lines[0].raw == pytest.approx(float((grades[0] == grades[1]).mean()))
    assert abs(found.lines[0].kappa or 1) < 0.05


def table(out: str) -> dict[str, list[str]]:
    """The lines of the printed table, by slice."""
    return {line.split()[0]: re.split(r"\s{2,}", line.strip()) for line in out.splitlines() if "amy and" in line}


def test_a_suite_with_two_annotators_by_slice(world: World) -> None:
    world.write(
        [
            {
                "query_id": "en-1",
                "text": "How large?",
                "history": ["Hello"],
                "language": "en",
                "relevant": [
                    {"id": MESSAGES, "grade": 2, "annotator": "wei"},
                    {"id": MESSAGES, "grade": 0, "annotator": "amy", "note": "舊"},
                    {"id": WAITING, "grade": 1, "annotator": "wei"},
                    {"id": WAITING, "grade": 1, "annotator": "amy"},
                ],
            },
            {
                "query_id": "zh-1",
                "text": "最大多少？",
                "language": "zh-Hant",
                "relevant": [
                    {"id": 訊息, "grade": 2, "annotator": "wei"},
                    {"id": 訊息, "grade": 2, "annotator": "amy"},
                ],
            },
        ]
    )
    done = world.run("agreement", world.head, "--slice", "language")
    assert done.status == 0, done.err
    # 2 of 3 agree; by chance (1/3 x 2/3 + 1/3 x 1/3) = 1/3: kappa 1/2. Weighted: observed 2/3, by chance 8/9: 1/4.
    assert table(done.out)["all"][:6] == ["all", "amy and wei", "3", "0.667", "0.500", "0.250"]
    assert table(done.out)["language.en"][2:4] == ["2", "0.500"]
    assert table(done.out)["language.zh-Hant"][2:] == ["1", "1.000", "-", "-", "-", "-"]
    assert "- is undefined: all gave one and the same grade there" in done.out
    assert "graded differently: 1 of 3" in done.out
    assert f"en-1  {MESSAGES}: amy 0 (舊), wei 2" in done.out
    assert "asked: Hello / How large?" in done.out


def test_files_of_other_tools_take_texts_and_slices_from_the_suite(world: World) -> None:
    first, second = world.root / "a.csv", world.root / "b.jsonl"
    first.write_text(f"query_id,id,grade,annotator\nzh-1,{訊息},2,amy\nx-1,{訊息},1,amy\n", "utf-8")
    second.write_text(json.dumps({"query_id": "zh-1", "id": 訊息, "grade": 1, "annotator": "bo"}) + "\n", "utf-8")
    done = world.run("agreement", first, second, "--suite", world.head, "--slice", "language")
    assert done.status == 0, done.err
    assert "queries that suite 'core' does not hold, left out: 1" in done.out
    assert "asked: 一則訊息最大多少？" in done.out
    assert table(done.out)["language.zh-Hant"][2:4] == ["1", "0.000"]


def test_what_cannot_be_compared_is_refused(world: World) -> None:
    path = world.root / "a.csv"
    path.write_text("query_id,id,grade,annotator\nx,y,2,amy\nx,y,1,bo\n", "utf-8")
    assert world.run("agreement", path).status == 0
    done = world.run("agreement", path, "--slice", "language")
    assert (done.status, "slice= needs the fields of the queries" in done.err) == (2, True)
    done = world.run("agreement", path, "--suite", world.head)
    assert (done.status, "no query of suite 'core'" in done.err) == (2, True)
    done = world.run("agreement", path, world.head, "--slice", "langauge")
    assert done.status == 2
    assert "slice: suite 'core' has no field 'langauge'; did you mean 'language'?" in done.err
    done = world.run("agreement", world.head.with_suffix(".jsonl"))
    assert done.status == 2
    assert done.err.count("give the suite's YAML head") == 1
    assert len(done.err.splitlines()) == 1
    done = world.run("agreement", world.root / "none.csv")
    assert (done.status, "none.csv: not found" in done.err) == (2, True)


def test_the_list_of_differences_can_be_cut(world: World) -> None:
    path: Path = world.root / "a.csv"
    lines = "".join(f"q{n},x,{grade},{who}\n" for n in range(30) for grade, who in ((1, "amy"), (0, "bo")))
    path.write_text(f"query_id,id,grade,annotator\n{lines}", "utf-8")
    assert "... and 10 more (most=N lists more)" in world.run("agreement", path).out
    cut = world.run("agreement", path, "--most", "1").out
    assert cut.count("amy 1, bo 0") == 1
    assert "... and 29 more" in cut
