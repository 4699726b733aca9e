"""Every choice in conf/ composes, builds, and can be swapped from the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from retrievers.analyzer import Analyzer
from retrievers.base import RetrievalError
from retrievers.bm25 import BM25
from retrievers.embedders.sentence_transformers import SentenceTransformer
from retrievers.fusion import ReciprocalRank, Weighted
from retrievers.hybrid import Hybrid
from retrievers.recorded import Recorded
from retrievers.reranked import Reranked
from retrievers.rerankers.cross_encoder import CrossEncoder
from retrievers.rerankers.late_interaction import LateInteraction

CONF = Path(__file__).resolve().parents[2] / "conf"
Composed = Callable[..., Any]


def names(group: str) -> list[str]:
    return sorted(file.stem for file in (CONF / group).glob("*.yaml"))


@pytest.fixture
def composed(tmp_path: Path) -> Composed:
    """Compose the retriever node below a root with the values it may refer to."""
    (tmp_path / "config.yaml").write_text(
        "defaults: [{retriever: bm25}, _self_]\npool: 50\ndepth: 100\nseed: 0\n"
        f"hydra: {{searchpath: ['file://{CONF}']}}\n"
    )

    def node(*overrides: str) -> Any:
        with initialize_config_dir(str(tmp_path), version_base="1.3"):
            config = compose("config", overrides=list(overrides))
        return OmegaConf.to_container(config, resolve=True)["retriever"]  # type: ignore[call-overload, index]

    return node


@pytest.fixture
def built(composed: Composed) -> Composed:
    """Build it as the runner does, which keeps `name` for itself."""

    def unnamed(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        return {key: unnamed(value) for key, value in node.items() if key != "name" or "_target_" not in node}

    return lambda *overrides: instantiate(unnamed(composed(*overrides)), _convert_="all")


@pytest.mark.parametrize("choice", names("retriever"))
def test_every_retriever_builds_and_says_its_name(choice: str, composed: Composed, built: Composed) -> None:
    overrides = [f"retriever={choice}", *(["retriever.path=run.txt"] if choice == "recorded" else [])]
    assert composed(*overrides)["name"] == choice
    assert callable(built(*overrides).retrieve)


@pytest.mark.parametrize("choice", names("analyzer"))
def test_every_analyzer_can_be_swapped_in(choice: str, built: Composed) -> None:
    assert isinstance(built(f"analyzer@retriever.analyzer={choice}").analyzer, Analyzer)


@pytest.mark.parametrize("choice", names("embedder"))
def test_every_embedder_can_be_swapped_in(choice: str, built: Composed) -> None:
    assert built("retriever=semantic", f"embedder@retriever.embedder={choice}").embedder.model_id


@pytest.mark.parametrize("choice", names("fusion"))
def test_every_fusion_can_be_swapped_in(choice: str, built: Composed) -> None:
    assert isinstance(built("retriever=hybrid", f"fusion@retriever.fusion={choice}"), Hybrid)


@pytest.mark.parametrize("choice", names("reranker"))
def test_every_reranker_can_be_swapped_in(choice: str, built: Composed) -> None:
    assert built("retriever=reranked", f"reranker@retriever.reranker={choice}").reranker.model_id


def test_the_defaults_are_those_of_the_classes(built: Composed) -> None:
    assert built("retriever=bm25") == BM25(Analyzer())
    assert built("retriever=hybrid").fusion == ReciprocalRank()
    assert built("retriever=hybrid", "fusion@retriever.fusion=weighted").fusion == Weighted()


def test_the_default_reranked_is_the_late_interaction_mix(built: Composed) -> None:
    retriever = built("retriever=reranked", "pool=20")
    assert isinstance(retriever, Reranked) and isinstance(retriever.reranker, LateInteraction)
    assert retriever.mix == {"reranker": 0.5, "bm25": 1.0, "semantic": 0.5}
    assert isinstance(retriever.first, Hybrid)
    assert (retriever.pool, retriever.first.pool, retriever.first.fusion) == (20, 100, ReciprocalRank(60))


def test_words_and_plain_differ_from_mixed_by_what_they_say(built: Composed) -> None:
    assert built("analyzer@retriever.analyzer=words").analyzer == Analyzer(chinese="words")
    assert built("analyzer@retriever.analyzer=plain").analyzer == Analyzer(stemmer=None, stopwords=None)


def test_parts_deep_inside_can_be_set_and_swapped(built: Composed) -> None:
    retriever = built(
        "retriever=reranked",
        "retriever.first.fusion.k=10",
        "retriever.first.retrievers.bm25.k1=0.9",
        "embedder@retriever.first.retrievers.semantic.embedder=sentence_transformers",
        "reranker@retriever.reranker=cross_encoder",
        "retriever.mix=null",
    )
    assert retriever.first.fusion.k == 10
    assert retriever.first.retrievers["bm25"].k1 == 0.9
    assert isinstance(retriever.first.retrievers["semantic"].embedder, SentenceTransformer)
    assert isinstance(retriever.reranker, CrossEncoder) and retriever.mix is None


def test_a_hybrid_takes_and_drops_retrievers(built: Composed) -> None:
    more = built("retriever=hybrid", "+retriever@retriever.retrievers.other=bm25", "retriever.retrievers.semantic=null")
    assert list(more.sources) == ["bm25", "other"]
    weighed = built(
        "retriever=hybrid", "fusion@retriever.fusion=weighted", "retriever.fusion.weights={bm25:1,semantic:0.5}"
    )
    assert weighed.fusion.weights == {"bm25": 1.0, "semantic": 0.5}


def test_another_first_stage_needs_a_mix_of_its_own(built: Composed) -> None:
    swapped = ["retriever=reranked", "retriever@retriever.first=bm25"]
    with pytest.raises(Exception, match="mix names bm25, semantic, expected only reranker, first") as caught:
        built(*swapped)
    assert isinstance(caught.value.__cause__, RetrievalError)
    retriever = built(*swapped, "retriever.mix={reranker:0.5,first:1.0,bm25:null,semantic:null}")
    assert retriever.mix == {"reranker": 0.5, "first": 1.0}


def test_an_own_list_of_stop_words_arrives_as_words(built: Composed) -> None:
    assert built("retriever.analyzer.stopwords=[the,a]").analyzer.stopwords == ("the", "a")


def test_recorded_takes_a_path(built: Composed) -> None:
    assert built("retriever=recorded", "retriever.path=run.txt") == Recorded("run.txt")
