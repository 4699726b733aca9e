"""What a component says of itself is declared in one place, read in one place, and refused in one line if wrong."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from retrievers.base import Described, RetrievalError
from runner.declared import Declared
from runner.errors import ConfigError

# What the runner reads beyond what any component may say: of readers of documents alone.
OF_READERS = {"sources", "optional"}


def component(**attributes: Any) -> object:
    return type("Mine", (), {"__module__": "my_module", **attributes})()


def test_all_that_is_read_is_declared_and_all_that_is_declared_is_read() -> None:
    read = {name for name in vars(Declared) if not name.startswith("_")}
    members = {name for name in (*vars(Described), *Described.__annotations__) if not name.startswith("_")}
    assert read - OF_READERS - {"own_version"} == members


def test_what_is_not_said_has_its_default() -> None:
    silent = Declared(component())
    assert (silent.version, silent.own_version, silent.libraries, silent.excluded) == (0, None, (), ())
    assert (silent.cacheable, silent.model_id, silent.pool, silent.sources()) == (True, None, None, None)
    assert (silent.contents(), silent.files(), silent.files_read()) == ({}, {}, {})
    assert silent.lacking() is None
    silent.refuse_queries([])


def test_a_class_that_inherits_what_is_declared_has_the_same_defaults() -> None:
    class Mine(Described):
        pass

    inherited, silent = Declared(Mine()), Declared(component())
    for name in ("version", "own_version", "libraries", "excluded", "cacheable", "model_id", "pool"):
        assert getattr(inherited, name) == getattr(silent, name), name
    assert (inherited.contents(), inherited.files(), inherited.files_read()) == ({}, {}, {})


def test_what_is_said_is_read() -> None:
    said = Declared(
        component(
            version=3,
            libraries=["numpy"],
            excluded={"batch_size"},
            cacheable=False,
            model_id="org/model",
            pool=20,
            lacking=lambda self: "a model",
            contents=lambda self: {"model": "ab"},
            files=lambda self: {"path": Path("/a")},
            sources=lambda self: ["/b"],
        )
    )
    assert (said.version, said.own_version, said.libraries, said.excluded) == (3, 3, ("numpy",), ("batch_size",))
    assert (said.cacheable, said.model_id, said.pool, said.lacking()) == (False, "org/model", 20, "a model")
    assert (said.contents(), said.files(), said.files_read()) == (
        {"model": "ab"},
        {"path": "/a"},
        {"path": Path("/a")},
    )
    assert said.sources() == [Path("/b")]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"libraries": "numpy"}, "libraries is 'numpy', expected names, such as (\"numpy\",)"),
        ({"libraries": (1,)}, "libraries is (1,), expected names"),
        ({"excluded": "batch_size"}, "excluded is 'batch_size', expected names, such as (\"batch_size\",)"),
        ({"cacheable": "no"}, "cacheable is 'no', expected True or False"),
        ({"model_id": 7}, "model_id is 7, expected a text"),
        ({"version": {1}}, "version is {1}, expected a number or a text"),
        ({"contents": {"a": "b"}}, "contents is {'a': 'b'}, expected a method"),
        ({"contents": lambda self: ["a"]}, "contents() is ['a'], expected a mapping of names to texts"),
        ({"files": lambda self: {"path": None}}, "files() is {'path': None}, expected a mapping of names to texts"),
        ({"sources": lambda self: "/a"}, "sources() is '/a', expected a list of paths"),
        ({"refuse_queries": True}, "refuse_queries is True, expected a method"),
    ],
)
def test_a_wrong_type_is_one_error_that_names_the_component(attributes: dict[str, Any], message: str) -> None:
    declared = Declared(component(**attributes), "retriever.first")
    (name,) = attributes
    with pytest.raises(ConfigError) as error:
        found = getattr(declared, name)
        if inspect.ismethod(found):
            found(*([[]] if name == "refuse_queries" else []))
    assert str(error.value).startswith(f"retriever.first: my_module.Mine.{message}")


def test_a_refusal_of_queries_is_the_component_s_own() -> None:
    def refuse(self: object, queries: Any) -> None:
        raise RetrievalError(f"none of {len(queries)}")

    with pytest.raises(RetrievalError, match="none of 2"):
        Declared(component(refuse_queries=refuse)).refuse_queries([1, 2])
