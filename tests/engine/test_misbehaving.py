"""Whatever a component does, its own jobs fail with one line that names it, and the others end as if alone."""

import os
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_world import Node, World, bm25, reranked, semantic

from runner.cli.sweep_printer import SweepPrinter
from runner.workflows.run_jobs import RunOptions, run_jobs

GOOD = bm25(), bm25(k1=2.0)


def bad(name: str, **params: Any) -> Node:
    return {"_target_": f"misbehaving.{name}", "name": name.lower(), **params}


def error_of(world: World, *nodes: Node, **options: Any) -> list[str]:
    """Run bad nodes between two good ones, hold these to be right, and return the errors, each of one line."""
    ran = world.sweep(GOOD[0], *nodes, GOOD[1], **options)
    assert [bool(error) for error in ran.errors] == [False, *[True] * len(nodes), False]
    alone = world.elsewhere("alone").sweep(*GOOD)
    assert [ran.rankings(0), ran.rankings(len(nodes) + 1)] == [alone.rankings(0), alone.rankings(1)]
    errors = [str(error) for error in ran.errors[1:-1]]
    assert all(error.isprintable() and len(error) < 800 for error in errors), errors
    return errors


# -- raising -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("mute", "Mute: (its message cannot be written)"),
        ("locked", "Locked: a lock inside"),
        ("unknown", "Unknown: of no kind"),
        ("generator exit", "GeneratorExit"),
        ("key", "KeyError: 'title'"),
        ("sys.exit", "SystemExit: 0"),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_anything_raised_is_told_with_class_file_line_and_kind(world: World, act: str, said: str, n_jobs: int) -> None:
    (error,) = error_of(world, bad("Acting", act=act), n_jobs=n_jobs)
    file, line = error.partition(" (")[2].partition("): ")[0].rsplit(":", 1)
    assert Path(file).name == "misbehaving.py"
    assert line.isdecimal()
    assert error == f"misbehaving.Acting ({file}:{line}): {said}"


def test_a_message_of_many_lines_and_controls_is_one_plain_line(world: World) -> None:
    (error,) = error_of(world, bad("Acting", act="lines"))
    assert "ValueError: one  [31mtwo three!!!" in error
    assert error.endswith("! ...")


@pytest.mark.parametrize(
    "node",
    [
        bad("Building", act="key"),
        semantic(bad("Embedding", act="key")),
        reranked(bm25(), bad("Scoring", act="key")),
        bad("Fusing", retrievers={"bm25": bm25()}, combining="key"),
    ],
    ids=["index", "embedder", "reranker", "fusion"],
)
def test_every_kind_of_component_is_named(world: World, node: Node) -> None:
    (error,) = error_of(world, node)
    assert error.startswith("misbehaving.")
    assert "misbehaving.py:" in error


# -- ending the process ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_code_that_ends_crashes_or_blocks_its_process_fails_alone(world: World, n_jobs: int) -> None:
    acts = ["exit", "kill", "crash", "hang", "interrupt"]
    errors = error_of(world, *(bad("Acting", act=act) for act in acts), n_jobs=n_jobs, backend="loky", time_limit=4.0)
    place = r"misbehaving.Acting ("
    assert errors[0] == "misbehaving.Acting: ended its process with status 0"
    assert errors[1] == "misbehaving.Acting: its process was killed by SIGKILL (out of memory?)"
    assert errors[2].startswith(place)
    assert errors[2].endswith(": its process was killed by SIGSEGV")
    assert errors[3].startswith(place)
    assert "took longer than time_limit=4 seconds" in errors[3]
    assert errors[4].endswith("): KeyboardInterrupt")


@pytest.mark.slow
def test_every_kind_of_component_may_end_its_process(world: World) -> None:
    nodes = [
        bad("Building", act="exit"),
        semantic(bad("Embedding", act="exit")),
        reranked(bm25(), bad("Scoring", act="exit")),
    ]
    errors = error_of(world, *nodes, n_jobs=2)
    assert errors == [
        f"misbehaving.{name}: ended its process with status 0" for name in ("Building", "Embedding", "Scoring")
    ]


@pytest.mark.slow
def test_code_that_ends_its_process_in_a_whole_sweep_leaves_the_others_logged(
    tracked: World, capfd: pytest.CaptureFixture[str]
) -> None:
    fusing = bad("Fusing", retrievers={"bm25": bm25()}, act="exit")
    nodes = [bm25(), bad("Acting", act="exit"), fusing, bad("Acting", act="print")]
    outcome = run_jobs(tracked.requests(*nodes), RunOptions(sweep=True), tracked, SweepPrinter())
    shown = capfd.readouterr()
    failed = [line for line in shown.err.splitlines() if line.startswith("failed: ")]
    assert failed == [
        "failed: number=1: misbehaving.Acting: ended its process with status 0",
        "failed: number=2: misbehaving.Fusing: ended its process with status 0",
    ]
    assert (outcome.status, len(outcome.rows)) == (1, 2)
    assert "PRINTED" not in shown.out
    assert "PRINTED BY A COMPONENT" in shown.err


@pytest.mark.slow
def test_printing_closing_forking_and_meddling_costs_nobody_a_result(world: World) -> None:
    nodes = [bad("Acting", act=act) for act in ("close", "fork", "meddle", "print", "nothing")]
    ran = world.sweep(*nodes, bad("Acting", act="key"), n_jobs=2)
    assert ran.errors[:-1] == [None] * 5
    assert all(ran.rankings(number) == ran.rankings(4) for number in range(4))
    assert str(ran.errors[-1]).endswith("KeyError: 'title'")


# -- giving back something else ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("none", "None (NoneType); expected Rankings, or one list"),
        ("text", "'no ranking' (str); expected Rankings"),
        ("mapping", "a dict; expected Rankings"),
        ("number", "np.int64(3) (int64); expected Rankings"),
        ("nones", "None (NoneType) for query 'q1'"),
        ("ids", "'en/billing.md' (str) for query 'q1'; expected (passage id, score)"),
        ("rows", "(np.int64(0), 1.0) (tuple) for query 'q1'; expected (passage id, score)"),
        ("triples", "('en/billing.md', 1.0, 2) (tuple) for query 'q1'"),
        ("words", "('en/billing.md', '1.0') (tuple) for query 'q1'"),
        ("complex", "('en/billing.md', 1j) (tuple) for query 'q1'"),
        ("endless", "more than 1080 entries for query 'q1'"),
        ("endlessly many", "more than 5 rankings for 5 queries"),
        ("foreign row", "row 8 for query 'q1'; the snapshot has rows 0 to 7"),
        ("negative row", "row -1 for query 'q1'"),
        ("bad offsets", "Rankings whose offsets run from 5 to 0 over 1 rows and 1 scores"),
        ("lists in rankings", "Rankings whose offsets are a list"),
        ("float rows", "Rankings whose rows are an array of shape (5,) and type float64"),
    ],
)
def test_what_is_no_ranking_is_shown(world: World, what: str, said: str) -> None:
    (error,) = error_of(world, bad("Returning", what=what))
    assert error.startswith(f"returning returned {said}")


@pytest.mark.parametrize("what", ["generator", "numpy scores", "whole scores", "ten times too many", "changed"])
def test_what_is_as_good_as_promised_is_taken(world: World, what: str) -> None:
    ran = world.sweep(bad("Returning", what=what), bad("Acting"), depth=5)
    assert ran.errors == [None, None]
    assert ran.rankings(0) == ran.rankings(1)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("nothing", "built None (NoneType); expected an Index"),
        ("mapping", "built a dict; expected an Index"),
        ("objects", "built an Index whose 'a' is an array of shape (1,) and type object"),
        ("lists", "built an Index whose 'a' is a list"),
        ("path", "built an Index with an array '../a'"),
        ("set", "built an Index whose meta holds more than JSON values"),
    ],
)
def test_what_is_no_index_is_shown(world: World, what: str, said: str) -> None:
    (error,) = error_of(world, bad("Building", what=what))
    assert error.startswith(f"misbehaving.Building {said}")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("none", "None (NoneType); expected float32 [texts, dimensions]"),
        ("texts", "a list; expected float32"),
        ("ragged", "a list; expected float32"),
        ("complex", "an array of shape"),
        ("generator", "a generator; expected float32"),
        ("flat", "shape ("),
        ("too many", "shape ("),
        ("no dimension", "shape ("),
        ("other dimensions", "vectors of"),
    ],
)
def test_what_is_no_vectors_is_shown(world: World, what: str, said: str) -> None:
    (error,) = error_of(world, semantic(bad("Embedding", what=what)))
    assert error.startswith(f"the embedder misbehaving.Embedding returned {said}")


def test_whole_numbers_are_vectors_too(world: World) -> None:
    ran = world.sweep(semantic(bad("Embedding", what="numpy ints")), semantic(bad("Embedding")))
    assert ran.errors == [None, None]
    assert ran.rankings(0) == ran.rankings(1)


@pytest.mark.parametrize("what", ["none", "texts", "column", "too many", "nan", "mapping"])
def test_what_is_no_scores_is_shown(world: World, what: str) -> None:
    (error,) = error_of(world, reranked(bm25(), bad("Scoring", what=what)))
    assert error.startswith("the reranker misbehaving.Scoring ")


def test_what_a_component_changes_in_what_it_is_given_is_its_own_copy(world: World) -> None:
    doubled = bad("Fusing", retrievers={"bm25": bm25()}, scale=2.0)
    ran = world.sweep(
        doubled, bm25(), reranked(bm25(), bad("Scoring", what="changes")), reranked(bm25(), bad("Scoring"))
    )
    assert ran.errors == [None] * 4
    assert ran.rankings(1) == world.elsewhere().sweep(bm25()).rankings()
    assert [(id_, 2 * score) for id_, score in ran.rankings(1)["q1"]] == ran.rankings(0)["q1"]
    assert ran.rankings(2) == ran.rankings(3)


def test_a_process_is_as_it_was_after_a_component_meddled(world: World) -> None:
    folder, home, threads = os.getcwd(), os.environ["HOME"], threading.active_count()
    random.seed(7)
    np.random.seed(7)
    expected = random.random(), float(np.random.rand())
    random.seed(7)
    np.random.seed(7)
    errors = np.geterr()
    assert world.sweep(bad("Acting", act="meddle")).errors == [None]
    assert (os.getcwd(), os.environ["HOME"], np.geterr()) == (folder, home, errors)
    assert "MEDDLED" not in os.environ
    assert (random.random(), float(np.random.rand())) == expected
    assert threading.active_count() == threads


def test_a_pool_is_asked_for_once_a_query_however_often_it_is_read(world: World) -> None:
    node = bad("Fusing", retrievers={"bm25": bm25()})
    ran = world.sweep(node)
    job = ran.plan.jobs[0]
    first = ran.executor.candidates(job.stage, job.queries, 10)
    assert job.stage.candidates_of.keys() == {job.stage.query_key(query) for query in job.queries}
    # What is known is no longer asked of the component, which would end this process.
    object.__setattr__(job.stage.component.object, "act", "sys.exit")
    assert np.array_equal(ran.executor.candidates(job.stage, job.queries, 10).rows, first.rows)
    assert np.array_equal(job.stage.candidates(job.queries, 10).rows, first.rows)
