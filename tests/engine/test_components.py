"""Building nodes: errors name key, target and remedy; an identity holds what decides a result, and no more."""

import hashlib
import importlib
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from engine_world import bm25, double, hybrid, late, reranked, semantic, toy_model

from runner.engine.building import build
from runner.engine.components import digest
from runner.errors import ConfigError

OwnModule = Callable[[str], str]


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnModule]:
    """Write a user's module and import it afresh; returns the target of its class `Mine`."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(source: str) -> str:
        (tmp_path / "engine_own.py").write_text(source, "utf-8")
        sys.modules.pop("engine_own", None)
        importlib.invalidate_caches()
        return "engine_own.Mine"

    yield write
    sys.modules.pop("engine_own", None)


MINE = (
    "class Mine:\n    def __init__(self, name_of='x'): self.name_of = name_of\n"
    "    def retrieve(self, p, q, d): return []\n"
)


# -- errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", [None, "bm25", ["bm25"], {}, {"k1": 1.5}])
def test_what_is_no_node_is_shown_with_its_key(found: Any) -> None:
    with pytest.raises(ConfigError, match=r"retriever: expected a node with _target_, found") as error:
        build(found, "retriever")
    assert repr(found) in str(error.value)


@pytest.mark.parametrize("target", ["BM25", "", "no_such_package.Mine", "retrievers.bm25.BM26", "retrievers.bm99.BM25"])
def test_a_target_that_cannot_be_imported_is_named_with_the_remedy(target: str) -> None:
    with pytest.raises(ConfigError) as error:
        build({"_target_": target}, "retriever.first")
    assert f"retriever.first._target_: cannot import {target!r}" in str(error.value)
    assert "on PYTHONPATH" in str(error.value)


@pytest.mark.parametrize("source", ["class Mine(:\n", "class Mine:\n    x = undefined\n", "1 / 0\n"])
def test_a_module_with_a_fault_of_its_own_is_a_configuration_error(own_module: OwnModule, source: str) -> None:
    target = own_module(source)
    with pytest.raises(ConfigError, match=r"retriever\._target_: cannot import 'engine_own\.Mine' \("):
        build({"_target_": target}, "retriever")


@pytest.mark.parametrize("target", ["retrievers.bm25.METHODS", "engine_doubles.__name__"])
def test_a_target_that_cannot_be_called_is_named(target: str) -> None:
    with pytest.raises(ConfigError, match=rf"retriever: {target} is a \w+, expected a class or a function"):
        build({"_target_": target}, "retriever")


def test_an_unknown_parameter_is_named_with_the_accepted_ones() -> None:
    with pytest.raises(ConfigError) as error:
        build(bm25(k2=1.0), "retriever")
    assert str(error.value) == (
        "retriever: retrievers.bm25.BM25: got an unexpected keyword argument 'k2'; "
        "it accepts: analyzer, k1, b, method, delta"
    )


def test_a_missing_parameter_is_named_with_the_accepted_ones() -> None:
    with pytest.raises(ConfigError, match="missing a required argument: 'analyzer'; it accepts: analyzer, k1"):
        build({"_target_": "retrievers.bm25.BM25"}, "retriever")


def test_an_error_deep_inside_names_its_own_key() -> None:
    with pytest.raises(ConfigError, match=r"^retriever\.first\.retrievers\.bm25\.analyzer: .*'stemer'.*it accepts: "):
        build(reranked(hybrid(bm25(analyzer={"stemer": "english"}), bm25()), double("Overlap")), "retriever")


def test_a_refused_value_is_named_with_key_and_target() -> None:
    with pytest.raises(ConfigError, match=r"^retriever: retrievers\.bm25\.BM25: bm25: b is 2, expected a number from"):
        build(bm25(b=2), "retriever")


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (bm25(k1="1.5"), "retriever.k1: expected float, found '1.5'"),
        (bm25(method=1), "retriever.method: expected str, found 1"),
        (bm25(b=True), "retriever.b: expected float, found True"),
        (bm25(analyzer={"shortest": 2.5}), "retriever.analyzer.shortest: expected int, found 2.5"),
        (bm25(analyzer={"stemmer": 3}), "retriever.analyzer.stemmer: expected null or str, found 3"),
    ],
)
def test_a_value_of_another_type_than_the_class_says_is_refused(node: Any, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        build(node, "retriever")
    assert str(error.value) == message


def test_a_whole_number_is_as_good_as_a_fraction_and_nothing_as_good_as_a_word_that_may_be_missing() -> None:
    assert build(bm25(k1=2, analyzer={"stemmer": None}), "retriever").object.k1 == 2


def test_any_error_of_a_users_class_is_named_with_key_and_target() -> None:
    with pytest.raises(ConfigError, match=r"^retriever: engine_doubles\.NeedsServer: .*nothing listens on port 81"):
        build(double("NeedsServer", port=81), "retriever")


@pytest.mark.parametrize("key", ["_args_", "_partial_", "_recursive_", "_convert_"])
def test_hydras_further_keys_are_refused(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"retriever\.{key} is not supported; name every parameter"):
        build({**bm25(), key: True}, "retriever")


# -- building ------------------------------------------------------------------------------------------------


def test_nodes_in_mappings_and_lists_are_built_and_found_by_path() -> None:
    part = build(
        double("Stages", stages=[{"retriever": bm25(), "weight": 0.5}, bm25(k1=2.0)], named={"退款": bm25(b=0.5)}),
        "retriever",
    )
    assert list(part.children) == ["stages.0.retriever", "stages.1", "named.退款"]
    assert part.children["stages.0.retriever"].path == "retriever.stages.0.retriever"
    assert part.object.stages[0]["weight"] == 0.5
    assert part.object.stages[1].k1 == 2.0
    assert part.object.named["退款"].b == 0.5


def test_walking_goes_from_the_outside_in_and_an_object_finds_its_part() -> None:
    part = build(reranked(bm25(), double("Overlap")), "retriever")
    assert [each.path for each in part.walk()] == [
        "retriever",
        "retriever.first",
        "retriever.first.analyzer",
        "retriever.reranker",
    ]
    assert part.of_object(part.object.first.analyzer).path == "retriever.first.analyzer"


def test_a_name_is_what_people_call_it_and_no_parameter() -> None:
    assert build({**bm25(), "name": "檢索 #1"}, "retriever").name == "檢索 #1"
    unnamed = {key: value for key, value in bm25().items() if key != "name"}
    assert build(unnamed, "retriever").name == "bm25"


def test_a_parameter_called_path_or_params_is_one_like_any_other(own_module: OwnModule) -> None:
    target = own_module("class Mine:\n    def __init__(self, path, params): self.seen = (path, params)\n")
    assert build({"_target_": target, "path": "p", "params": [1]}, "part").object.seen == ("p", [1])


# -- identity ------------------------------------------------------------------------------------------------


def key(node: Any) -> str | None:
    return build(node, "part").key


def test_equal_configuration_has_equal_keys_wherever_it_stands() -> None:
    assert build(bm25(), "retriever").key == build(bm25(), "retriever.first").key == build({**bm25(), "name": "b"}).key


@pytest.mark.parametrize(
    "changed",
    [
        bm25(k1=1.6),
        bm25(b=0.7),
        bm25(method="atire"),
        bm25(analyzer={"stemmer": None}),
        bm25(analyzer={"shortest": 3}),
        bm25(analyzer={"stopwords": ["退款"]}),
    ],
)
def test_every_parameter_at_any_depth_changes_the_key(changed: Any) -> None:
    assert key(changed) != key(bm25())


def test_a_changed_part_changes_the_key_of_what_holds_it() -> None:
    whole = reranked(hybrid(bm25(), double("Counting")), double("Overlap"))
    others = [
        reranked(hybrid(bm25(), double("Counting"), k=10), double("Overlap")),
        reranked(hybrid(bm25(k1=2.0), double("Counting")), double("Overlap")),
        reranked(hybrid(bm25(), double("Counting")), double("Overlap", weight=2.0)),
        reranked(hybrid(bm25(), double("Counting")), double("Overlap"), pool=20),
    ]
    assert len({key(node) for node in [whole, *others]}) == 5


def test_parts_that_change_places_have_another_key() -> None:
    assert key(hybrid(bm25(k1=1.0), bm25(k1=2.0))) != key(hybrid(bm25(k1=2.0), bm25(k1=1.0)))


def test_plain_values_beside_nodes_are_part_of_the_identity() -> None:
    def stages(weight: float) -> Any:
        return double("Stages", stages=[{"retriever": bm25(), "weight": weight}], named={"a": bm25(), "b": weight})

    assert key(stages(0.5)) == key(stages(0.5))
    assert key(stages(0.5)) != key(stages(0.6))
    assert build(stages(0.5), "retriever").sharing_key != build(stages(0.6), "retriever").sharing_key


def test_an_excluded_parameter_is_no_part_of_the_identity() -> None:
    assert key(double("Counting", log="/tmp/one")) == key(double("Counting", log="/tmp/two"))
    assert key(double("Counting", log="", nothing_for="q1")) != key(double("Counting", log=""))


def test_the_libraries_that_decide_a_result_are_in_the_identity() -> None:
    identity = build(bm25(), "retriever").identity
    assert identity is not None
    assert identity["libraries"] == {"bm25s": version("bm25s")}
    assert identity["parts"]["analyzer"]["libraries"]["rjieba"] == version("rjieba")


def test_another_version_of_a_library_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(bm25())
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"{version(name)}.post1")
    assert key(bm25()) != before


def test_a_library_that_is_not_installed_is_said_to_be_absent(own_module: OwnModule) -> None:
    target = own_module(MINE + "    version = 1\n    libraries = ('no-such-distribution',)\n")
    identity = build({"_target_": target}, "retriever").identity
    assert identity is not None
    assert identity["libraries"] == {"no-such-distribution": "absent"}


def test_the_content_of_a_lexicon_matters_and_its_place_does_not(tmp_path: Path) -> None:
    def node(name: str, content: str) -> Any:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
        return bm25(analyzer={"chinese": "words", "lexicon": str(path)})

    one = build(node("one/words.txt", "存取權杖\n"), "retriever")
    assert one.children["analyzer"].contents == {"lexicon": hashlib.sha256("存取權杖\n".encode()).hexdigest()}
    assert key(node("two/other.txt", "存取權杖\n")) == one.key
    assert key(node("three/words.txt", "權杖\n")) != one.key


def test_the_content_of_a_model_matters_and_its_place_does_not(tmp_path: Path) -> None:
    one = key(semantic(toy_model(tmp_path / "one", {"refund": (1.0, 0.0)})))
    assert key(semantic(toy_model(tmp_path / "two", {"refund": (1.0, 0.0)}))) == one
    assert key(semantic(toy_model(tmp_path / "three", {"refund": (1.0, 0.1)}))) != one
    assert key(late(toy_model(tmp_path / "one", {"refund": (1.0, 0.0)}))) != one


def test_what_a_class_says_its_contents_are_is_part_of_the_identity(tmp_path: Path) -> None:
    node = double("Learned", folder=str(tmp_path))
    (tmp_path / "model.bin").write_text("第一", "utf-8")
    before = key(node)
    assert key(node) == before
    (tmp_path / "model.bin").write_text("第二", "utf-8")
    assert key(node) != before


def test_a_class_without_a_version_is_known_by_the_bytes_of_its_file(own_module: OwnModule) -> None:
    target = own_module(MINE)
    before = key({"_target_": target})
    assert key({"_target_": own_module(MINE)}) == before
    assert key({"_target_": own_module(MINE + "# 註解\n")}) != before


def test_a_class_with_a_version_is_known_by_it_whatever_its_file_says(own_module: OwnModule) -> None:
    before = key({"_target_": own_module(MINE + "    version = 1\n")})
    assert key({"_target_": own_module(MINE + "    version = 1\n# reformatted\n")}) == before
    assert key({"_target_": own_module(MINE + "    version = 2\n")}) != before


def test_an_inherited_version_says_nothing_of_what_was_overridden(own_module: OwnModule) -> None:
    base = "from engine_doubles import Counting\nclass Mine(Counting):\n    pass\n"
    before = key({"_target_": own_module(base)})
    assert key({"_target_": own_module(base)}) == before
    assert key({"_target_": own_module(base + "# 改\n")}) != before


def test_a_function_is_known_by_the_bytes_of_its_file(own_module: OwnModule) -> None:
    source = "from engine_doubles import Counting\ndef Mine(nothing_for=''):\n    return Counting('', nothing_for)\n"
    before = key({"_target_": own_module(source)})
    assert before is not None
    assert key({"_target_": own_module(source)}) == before
    assert key({"_target_": own_module(source + "# 改\n")}) != before
    assert key({"_target_": own_module(source), "nothing_for": "q1"}) != before


def test_what_is_not_to_be_kept_has_no_key_and_neither_has_what_holds_it() -> None:
    assert key(double("Unkept")) is None
    assert key(hybrid(bm25(), double("Unkept"))) is None
    assert key(hybrid(bm25(), double("Counting"))) is not None


def test_what_json_does_not_know_has_no_key() -> None:
    assert key(double("HoldsObject", value=object())) is None
    assert key(double("HoldsObject", value={"退款": [1, None, 0.5]})) is not None


def test_jobs_over_the_same_unkept_part_share_it() -> None:
    one, two = build(double("Unkept", nothing_for="q1"), "retriever"), build(double("Unkept", nothing_for="q1"), "r")
    assert one.sharing_key == two.sharing_key
    assert build(double("Unkept", nothing_for="q2"), "retriever").sharing_key != one.sharing_key


def test_a_digest_does_not_depend_on_the_order_of_keys_and_tells_types_apart() -> None:
    assert digest({"a": 1, "退": [2]}) == digest({"退": [2], "a": 1})
    assert len({digest(value) for value in (1, 1.5, "1", [1], {"1": 1}, None, True)}) == 7


# -- what its place asks for ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "protocol", "method"),
    [
        ("retriever", "Retriever", "retrieve"),
        ("corpus", "DocumentReader", "read"),
        ("chunker", "Chunker", "split"),
        ("suite", "SuiteReader", "read"),
    ],
)
def test_an_object_without_the_method_of_its_place_is_refused(
    own_module: OwnModule, path: str, protocol: str, method: str
) -> None:
    target = own_module("class Mine:\n    pass\n")
    with pytest.raises(ConfigError, match=rf"^{path}: engine_own\.Mine has no {method}\(\), as {protocol} asks"):
        build({"_target_": target}, path)
    assert build({"_target_": own_module(f"class Mine:\n    def {method}(self, *a): ...\n")}, path)


def test_a_part_without_the_method_of_its_place_is_refused(own_module: OwnModule) -> None:
    target = own_module("class Mine:\n    def encode_all(self, texts): ...\n")
    with pytest.raises(
        ConfigError, match=r"^retriever\.embedder: engine_own\.Mine has no encode\(\), as Embedder asks"
    ):
        build(semantic({"_target_": target}), "retriever")
