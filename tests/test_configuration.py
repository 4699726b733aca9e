"""Every file in conf/ composes, is read by the settings, and builds what it names."""

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf

from retrievers.base import RetrievalError
from runner.configuration.identity import collection_name
from runner.configuration.settings import Settings, conf_directory, register_resolvers
from runner.engine.building import TARGET, build
from runner.errors import ConfigError

NODES = ("corpus", "chunker", "suite", "retriever")
# What a choice needs beside itself: the files that only a user has, or the part of a retriever it stands in.
PLACES = {
    "corpus": ["corpus={}", "corpus.path=somewhere"],
    "chunker": ["chunker={}"],
    "retriever": ["retriever={}"],
    "analyzer": ["retriever=bm25", "analyzer@retriever.analyzer={}"],
    "embedder": ["retriever=semantic", "embedder@retriever.embedder={}"],
    "fusion": ["retriever=hybrid", "fusion@retriever.fusion={}"],
    "reranker": ["retriever=reranked", "reranker@retriever.reranker={}"],
    "tracking": ["tracking={}"],
    "dataset": ["dataset={}"],
    "experiment": ["experiment={}"],
    "suite": ["suite={}"],
    "trace": ["trace={}"],
}
NEEDS = {
    "suite/own": ["suite.path=somewhere"],
    "suite/beir": ["suite.path=somewhere"],
    "suite/cases": ["suite.path=somewhere"],
    "suite/trec": ["suite.topics=somewhere", "suite.qrels=somewhere"],
    "dataset/pages": ["dataset.path=docs", "dataset.suite=own.yaml"],
    "dataset/beir": ["dataset.path=collection"],
    "dataset/cases": ["dataset.path=cases.json"],
    "corpus/trec": ["dataset=trec", "dataset.qrels=q.txt"],
    "dataset/trec": ["dataset.qrels=q.txt"],
    "tracking/server": ["tracking.uri=http://localhost:5000"],
}
CHOICES = sorted(f"{path.parent.name}/{path.stem}" for path in conf_directory().glob("*/*.yaml"))
SWEPT = [choice for choice in CHOICES if choice.partition("/")[0] in PLACES]


@pytest.fixture(autouse=True)
def hydra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path))
    register_resolvers()
    with initialize_config_dir(str(conf_directory()), version_base="1.3"):
        yield
    GlobalHydra.instance().clear()


def overrides_of(choice: str, tmp_path: Path) -> list[str]:
    group, _, name = choice.partition("/")
    places = [] if choice == "corpus/trec" else PLACES[group]
    needed = [*(each.format(name) for each in places), *NEEDS.get(choice, [])]
    if choice in ("retriever/recorded", "dataset/cases"):
        # The file is hashed as soon as the retriever is made part of a plan.
        (tmp_path / "cases.json").write_text('[{"query_id": "a", "relevant": ["x"], "retrieved": ["x"]}]', "utf-8")
        needed.append(f"{'retriever' if group == 'retriever' else 'dataset'}.path={tmp_path}/cases.json")
    if choice in ("corpus/trec", "dataset/trec"):
        (tmp_path / "a.run").write_text("q Q0 d 1 1.5 tag\n", "utf-8")
        needed.append(f"dataset.runs={tmp_path}/a.run")
    return needed


def composed(overrides: Sequence[str]) -> DictConfig:
    config = compose("config", overrides=list(overrides))
    return OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])


def without_target(values: Any, path: str) -> Iterator[str]:
    if isinstance(values, dict):
        if TARGET in values:
            yield path
        for key, value in values.items():
            yield from without_target(value, f"{path}.{key}")


@pytest.mark.parametrize("choice", SWEPT)
def test_every_choice_composes_is_read_and_builds(choice: str, tmp_path: Path) -> None:
    settings = Settings.read(composed(overrides_of(choice, tmp_path)))
    for name in NODES:
        node = getattr(settings, name)
        # Every node of the file became a part, none stayed a mapping.
        assert {part.path for part in build(node, name).walk()} == set(without_target(node, name))


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the neural extra is installed")
@pytest.mark.parametrize("choice", ["embedder/sentence_transformers", "reranker/cross_encoder"])
def test_an_absent_extra_is_named_before_anything_is_computed(choice: str, tmp_path: Path) -> None:
    part = build(Settings.read(composed(overrides_of(choice, tmp_path))).retriever, "retriever")
    with pytest.raises(RetrievalError, match="needs the `neural` extra, which is not installed"):
        _ = part.key


def test_every_group_is_covered_here_or_by_its_own_reader() -> None:
    # Gates are read by their own command, without Hydra.
    assert {choice.partition("/")[0] for choice in CHOICES} - {"gate", "anonymise"} == set(PLACES)


def test_the_default_job_is_the_demo_with_bm25(tmp_path: Path) -> None:
    settings = Settings.read(composed([]))
    assert (settings.dataset["name"], settings.retriever["name"]) == ("demo", "bm25")
    assert (settings.k, settings.depth) == (5, 100)
    assert settings.store == str(tmp_path / "mlruns")
    assert settings.tracking.uri == f"sqlite:///{tmp_path}/mlruns/mlflow.db"
    assert settings.tracking.artifacts == f"{tmp_path}/mlruns/artifacts"
    assert settings.tracking.experiment == "demo"


def test_the_older_documents_are_one_override_away() -> None:
    newer, older = (Settings.read(composed(more)).corpus["path"] for more in ([], ["dataset.date=2026-03"]))
    assert newer.endswith("demo/2026-09")
    assert older.endswith("demo/2026-03")
    assert len(list(Path(older).rglob("*.md"))) >= 45


@pytest.mark.parametrize(("path", "name"), [("docs/手冊", "手冊"), ("a/b.json", "b"), ("vv/2026.03", "2026.03")])
def test_a_dataset_is_named_after_its_folder(path: str, name: str) -> None:
    settings = Settings.read(composed(["dataset=beir", f"dataset.path='{path}'"]))
    assert settings.dataset["name"] == settings.tracking.experiment == collection_name(path)
    assert settings.dataset["name"].rpartition("-")[0] == name
    assert settings.corpus["path"] == settings.suite["path"] == path


def test_a_retriever_can_be_added_to_and_dropped_from_a_hybrid() -> None:
    added = composed(["retriever=hybrid", "+retriever@retriever.retrievers.words=bm25"])
    assert set(Settings.read(added).retriever["retrievers"]) == {"bm25", "semantic", "words"}
    dropped = Settings.read(composed(["retriever=hybrid", "retriever.retrievers.semantic=null"]))
    assert set(build(dropped.retriever, "retriever").object.sources) == {"bm25"}


def test_any_first_stage_can_be_reranked() -> None:
    mix = "retriever.mix={reranker:0.5,first:1.0,bm25:null,semantic:null}"
    settings = Settings.read(composed(["retriever=reranked", "retriever@retriever.first=bm25", mix, "pool=20"]))
    part = build(settings.retriever, "retriever")
    assert part.object.pool == 20
    assert part.children["first"].target == "retrievers.bm25.BM25"


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["dataset=pages"], ["dataset.path=...", "dataset.suite=..."]),
        (["store=here"], ["store: expected an absolute path"]),
        (["k=0", "pool=x"], ["k: ", "pool: "]),
        (["k=101"], ["k=101", "depth=101"]),
        (["curve=[1,0]"], ["curve.1: "]),
        (["+kk=1"], ["unknown setting 'kk'", "'k'"]),
        (["cache=yes"], ["cache: "]),
    ],
)
def test_what_cannot_be_is_refused_by_the_name_of_the_setting(overrides: list[str], words: list[str]) -> None:
    with pytest.raises(ConfigError) as refused:
        Settings.read(composed(overrides))
    for each in words:
        assert each in str(refused.value)


def test_a_module_is_trusted_by_its_name_alone_or_in_a_list() -> None:
    for asked in ("trust=mine", "trust=[mine]"):
        assert Settings.read(composed([asked])).trust == ("mine",)
    assert Settings.read(composed(["trust='mine,theirs'"])).trust == ("mine", "theirs")


def test_what_conf_asks_the_program_for_keeps_its_names() -> None:
    # Configurations of people's own, and stored ones, ask by these too, wherever a module goes.
    asked = {
        name
        for path in conf_directory().rglob("*.yaml")
        for name in re.findall(r"\$\{runner\.([\w.]+):", path.read_text("utf-8"))
    }
    assert asked <= {"scratch", "home", "project", "data", "sqlite", "collection", "overlap"}
