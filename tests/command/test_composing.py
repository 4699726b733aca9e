"""A sweep composes its jobs on copies; every one must be what Hydra itself would have composed."""

from collections.abc import Iterator

import pytest
from hydra import initialize_config_dir
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner.composition.job_composer import JobComposer, without_hydra
from runner.configuration.settings import conf_directory, register_resolvers

ASKED = [
    "",
    "k=3",
    "k=3|++k=5",
    "++k=5|k=3",
    "pool=20|~pool",
    "retriever.k1=2|~retriever.k1",
    "foo=2|+foo=1",
    "+foo=1|foo=2",
    "retriever=hybrid|retriever.pool=7",
    "retriever.pool=7|retriever=hybrid",
    "retriever={k1: 9}|retriever.k1=3",
    "retriever.k1=3|retriever={k1: 9}",
    "intervals=null",
    "intervals=null|intervals.resamples=500",
    "slicing={freshness: null}",
    "curve=[1,2]",
    "pool=${k}",
    'suite.path="題庫/核心.yaml"',
    "retriever=hybrid|retriever.retrievers.bm25.k1=3",
    "retriever=hybrid|retriever.retrievers.0.k1=3",
    "retriever=hybrid|fusion@retriever.fusion=weighted|retriever.fusion.normalize=z",
    "+retriever@other=bm25|other.k1=3",
    "gate=release|gate.seed=7",
    "gate.name=x",
    "experiment=release|k=7",
    "dataset=pages|dataset.path=/p|dataset.suite=/q.yaml|chunker=window|chunker.size=300",
    "kk=3",
    "retriever.nope=3",
    "dataset.sufix=a",
    "defaults=3",
    "retriever/analyzer=words",
    "retriever=bm52",
]


@pytest.fixture(scope="module")
def loader() -> Iterator[ConfigLoader]:
    register_resolvers()
    with initialize_config_dir(str(conf_directory()), version_base="1.3"):
        yield GlobalHydra.instance().config_loader()


@pytest.fixture(scope="module")
def master(loader: ConfigLoader) -> DictConfig:
    return loader.load_configuration("config", [], RunMode.MULTIRUN)


def shown(config: DictConfig) -> str:
    return OmegaConf.to_yaml(without_hydra(config), resolve=False, sort_keys=True)


@pytest.mark.parametrize("asked", ASKED)
def test_a_job_is_composed_or_refused_as_by_hydra(loader: ConfigLoader, master: DictConfig, asked: str) -> None:
    overrides = [each for each in asked.split("|") if each]
    composer = JobComposer(master, loader)
    # Another job of the same choices first: it must leave nothing behind.
    for _ in range(2):
        try:
            wanted = shown(loader.load_sweep_config(master, overrides))
        except (HydraException, OmegaConfBaseException):
            with pytest.raises((HydraException, OmegaConfBaseException)):
                composer.compose(overrides)
        else:
            assert shown(composer.compose(overrides)) == wanted
