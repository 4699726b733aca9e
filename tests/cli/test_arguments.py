"""One grammar: `name=value` and the older `--name value` are the same, checked against what a command declares."""

from pathlib import Path

import pytest

from runner.cli.arguments import StoredRuns, others, setting, taken, words
from runner.cli.parsing import parse
from runner.errors import ConfigError


class Given(StoredRuns):
    """A command with one of everything."""

    run_id: str = words("RUN_ID", "a run")
    file: Path | None = words("FILE", "a file", None)
    k: int | None = setting("a cut", None, least=1)
    level: float = setting("a level", 0.95, above=0, below=1)
    metric: str = setting("a metric", "recall", among=("recall", "ndcg"))
    fields: tuple[str, ...] = setting("fields", ())
    pool: tuple[str, ...] = setting("runs", (), every=True)
    why: str = setting("a reason", "")
    label_config: Path | None = setting("a file", None)
    old: str = setting("a snapshot", "", name="from")
    blind: bool = setting("hide", False)
    policy: tuple[str, ...] = others("gate=NAME: the policy", "gate")


@pytest.mark.parametrize(
    ("new", "older", "field", "value"),
    [
        (["k=5"], ["--k", "5"], "k", 5),
        (["k=5"], ["--k=5"], "k", 5),
        (["k=3", "k=5"], ["--k", "3", "--k", "5"], "k", 5),
        (["level=0.9"], ["--level", "0.9"], "level", 0.9),
        (["metric=ndcg"], ["--metric", "ndcg"], "metric", "ndcg"),
        (["fields=a,b"], ["--fields", "a", "--fields", "b"], "fields", ("a", "b")),
        (["fields=[a, b]"], ["--fields", "a,b"], "fields", ("a", "b")),
        (['fields="a,b",c'], ["--fields", '"a,b",c'], "fields", ("a,b", "c")),
        (["fields=語言 x 題目"], ["--fields", "語言 x 題目"], "fields", ("語言 x 題目",)),
        (["pool=a,b"], ["--pool", "a", "b"], "pool", ("a", "b")),
        (["why=第一版, 定稿"], ["--why", "第一版, 定稿"], "why", "第一版, 定稿"),
        (['why="a, b"'], ["--why", "a, b"], "why", "a, b"),
        (["why=2026.10"], ["--why", "2026.10"], "why", "2026.10"),
        (["why=1.50"], ["--why=1.50"], "why", "1.50"),
        (["why=a=b"], ["--why", "a=b"], "why", "a=b"),
        (["label_config=x.xml"], ["--label-config", "x.xml"], "label_config", Path("x.xml")),
        (["from=2026-03"], ["--from", "2026-03"], "old", "2026-03"),
        (["blind=true"], ["--blind"], "blind", True),
        (["store=存 放"], ["--store", "存 放"], "store", "存 放"),
        (["tracking.uri=http://x:1"], ["--tracking.uri", "http://x:1"], "tracking_uri", "http://x:1"),
    ],
)
def test_a_setting_and_its_older_form_are_the_same(new: list[str], older: list[str], field: str, value: object) -> None:
    for given in (["R", *new], [*new, "R"], ["R", *older]):
        assert getattr(parse(Given, given), field) == value


def test_all_words_after_an_option_of_runs_but_settings_belong_to_it() -> None:
    given = parse(Given, ["R", "--pool", "a", "b", "gate=x", "c", "--k", "3"])
    assert (given.run_id, given.pool, given.policy, given.k) == ("R", ("a", "b", "c"), ("gate=x",), 3)


def test_words_fill_their_places_and_settings_of_others_are_handed_on() -> None:
    given = parse(Given, ["R", "gate.seed=7", "a.csv", "gate=x"])
    assert (given.run_id, given.file, given.policy) == ("R", Path("a.csv"), ("gate.seed=7", "gate=x"))
    assert parse(Given, ["--", "R", "--k"]).file == Path("--k")


def test_a_file_whose_name_holds_an_equals_sign_is_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run=1.csv").write_text("")
    assert parse(Given, ["R", "run=1.csv"]).file == Path("run=1.csv")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["R", "k=0"], "k: expected a whole number from 1, found '0'"),
        (["R", "k=five"], "k: expected a whole number from 1, found 'five'"),
        (["R", "k=1.5"], "k: expected a whole number from 1, found '1.5'"),
        (["R", "k="], "k: expected a whole number from 1, found ''"),
        (["R", "level=1"], "level: expected a number between 0 and 1, found '1'"),
        (["R", "level=nan"], "level: expected a number between 0 and 1, found 'nan'"),
        (["R", "blind=maybe"], "blind: expected true or false, found 'maybe'"),
        (["R", "metric=map"], "metric: expected one of recall, ndcg, found 'map'"),
        (["R", "--k"], "k=N lacks its value: a cut"),
        (["R", "f.csv", "more"], "unexpected word 'more'; a setting is written name=value"),
        (["R", "lvel=0.9"], "unknown setting 'lvel'; did you mean 'level'?"),
        (["R", "gateway=x", "f", "g"], "unknown setting 'gateway'; did you mean 'gate'?"),
        (["R", "-x"], "unknown option '-x'"),
        (["R", "why=\udcff"], "is not UTF-8"),
        ([], "RUN_ID is missing: a run"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(given: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(Given, given)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_null_is_the_default_of_what_may_be_absent_and_a_word_elsewhere() -> None:
    assert parse(Given, ["R", "k=null"]).k is None
    assert parse(Given, ["R", "why=null"]).why == "null"


def test_where_a_command_looks_stands_last_among_what_it_takes() -> None:
    assert [each.name for each in taken(Given)][-3:] == ["store", "tracking.uri", "trust"]
