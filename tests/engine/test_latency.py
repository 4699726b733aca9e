"""Latency that can be trusted: on one thread, repeated, marked where the repeat differs, and measured again then."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from engine_world import TIMED, World, bm25, late, reranked, toy_model
from threadpoolctl import threadpool_info

from retrievers.base import Passages, Query
from runner.configuration.settings import LatencySettings
from runner.engine import latency
from runner.engine.latency import Timing, time_queries
from runner.engine.measurements import Measured
from runner.engine.one_thread import one_thread, threads_seen

SETTINGS = LatencySettings(sample=3, warmup=1, seconds=10.0)
PASSAGES = Passages(("a",), ("a",), ("text",))


@dataclass
class Remembering:
    """Takes long for a query that it has not met, and notes its threads at each."""

    milliseconds: float = 20.0
    met: list[str] = field(default_factory=list)

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Any:
        import time

        for query in queries:
            if query.text not in self.met:
                time.sleep(self.milliseconds / 1000)
            self.met.append(query.text)
        return [[] for _ in queries]


def timing(retriever: Any, settings: LatencySettings = SETTINGS) -> Timing:
    sample = {str(number): Query(f"q{number}", f"text {number}") for number in range(3)}
    return Timing(retriever, 10, settings, sample, passages=PASSAGES)


# -- the repeat --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ([1.0, 1.0, 1.0], [1.9, 1.9, 1.9], True),
        ([1.0, 1.0, 1.0], [2.1, 2.1, 2.1], False),
        ([2.1, 2.1, 2.1], [1.0, 1.0, 1.0], False),
        # One query in three, and so the 95th percentile.
        ([1.0, 1.0, 1.0], [1.0, 1.0, 9.0], False),
        # Less than the clock and the scheduler make out.
        ([0.01, 0.01], [0.05, 0.05], True),
        # The time was up before the repeat was whole.
        ([1.0, 1.0, 50.0], [1.0, 1.0], True),
    ],
)
def test_a_repeat_agrees_within_twofold(first: list[float], second: list[float], agree: bool) -> None:
    assert latency._agree(first, second) is agree


def test_code_that_remembers_its_queries_is_noisy_and_no_faster_for_it() -> None:
    timed = time_queries(timing(Remembering()))
    assert timed.noisy
    # The first query was met in the warm-up.
    assert all(milliseconds >= 20 for key, milliseconds in timed.latency_ms.items() if key != "0")


def test_each_query_is_run_twice_after_a_warm_up_whatever_the_settings() -> None:
    retriever = Remembering(milliseconds=0)
    time_queries(timing(retriever, LatencySettings(sample=3, warmup=0, seconds=10.0)))
    asked = {text: retriever.met.count(text) for text in retriever.met}
    assert asked == {"text 0": 4, "text 1": 2, "text 2": 2}


def test_one_query_at_least_is_timed_twice_however_short_the_time() -> None:
    timed = time_queries(timing(Remembering(), LatencySettings(sample=3, warmup=1, seconds=0.0)))
    assert list(timed.latency_ms) == ["0"]


# -- the threads -------------------------------------------------------------------------------------------


def test_what_is_loaded_by_the_warm_up_is_held_to_one_thread() -> None:
    before = threads_seen()
    seen: list[int] = []

    class Loading:
        def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Any:
            import faiss

            vectors = np.ones((50, 8), np.float32)
            faiss.knn(vectors, vectors, 3)
            seen.append(max(pool["num_threads"] for pool in threadpool_info()))
            return [[] for _ in queries]

    timed = time_queries(timing(Loading()))
    assert "faiss" in sys.modules
    assert set(seen[-6:]) == {1}
    assert timed.threads >= 1
    assert threads_seen() >= before


def test_an_onnxruntime_session_is_made_anew_with_one_thread_and_then_as_it_was() -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    # ir_version 8; a graph of one Identity from x to y, float [n]; opset 13.
    node = b"\x0a\x01x\x12\x01y\x22\x08Identity"
    kind = b"\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02"
    graph = b"\x0a" + bytes([len(node)]) + node + b"\x12\x01g"
    for field_, name in ((b"\x5a", b"x"), (b"\x62", b"y")):
        inner = b"\x0a\x01" + name + kind
        graph += field_ + bytes([len(inner)]) + inner
    model = b"\x08\x08\x3a" + bytes([len(graph)]) + graph + b"\x42\x04\x0a\x00\x10\x0d"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    with one_thread():
        assert session.get_session_options().intra_op_num_threads == 1
        assert session.run(None, {"x": np.ones(2, np.float32)})[0].tolist() == [1.0, 1.0]
    assert session.get_session_options().intra_op_num_threads == 2


# -- what is kept ------------------------------------------------------------------------------------------


def test_a_noisy_latency_is_measured_again_and_one_that_stands_is_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured() -> Measured:
        ran = world.sweep(bm25(), latency=TIMED)
        found = ran.executor.measured(ran.stage("bm25"))
        assert found is not None
        return found

    monkeypatch.setattr(latency, "_AGREEMENT", 0.0)
    monkeypatch.setattr(latency, "_UNSEEN_MS", 0.0)
    noisy = measured()
    assert (noisy.latency_noisy, len(noisy.latency_ms)) == (True, 3)
    monkeypatch.setattr(latency, "_AGREEMENT", float("inf"))
    again = measured()
    assert (again.latency_noisy, set(again.latency_ms)) == (False, set(noisy.latency_ms))
    assert again.latency_ms != noisy.latency_ms
    assert again.index_bytes == noisy.index_bytes
    assert measured() == again
    assert again.latency_threads == 1
    assert again.latency_load is not None


def test_what_an_older_program_measured_is_measured_again_and_the_index_s_figures_stand() -> None:
    old = {"latency_ms": {"00": 558.0}, "index_bytes": 7, "measured_at": "2026-01-01T00:00:00+00:00", "host": "h"}
    read = Measured.parse(json.dumps(old).encode())
    assert (read.latency_ms, read.index_bytes, read.host) == ({}, 7, "h")
    now = Measured({"00": 1.0}, latency_noisy=True, latency_threads=2, latency_load=0.5, index_bytes=7)
    assert Measured.parse(now.dump()) == now


def test_every_kind_of_stage_is_timed_in_a_worker(world: World, tmp_path: Any) -> None:
    node = reranked(bm25(), late(toy_model(tmp_path / "model")))
    ran = world.sweep(node, n_jobs=2, latency=TIMED)
    for name in ("bm25", "reranked"):
        found = ran.executor.measured(ran.stage(name))
        assert found is not None
        assert len(found.latency_ms) == 3


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_code_that_ends_its_process_while_it_is_timed_keeps_its_rankings_and_ends_nothing_else(
    world: World, n_jobs: int
) -> None:
    node = {"_target_": "misbehaving.EndingAlone", "name": "ending"}
    with pytest.warns(UserWarning, match=r"ending could not be timed: misbehaving.EndingAlone: ended its process"):
        ran = world.sweep(node, bm25(), n_jobs=n_jobs, backend="loky", latency=TIMED)
    assert ran.errors == [None, None]
    timed = ran.executor.measured(ran.stage("bm25"))
    assert timed is not None
    assert len(timed.latency_ms) == 3
