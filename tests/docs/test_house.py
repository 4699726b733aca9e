"""The drawing of the program shows every room and every import that matters."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "docs" / "house.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_room_is_drawn_and_says_what_it_is_for(house: ModuleType) -> None:
    drawn = set(re.findall(r"<title>(\w+)</title>", house.drawing(ROOT)))
    folders = {path.parent.name for path in (ROOT / "runner").glob("*/__init__.py")}
    assert folders | {"retrievers", "hydra_plugins", "errors"} <= drawn
    assert not [name for name, about in house.rooms(ROOT).items() if not about]


def test_what_other_arrows_imply_is_left_out(house: ModuleType) -> None:
    below = {"a": frozenset({"b", "c"}), "b": frozenset({"c"}), "c": frozenset()}
    assert house.needed(below) == {"a": {"b"}, "b": {"c"}, "c": frozenset()}
    assert house.floors(below) == {"a": 2, "b": 1, "c": 0}


def test_a_circle_is_refused(house: ModuleType) -> None:
    with pytest.raises(ValueError, match="circle"):
        house.floors({"a": frozenset({"b"}), "b": frozenset({"a"})})


def test_no_import_runs_in_a_circle(house: ModuleType) -> None:
    assert max(house.floors(house.arrows(ROOT)).values()) > 5
