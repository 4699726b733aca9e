"""Parts of a retriever are swept by their own name, and a setting applies in those jobs that have a place for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hydra import initialize_config_dir
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import OmegaConf

from runner.composition.job_composer import Composed, JobComposer
from runner.composition.late_settings import prepare
from runner.composition.requests import compose_request, readable_arguments
from runner.configuration.settings import Settings, conf_directory, register_resolvers
from runner.errors import ConfigError

PICK = "embedder=sentence_transformers"
NEURAL = "retrievers.embedders.sentence_transformers.SentenceTransformer"
STATIC = "retrievers.embedders.wordllama.WordLlama"
FIRST = "retriever.retrievers.semantic.embedder"


@pytest.fixture(scope="module")
def loader() -> Iterator[ConfigLoader]:
    register_resolvers()
    with initialize_config_dir(str(conf_directory()), version_base="1.3"):
        found = GlobalHydra.instance().config_loader()
    yield found


@pytest.fixture
def composer(loader: ConfigLoader) -> JobComposer:
    return JobComposer(loader.load_configuration("config", [], RunMode.MULTIRUN), loader)


def composed(composer: JobComposer, asked: str) -> Composed:
    return composer.composed(asked.split())


def at(found: Composed, path: str) -> Any:
    return OmegaConf.select(found.config, path)


@pytest.mark.parametrize(
    ("retriever", "place"),
    [
        ("semantic", "retriever.embedder"),
        ("hybrid", "retriever.retrievers.semantic.embedder"),
        ("reranked", "retriever.first.retrievers.semantic.embedder"),
        ("hidden retriever@retriever.first=semantic", "retriever.first.embedder"),
    ],
)
def test_an_embedder_stands_wherever_the_retriever_has_one(composer: JobComposer, retriever: str, place: str) -> None:
    found = composed(composer, f"retriever={retriever} embedder=sentence_transformers embedder.batch_size=8")
    assert (at(found, place)._target_, at(found, place).batch_size) == (NEURAL, 8)
    assert "embedder" not in found.config
    assert found.unused == ()


@pytest.mark.parametrize(
    ("asked", "path", "value"),
    [
        ("retriever=hybrid analyzer=plain", "retriever.retrievers.bm25.analyzer.stemmer", None),
        ("retriever=hybrid fusion=weighted fusion.normalize=z", "retriever.fusion.normalize", "z"),
        ("retriever=reranked fusion=weighted", "retriever.first.fusion._target_", "retrievers.fusion.Weighted"),
        ("retriever=reranked reranker=cross_encoder reranker.max_length=9", "retriever.reranker.max_length", 9),
        ("retriever=bm25 analyzer.shortest=4", "retriever.analyzer.shortest", 4),
        # What is said of one place stands.
        (f"retriever=semantic {PICK} retriever.embedder.model=x", "retriever.embedder.model", "x"),
        ("retriever=bm25 retriever.analyzer.shortest=5 analyzer.shortest=4", "retriever.analyzer.shortest", 5),
        (f"retriever=hybrid {PICK} embedder@{FIRST}=wordllama", f"{FIRST}._target_", STATIC),
        # Another kind of place of the same folder is chosen by its place alone.
        ("retriever=reranked embedder=sentence_transformers", "retriever.reranker.embedding._target_", STATIC),
    ],
)
def test_a_part_is_chosen_and_set_by_its_name(composer: JobComposer, asked: str, path: str, value: Any) -> None:
    assert at(composed(composer, asked), path) == value


def test_a_job_without_such_a_part_is_its_twin(composer: JobComposer) -> None:
    found = composed(composer, "retriever=bm25 embedder=sentence_transformers embedder.batch_size=8")
    assert found.unused == ("embedder=sentence_transformers", "embedder.batch_size=8")
    assert found.config == composed(composer, "retriever=bm25").config


def test_a_setting_applies_to_those_choices_of_a_sweep_that_have_it(composer: JobComposer) -> None:
    jobs = [[f"chunker={name}", "chunker.size=300"] for name in ("document", "window")]
    composer.expect(jobs)
    without, with_size = (composer.composed(job) for job in jobs)
    assert (without.unused, with_size.unused) == (("chunker.size=300",), ())
    assert with_size.config.chunker.size == 300


def test_a_setting_that_the_one_choice_lacks_is_an_error(composer: JobComposer) -> None:
    composer.expect([["chunker=document", "chunker.size=300", f"k={k}"] for k in (1, 2)])
    with pytest.raises(HydraException, match=r"chunker\.size"):
        composed(composer, "chunker=document chunker.size=300")


def test_a_part_that_nothing_of_a_command_uses_is_refused() -> None:
    with pytest.raises(ConfigError, match="embedder=wordllama: this job has no place for it"):
        compose_request(["retriever=bm25", "embedder=wordllama"])


@pytest.mark.parametrize(("size", "overlap"), [("800", 100), ("300", 100), ("100", 33), ("1", 0)])
def test_windows_share_less_than_they_hold(size: str, overlap: int) -> None:
    chunker = compose_request(["chunker=window", f"chunker.size={size}"]).settings.chunker
    assert chunker["overlap"] == overlap
    assert compose_request(["chunker=window", "chunker.overlap=7"]).settings.chunker["overlap"] == 7


@pytest.mark.parametrize(
    ("asked", "node", "found"),
    [
        (["suite=trec", "suite.topics=t.txt", "suite.qrels=q"], "suite", {"topics": "t.txt", "qrels": "q"}),
        (["retriever=bm25"], "suite", {"path": "B"}),
        (["suite=own", "suite.path=q.yaml"], "suite", {"path": "q.yaml"}),
    ],
)
def test_a_dataset_binds_only_what_the_suite_has(asked: list[str], node: str, found: dict[str, str]) -> None:
    settings = compose_request(["dataset=beir", "dataset.path=B", *asked]).settings
    assert settings.suite.items() >= found.items()
    assert "path" in found or "path" not in settings.suite
    cases = compose_request(["dataset=cases", "dataset.path=c.json", "retriever=bm25"]).settings
    assert "path" not in cases.retriever


@pytest.mark.parametrize("asked", [["suite=own"], ["suite=beir"], ["retriever=recorded"]])
def test_what_a_dataset_does_not_bind_has_to_be_said(asked: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"(suite|retriever)\.path has no value; add (suite|retriever)\.path="):
        compose_request(asked)


def test_the_matrix_of_parts_is_planned_with_bm25_once(new_desk: Any) -> None:
    desk = new_desk()
    (desk.folder / "conf/embedder").mkdir()
    (desk.folder / "conf/embedder/mine.yaml").write_text("defaults: [wordllama]\n")
    done = desk.team(
        "--config-dir",
        "conf",
        "-m",
        "retriever=bm25,semantic,hybrid",
        "embedder=wordllama,mine",
        "chunker=document,window",
        "chunker.size=300",
        "k=1",
        "cache=off",
    )
    assert "has no place for embedder=wordllama, chunker.size=300, embedder=mine" in done.out
    names = sorted(str(run.info.run_name) for run in desk.runs())
    assert len(names) == 6  # the two embedders come to the same, and so do both for bm25
    again = desk.rerun(next(run.info.run_id for run in desk.runs() if "hybrid" in run.info.run_name))
    assert "identical" in again.out, again.err


@pytest.mark.parametrize("place", ["strict.yaml", "rules/strict.yaml", "./strict.yaml", "{}/strict.yaml", "嚴格.yml"])
def test_a_policy_is_named_by_the_place_of_its_file(
    loader: ConfigLoader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    named = place.format(tmp_path)
    Path(named).parent.mkdir(exist_ok=True)
    Path(named).write_text("rules: [{name: floor, metric: recall, min: 0.0}]\nseed: 7\n", "utf-8")
    asked = prepare(readable_arguments([f"gate={named}", "gate.most_looks=9"])).words
    fresh = JobComposer(loader.load_configuration("config", [], RunMode.MULTIRUN), loader)
    gate = Settings.read(fresh.compose(asked)).gate
    assert gate is not None
    assert (gate.name, gate.seed, gate.most_looks) == (Path(named).stem, 7, 9)


def test_a_policy_of_ones_own_is_named_by_file_or_by_choice(new_desk: Any, tmp_path: Path) -> None:
    desk = new_desk()
    (desk.folder / "conf/gate").mkdir()
    for place in ("conf/gate/own.yaml", "strict.yaml"):
        (desk.folder / place).write_text("rules: [{name: floor, metric: recall, min: 0.0, min_queries: 1}]\n")
    for gate in ("own", "strict.yaml"):
        done = desk.team(*(("--config-dir", "conf") if gate == "own" else ()), f"gate={gate}", "k=5")
        assert f"gate {Path(gate).stem}: passed" in done.out, done.out
