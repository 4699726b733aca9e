"""A metric's printed form is its name and parses back; ir-measures' names are understood."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from math import isfinite
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import plugins
from runner.errors import ConfigError
from runner.scoring import metric_names
from runner.scoring.metric import REGISTERED, Metric
from runner.scoring.metric_names import (
    DEFAULT_NAMES,
    chosen_metrics,
    class_path,
    is_path,
    parse_metric,
    split_metrics,
)
from runner.scoring.metrics.rbp import RankBiasedPrecision
from runner.tracking.names import metric_key, read_key_part

OWN = '''
from dataclasses import dataclass
from runner.scoring.metric import Metric


@dataclass(frozen=True)
class Depth(Metric):
    """How far down anything was found, of most."""

    most: int
    name = "depth_found"
    aliases = ("DF",)

    def per_query(self, found, k):
        return (found.length > self.most).astype(float)


class Abstract(Metric):
    pass


nothing = 3
'''


@pytest.mark.parametrize(
    ("typed", "printed", "of_query"),
    [
        ("recall", "recall", "recall"),
        ("RR", "mrr", "rr"),
        ("mrr", "mrr", "rr"),
        ("RR@10", "mrr@10", "rr@10"),
        ("AP@100", "map@100", "ap@100"),
        ("P@5", "precision@5", "precision@5"),
        ("Precision@5", "precision@5", "precision@5"),
        ("R@10", "recall@10", "recall@10"),
        ("Recall@10", "recall@10", "recall@10"),
        ("Success@1", "hit@1", "hit@1"),
        ("success", "hit", "hit"),
        ("nDCG@10", "ndcg@10", "ndcg@10"),
        ("NDCG@10", "ndcg@10", "ndcg@10"),
        ("nDCG(dcg='exp-log2')@10", "ndcg(dcg=exp-log2)@10", "ndcg(dcg=exp-log2)@10"),
        ("ndcg(dcg=log2)", "ndcg", "ndcg"),
        ("RBP(p=0.80)@10", "rbp(p=0.8)@10", "rbp(p=0.8)@10"),
        ("ERR@20", "err@20", "err@20"),
        ("err(max_grade=3)", "err(max_grade=3)", "err(max_grade=3)"),
        ("Bpref", "bpref", "bpref"),
        ("Rprec", "r_precision", "r_precision"),
        ("Judged@10", "judged@10", "judged@10"),
        (" rbp( p = 0.8 )@3", "rbp(p=0.8)@3", "rbp(p=0.8)@3"),
        ("MAP", "map", "ap"),
        ("pool_recall", "pool_recall", "pool_recall"),
    ],
)
def test_a_name_is_read_and_its_printed_form_parses_back(typed: str, printed: str, of_query: str) -> None:
    metric = parse_metric(typed)
    assert (str(metric), metric.of_query) == (printed, of_query)
    assert parse_metric(printed) == metric
    assert read_key_part(metric_key(printed)) == printed


@given(st.floats(0, 1, exclude_min=True, exclude_max=True).filter(isfinite), st.integers(1, 10**6))
def test_every_parameter_and_cutoff_parses_back(p: float, cutoff: int) -> None:
    metric = RankBiasedPrecision(p, cutoff=cutoff)
    assert parse_metric(str(metric)) == metric


def test_all_measures_of_ir_measures_that_are_known_are_known_by_their_own_names() -> None:
    for name in ("nDCG", "P", "R", "RR", "AP", "Success", "ERR", "Bpref", "BPref", "Rprec", "RPrec", "Judged"):
        assert name in ir_measures.measures.registry
        assert parse_metric(name)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("ndgc", "unknown metric 'ndgc'; did you mean 'ndcg'?"),
        ("x", r"unknown metric 'x'; known: hit, recall, precision, .*rbp\(p=...\)"),
        ("", "cannot read the metric ''; expected a name"),
        ("rbp(p=0.8", "cannot read the metric"),
        ("recall at 5", "cannot read the metric"),
        ("rbp", r"metric 'rbp': give it p, like rbp\(p=...\)"),
        ("rbp(0.8)", "expected parameters as name=value, found '0.8'"),
        ("rbp(p=high)", "expected a number as p, found 'high'"),
        ("rbp(p=1)", "p is a chance over 0 and under 1, found 1"),
        ("rbp(p=nan)", "p is a chance over 0 and under 1, found nan"),
        ("err(max_grade=0.5)", "expected a whole number as max_grade, found '0.5'"),
        ("err(max_grade=0)", "max_grade is the highest grade, from 1 to 50, found 0"),
        ("ndcg(dcg=exp)", "dcg is one of log2, exp-log2, found 'exp'"),
        ("P(rel=2)@5", "precision has no parameter 'rel'; what counts as relevant is the suite's min_grade"),
        ("recall@0", "the cutoff must be at least 1"),
        ("Rprec@5", "r_precision takes no cutoff; write r_precision"),
        ("no_such_module.Metric", "cannot be imported .*expected module.Class"),
        ("os.path", "is no metric; expected a class derived from runner.scoring.metric.Metric"),
        ("runner.scoring.metric.Metric", "is no metric"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(typed: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        parse_metric(typed)
    assert "\n" not in str(error.value)


def test_a_list_is_parted_between_metrics_and_not_between_parameters() -> None:
    assert split_metrics("recall, own.F(a=1,b=2)@3,ndcg") == ["recall", "own.F(a=1,b=2)@3", "ndcg"]


def test_the_metrics_of_a_run_stand_in_one_order_each_once_with_hit_and_recall() -> None:
    assert chosen_metrics(["default"]) == DEFAULT_NAMES
    assert chosen_metrics(["rbp(p=0.8)", "AP", "nDCG", "map"]) == ("hit", "recall", "ndcg", "map", "rbp(p=0.8)")
    assert chosen_metrics(["ndcg@3", "default", "pool_recall"]) == (*DEFAULT_NAMES, "ndcg@3")
    assert chosen_metrics([]) == ("hit", "recall")


def test_naming_a_class_by_its_path_imports_nothing_until_it_is_read() -> None:
    assert chosen_metrics(["no_such_module.Metric(x=1)"])[-1] == "no_such_module.Metric(x=1)"
    assert is_path("a.B(x=0.5)@3")
    assert not is_path("rbp(p=0.5)")
    assert class_path("a.B(x=0.5)@3") == "a.B"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "own_metrics_of_a_test.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    caches = (metric_names._known, metric_names._parsed)
    for cache in caches:
        cache.cache_clear()
    yield
    REGISTERED.pop("depth_found", None)
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("own")
def test_a_class_of_ones_own_is_printed_by_its_path() -> None:
    path = "own_metrics_of_a_test.Depth(most=3)"
    assert str(parse_metric(path)) == path
    assert parse_metric(f"{path}@5").cutoff == 5
    for none in ("Abstract", "nothing"):
        with pytest.raises(ConfigError, match="is no metric"):
            parse_metric(f"own_metrics_of_a_test.{none}")


def bring(monkeypatch: pytest.MonkeyPatch, **found: str) -> None:
    points = {name: EntryPoint(name, value, "retrieval_runner.metrics") for name, value in found.items()}
    monkeypatch.setattr(metric_names, "installed", lambda kind: points if kind == "metrics" else {})


@pytest.mark.usefixtures("own")
def test_a_metric_of_an_installed_package_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "metrics" in plugins.GROUPS
    bring(monkeypatch, depth_found="own_metrics_of_a_test:Depth")
    assert str(parse_metric("DF(most=3)@5")) == "depth_found(most=3)@5"
    assert "depth_found(most=...)" in metric_names.metric_names()
    assert metric_names.metric_names()[: len(DEFAULT_NAMES)] == list(DEFAULT_NAMES)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("own_metrics_of_a_test:nothing", "is no metric; expected a class derived"),
        ("no_such_module:Depth", "cannot be imported from no_such_module:Depth"),
    ],
)
def test_an_installed_package_that_brings_no_metric_is_named(
    monkeypatch: pytest.MonkeyPatch, value: str, message: str
) -> None:
    bring(monkeypatch, broken=value)
    with pytest.raises(ConfigError, match=message):
        parse_metric("recall")


@pytest.mark.usefixtures("own")
def test_two_metrics_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import own_metrics_of_a_test  # type: ignore[import-not-found]

    monkeypatch.setattr(own_metrics_of_a_test.Depth, "name", "recall")
    bring(monkeypatch, recall="own_metrics_of_a_test:Depth")
    with pytest.raises(ConfigError, match=r"two metrics are called 'recall': runner.scoring.metrics.recall.Recall and"):
        parse_metric("recall")


def test_a_metric_is_a_value() -> None:
    assert parse_metric("rbp(p=0.8)") == RankBiasedPrecision(0.8)
    assert len({parse_metric("rbp(p=0.8)"), parse_metric("RBP(p=0.80)"), parse_metric("rbp(p=0.5)")}) == 2
    with pytest.raises(AttributeError):
        parse_metric("recall").cutoff = 3  # type: ignore[misc]
    assert issubclass(RankBiasedPrecision, Metric)
