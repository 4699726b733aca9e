"""Any text as a key that MLflow accepts, distinct and readable back."""

from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mlflow.utils.validation import MAX_ENTITY_KEY_LENGTH, _validate_metric_name

from runner.errors import RunnerError
from runner.tracking.names import LONGEST, key_part, long_names, metric_key, read_key_part

AWKWARD = [
    "a@1",
    "a_at_1",
    "a_x40_1",
    "a\n",
    "a",
    "\n",
    " a",
    "a ",
    ".",
    "..",
    "../a",
    "/a",
    "a//b",
    "a/b",
    "a/",
    "./a",
    "移除",
    "繁體中文 x 是",
    "🚀",
    "a=b,c+d(e)%|f",
    "",
    " ",
    "_",
    "__",
    "_x",
    "_x_",
    "_x5f_",
    "_x40",
    "_x40@",
    "@x40_",
    "@_x40_",
    "_x40_",
    "e\u0301",
    "é",
    "１",
    "²",
    "a:b",
    "\\",
    "\t",
    "\x00",
    "a-b",
    "a.b",
    "A",
    "Straße",
    "_xyz",
]


def accept(key: str) -> None:
    """Ask MLflow's own validator, whose pattern alone would let a trailing newline through."""
    _validate_metric_name(key)
    assert len(key) <= MAX_ENTITY_KEY_LENGTH
    assert not key.endswith("\n")


@pytest.mark.parametrize("text", AWKWARD)
def test_any_text_is_accepted_and_read_back(text: str) -> None:
    accept(key_part(text))
    accept(metric_key("recall", text))
    assert read_key_part(key_part(text)) == text


def test_awkward_texts_stay_distinct() -> None:
    assert len({key_part(text) for text in AWKWARD}) == len(AWKWARD)
    assert len({metric_key("recall", text) for text in AWKWARD}) == len(AWKWARD)


@pytest.mark.parametrize(
    "text", ["recall", "change_type.removed", "lang x kind.zh x new", "freshness.0-30 days", "語言.繁體中文"]
)
def test_a_plain_name_stays_as_it_is(text: str) -> None:
    assert key_part(text) == text
    assert metric_key("recall", text) == f"recall/{text}"


def test_a_metric_of_all_queries_is_its_name() -> None:
    assert metric_key("recall_micro") == "recall_micro"


nasty = st.text(st.one_of(st.sampled_from("_x40@a5f/. \n"), st.characters(exclude_categories=("Cs",))), max_size=12)


@settings(max_examples=400, deadline=None)
@given(nasty, nasty)
@example("_x40@", "@x40_")
def test_two_texts_never_share_a_key(one: str, other: str) -> None:
    accept(key_part(one))
    assert "/" not in key_part(one)
    assert read_key_part(key_part(one)) == one
    assert (key_part(one) == key_part(other)) == (one == other)


LONG = ["g" * 300, "g" * 299 + "h", "移" * 300, "@" * 300, "g" * 201, "g" * 200]


def test_long_texts_are_cut_and_stay_distinct() -> None:
    keys = [metric_key(metric, text) for metric in ("recall", "recall_relevant") for text in LONG]
    for key in keys:
        accept(key)
    assert len(set(keys)) == len(keys)
    assert keys[0].startswith("recall/ggg")


def test_a_long_group_is_cut_the_same_under_every_metric() -> None:
    # A table pairs `recall/...` with `n/...` by what follows the slash.
    for text in LONG:
        assert metric_key("recall", text).partition("/")[2] == metric_key("n", text).partition("/")[2]


def test_the_longest_key_that_fits_is_not_cut() -> None:
    assert metric_key("m" * LONGEST) == "m" * LONGEST
    assert len(metric_key("m" * (LONGEST + 1))) == LONGEST


def test_what_was_cut_is_listed_in_full() -> None:
    pairs = [("recall", text) for text in LONG] + [("recall", "short"), ("recall", ""), ("m" * 260, "")]
    cut = long_names(pairs)
    assert cut[metric_key("recall", LONG[0])] == f"recall/{LONG[0]}"
    assert cut[metric_key("m" * 260)] == "m" * 260
    assert sorted(cut.values()) == sorted([*(f"recall/{text}" for text in LONG[:-1]), "m" * 260])


def test_two_names_that_share_a_key_are_refused() -> None:
    cut = metric_key("recall", "g" * 300).removeprefix("recall/")
    with pytest.raises(RunnerError, match="share the MLflow key 'recall/ggg"):
        long_names([("recall", "g" * 300), ("recall", cut)])


def test_the_same_name_twice_is_one_name() -> None:
    assert long_names([("recall", "a"), ("recall", "a")]) == {}


def test_awkward_and_long_names_share_no_key() -> None:
    long_names([(metric, text) for metric in ("recall", "n") for text in [*AWKWARD[1:], *LONG] if text])
    for one, other in combinations([*AWKWARD, *LONG], 2):
        assert metric_key("recall", one) != metric_key("recall", other) or "" in (one, other)
