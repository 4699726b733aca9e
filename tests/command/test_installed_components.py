"""Components of an installed package: chosen by name, listed, repeated, and refused where nothing brings them."""

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from hydra.core.config_store import ConfigStore

from runner import plugins
from runner.composition.installed_choices import know_installed, node_of
from runner.composition.requests import compose_request
from runner.engine.building import build
from runner.engine.run_name import run_name
from runner.engine.trust import Trust
from runner.errors import ConfigError, InputError

CODE = '''
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True)
class Letters:
    """Counts the letters that a question and a passage share."""

    least: int = 1
    weights: tuple = (1.0, 2.0)
    cache: dict = field(default_factory=dict)
    version: ClassVar[int] = 1

    def retrieve(self, passages, queries, depth):
        return [
            [(id_, float(n)) for id_, text in zip(passages.ids, passages.texts)
             if (n := len(set(query.text) & set(text))) >= self.least]
            for query in queries
        ]


class Vectors:
    def __init__(self, embedder, path, cut=None, *args, **kwargs):
        self.embedder, self.path = embedder, path

    def retrieve(self, passages, queries, depth):
        return [[] for _ in queries]


class Lines:
    version = 1
    libraries = ()

    def split(self, document):
        from runner.chunkers import Chunk
        return [Chunk(0, len(document.text), document.title, "")]


def remove(path):
    raise RuntimeError("called")
'''
ENTRIES = """
[retrieval_runner.retrievers]
letters = engine_of_others:Letters
by_vectors = engine_of_others:Vectors
bm25 = engine_of_others:Letters
broken = engine_of_others_that_is_not_there:Nothing

[retrieval_runner.chunkers]
lines = engine_of_others:Lines
"""


def install(folder: Path) -> None:
    """Put a package where Python finds it, as pip does: a module, and a folder of metadata."""
    (folder / "engine_of_others.py").write_text(CODE, "utf-8")
    info = folder / "engine_of_others-2.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: engine-of-others\nVersion: 2.1\n", "utf-8")
    (info / "entry_points.txt").write_text(ENTRIES, "utf-8")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package installed in this process, and gone afterwards."""
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    plugins.installed.cache_clear()
    know_installed()
    brought = plugins.choices()
    yield
    plugins.installed.cache_clear()
    for group, name, _ in brought:
        ConfigStore.instance().repo[group].pop(f"{name}.yaml", None)


def point(name: str) -> EntryPoint:
    return plugins.installed("retrievers")[name]


def test_a_node_is_made_of_the_constructor(package: None) -> None:
    assert node_of("retriever", point("letters")) == {
        "_target_": "engine_of_others.Letters",
        "name": "letters",
        "least": 1,
        "weights": (1.0, 2.0),
    }
    assert node_of("retriever", point("by_vectors")) == {
        "defaults": [{"/embedder@embedder": "wordllama"}, "_self_"],
        "_target_": "engine_of_others.Vectors",
        "name": "by_vectors",
        "path": "???",
        "cut": None,
    }
    assert node_of("chunker", plugins.installed("chunkers")["lines"]) == {"_target_": "engine_of_others.Lines"}


def test_its_settings_are_set_and_its_parts_chosen_as_any_other_s(package: None) -> None:
    settings = compose_request(["retriever=letters", "retriever.least=3", "chunker=lines"]).settings
    assert (settings.retriever["least"], settings.retriever["name"]) == (3, "letters")
    assert build(settings.retriever, "retriever").name == "letters"
    inside = compose_request(["retriever=by_vectors", "retriever.path=x", "embedder=sentence_transformers"]).settings
    assert inside.retriever["embedder"]["_target_"].endswith(".SentenceTransformer")
    nested = compose_request(["retriever=hybrid", "+retriever@retriever.retrievers.mine=letters"]).settings
    assert nested.retriever["retrievers"]["mine"]["_target_"] == "engine_of_others.Letters"


def test_what_it_needs_and_nobody_gave_is_named(package: None) -> None:
    with pytest.raises(ConfigError, match=r"retriever\.path has no value; add retriever\.path="):
        compose_request(["retriever=by_vectors"])


def test_a_choice_of_conf_is_not_replaced_by_one_of_its_name(package: None) -> None:
    assert compose_request(["retriever=bm25"]).settings.retriever["_target_"] == "retrievers.bm25.BM25"


def test_a_package_that_is_broken_hurts_only_who_chooses_it(package: None) -> None:
    assert compose_request(["retriever=bm25"])
    with pytest.raises(ConfigError, match=r"broken of engine-of-others cannot be imported from .*uninstall"):
        compose_request(["retriever=broken"])


def test_a_name_that_is_nearly_right_is_told(package: None) -> None:
    with pytest.raises(ConfigError, match=r"there is no retriever/leters; did you mean 'letters'\?"):
        compose_request(["retriever=leters"])


def test_a_stored_run_may_name_exactly_what_is_registered_and_nothing_beside_it(package: None) -> None:
    trust = Trust.of()
    trust.refuse_other({"retriever": {"_target_": "engine_of_others.Letters"}}, "run r1")
    with pytest.raises(InputError, match=r"names 'engine_of_others\.remove', which is no component"):
        trust.refuse_other({"retriever": {"_target_": "engine_of_others.remove", "path": "x"}}, "run r1")
    # What it reads is held to the files of the run, as with the program's own; what a person trusts by name is not.
    assert not trust.of_user("engine_of_others.Letters")
    assert Trust.of(["engine_of_others"]).of_user("engine_of_others.Letters")


def test_it_is_swept_listed_and_repeated_and_refused_when_it_is_gone(new_desk: Callable[[], Any]) -> None:
    desk = new_desk()
    install(desk.folder)
    desk.team("-m", "retriever=bm25,letters", "k=1,3", "chunker=lines")
    runs = {run.info.run_name: run for run in desk.runs()}
    assert sorted(runs) == [run_name(retriever, k) for retriever in ("bm25", "letters") for k in (1, 3)]
    run_id = runs[run_name("letters", 3)].info.run_id
    assert "identical" in desk.rerun(run_id).out
    assert "letters" in desk.runner("--help").out
    (desk.folder / "engine_of_others-2.1.dist-info" / "entry_points.txt").unlink()
    refused = desk.rerun(run_id)
    assert refused.status == 2
    assert "names 'engine_of_others.Lines', which is no component of this program" in refused.err
