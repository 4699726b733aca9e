"""Settings are typed as people write them, and every command reads them alike."""

from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from runner.composition.overrides import read_setting, readable
from runner.composition.sweep_jobs import jobs_of
from runner.errors import ConfigError
from runner.tracking.location import StoreLocation

READ = {
    "suite.path=題庫/核心.yaml": "題庫/核心.yaml",
    'suite.path="題庫/核心.yaml"': "題庫/核心.yaml",
    "suite.path='題庫/核心.yaml'": "題庫/核心.yaml",
    "name=混合 bm25": "混合 bm25",
    "path=/x/庫 (1).yaml": "/x/庫 (1).yaml",
    "name=it's 題": "it's 題",
    'name=題"庫"': '題"庫"',
    "name=題\\": "題\\",
    "name=甲:乙=丙": "甲:乙=丙",
    "uri=http://host:5000/a?b=1&c=2": "http://host:5000/a?b=1&c=2",
    "path=~/x;y!#": "~/x;y!#",
    "hide=[甲, 乙 丙]": ["甲", "乙 丙"],
    "weights={bm25: 1, semantic: 0.5}": {"bm25": 1, "semantic": 0.5},
    "k=3": 3,
    "k=01": "01",
    "b=1e-3": 0.001,
    "gate=null": None,
    "empty=": "",
    "path=${dataset.path}/題.yaml": "${dataset.path}/題.yaml",
}


@pytest.mark.parametrize("word", READ)
def test_a_setting_is_read_as_it_is_meant(word: str) -> None:
    assert read_setting(word).value == READ[word]


@pytest.mark.parametrize("word", ["k=3", "+a.b=[1,2]", "~gate", "a@b.c=d", "k=range(1,3)", 'x="題"', "x='a b'"])
def test_what_hydra_reads_is_left_as_it_is(word: str) -> None:
    assert readable(word) == word


def test_a_sweep_of_chinese_names_is_one() -> None:
    parsed = OverridesParser.create().parse_override(readable("suite.path=甲.yaml,乙 丙.yaml"))
    assert list(parsed.sweep_string_iterator()) == ['"甲.yaml"', '"乙 丙.yaml"']


@pytest.mark.parametrize("word", ["k", "k=[1", 'k="x', "k={甲: 1}", "k=f(1", "a[0]=1", "k=\udcff", "k=" + "[" * 9000])
def test_what_can_be_meant_in_two_ways_is_refused_in_one_line(word: str) -> None:
    with pytest.raises(ConfigError) as caught:
        readable(word)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_commands_take_a_place_with_chinese_letters_with_and_without_quotes(tmp_path: Path) -> None:
    store = tmp_path / "庫 存"
    for written in (f"store={store}", f'store="{store}"'):
        place = StoreLocation.of([written, "suite=核心"])
        assert place.store == str(store)
        assert place.rest == ("suite=核心",)


def swept(*overrides: str, max_jobs: int = 10_000) -> list[list[str]]:
    return jobs_of(OverridesParser.create().parse_overrides(list(overrides)), max_jobs)


def test_a_range_of_fractions_is_counted_as_a_person_counts() -> None:
    assert swept("b=range(0.1,0.5,0.1)") == [["b=0.1"], ["b=0.2"], ["b=0.3"], ["b=0.4"]]
    # In floats the end of this one would be reached once more.
    assert swept("b=range(0.2,0.8,0.3)") == [["b=0.2"], ["b=0.5"]]
    assert swept("b=range(0.3,0,-0.1)") == [["b=0.3"], ["b=0.2"], ["b=0.1"]]


def test_other_sweeps_are_expanded_as_hydra_does() -> None:
    assert swept("k=1,3", "b=range(1,3)", "x=5") == [[f"k={k}", f"b={b}", "x=5"] for k in (1, 3) for b in (1, 2)]


def test_as_many_jobs_as_are_allowed_are_taken() -> None:
    asked = ("k=range(0,200)", "b=range(0,200)")
    assert len(swept(*asked, max_jobs=40_000)) == 40_000
    with pytest.raises(ConfigError, match=r"40,000 jobs.*at most 39,999 .*hydra\.sweeper\.max_jobs=40000"):
        swept(*asked, max_jobs=39_999)
