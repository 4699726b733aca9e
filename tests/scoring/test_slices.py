"""Groups of queries: declared fields, crossings, and the groups that the runner makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from runner.errors import ConfigError
from runner.scoring.slices import MOST_VALUES, Freshness, Slices, slice_queries, text_length


@dataclass(frozen=True)
class Asked:
    text: str = "how many?"
    fields: Mapping[str, Any] = field(default_factory=dict)
    grades: Mapping[str, int] = field(default_factory=lambda: {"a": 1})


def having(*rows: Mapping[str, Any]) -> list[Asked]:
    return [Asked(fields=row) for row in rows]


def groups(slices: Slices, field_: str) -> dict[str, list[int]]:
    """Positions of the members by value."""
    return {
        name.removeprefix(f"{field_}."): members.nonzero()[0].tolist()
        for name, members in zip(slices.names, slices.members, strict=True)
        if name.startswith(f"{field_}.")
    }


def test_a_field_groups_by_its_values_in_order() -> None:
    slices = slice_queries(having({"lang": "zh"}, {"lang": "en"}, {"lang": "zh"}), ["lang"])
    assert groups(slices, "lang") == {"en": [1], "zh": [0, 2]}
    assert list(groups(slices, "lang")) == ["en", "zh"]
    assert slices.sizes()[slices.names.index("lang.zh")] == 2


def test_a_crossing_groups_by_the_values_that_occur_together() -> None:
    queries = having(
        {"change_type": "removed", "language": "en"},
        {"change_type": "removed", "language": "繁體中文"},
        {"change_type": "added", "language": "en"},
        {"change_type": "removed", "language": "en"},
    )
    slices = slice_queries(queries, ["change_type x language"])
    assert groups(slices, "change_type x language") == {
        "added x en": [2],
        "removed x en": [0, 3],
        "removed x 繁體中文": [1],
    }
    assert not groups(slices, "change_type")


def test_a_crossing_may_hold_three_fields_and_derived_groups() -> None:
    queries = [Asked(fields={"a": "1", "b": "2"}, grades={"d": 1, "e": 1}), Asked(fields={"a": "1", "b": "2"})]
    slices = slice_queries(queries, ["a x b x relevant_items"])
    assert groups(slices, "a x b x relevant_items") == {"1 x 2 x one": [1], "1 x 2 x several": [0]}


@pytest.mark.parametrize("missing", [{}, {"kind": None}, {"kind": ""}, {"kind": []}, {"kind": [""]}])
def test_a_query_without_a_value_is_in_no_slice_of_the_field(missing: dict[str, Any]) -> None:
    queries = having({"kind": "new", "lang": "en"}, {**missing, "lang": "en"})
    slices = slice_queries(queries, ["kind", "kind x lang"])
    assert groups(slices, "kind") == {"new": [0]}
    assert groups(slices, "kind x lang") == {"new x en": [0]}


def test_false_and_zero_are_values() -> None:
    slices = slice_queries(having({"n": 0, "b": False}, {"n": 1, "b": True}), ["n", "b"])
    assert (groups(slices, "n"), groups(slices, "b")) == ({"0": [0], "1": [1]}, {"false": [0], "true": [1]})


def test_a_list_is_one_value() -> None:
    assert groups(slice_queries(having({"tags": ["a", "b"]}, {"tags": ["a"]}), ["tags"]), "tags") == {
        "a": [1],
        "a+b": [0],
    }


def test_no_slice_is_empty() -> None:
    queries = [Asked(fields={"lang": each, "n": number}) for number, each in enumerate(["en", "zh", None])]
    slices = slice_queries(queries, ["lang", "n", "lang x n"], freshness=Freshness())
    assert (slices.sizes() > 0).all()
    assert not groups(slices, "freshness")


def test_no_queries_make_no_slices() -> None:
    slices = slice_queries([], ["lang", "lang x kind"], freshness=Freshness())
    assert (slices.names, slices.members.shape) == ((), (0, 0))


def test_an_unknown_field_is_refused_naming_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"slice 'langage' is declared, but no .*; known fields: kind, lang$"):
        slice_queries(having({"lang": "en"}, {"kind": "new"}), ["langage"])
    with pytest.raises(ConfigError, match=r"slice 'kind x langage' .* known fields: kind, lang$"):
        slice_queries(having({"lang": "en", "kind": "new"}), ["kind x langage"])
    with pytest.raises(ConfigError, match="known fields: none"):
        slice_queries(having({}), ["lang"])


def test_a_field_with_too_many_values_is_refused() -> None:
    rows = [{"id": f"q{number}"} for number in range(MOST_VALUES + 1)]
    assert len(groups(slice_queries(having(*rows[:-1]), ["id"]), "id")) == MOST_VALUES
    with pytest.raises(ConfigError, match=r"slice 'id' has 201 values \(at most 200\)"):
        slice_queries(having(*rows), ["id"])


def test_two_fields_that_would_share_a_slice_name_are_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        slice_queries(having({"a": "b.c", "a.b": "c"}), ["a", "a.b"])
    assert str(caught.value) == (
        "two groups share the slice name 'a.b.c': a = 'b.c' and a.b = 'c'; rename a field or a value"
    )
    slices = slice_queries(having({"a": "b.c", "a.b": "d"}), ["a", "a.b"])
    assert (groups(slices, "a")["b.c"], groups(slices, "a.b")["d"]) == ([0], [0])


def test_two_crossed_values_that_would_read_the_same_are_refused() -> None:
    queries = having({"a": "p x q", "b": "r"}, {"a": "p", "b": "q x r"})
    with pytest.raises(ConfigError, match=r"'a x b\.p x q x r': a x b = 'p x q' x 'r' and a x b = 'p' x 'q x r'"):
        slice_queries(queries, ["a x b"])


def test_a_list_and_a_text_that_would_read_the_same_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"'tags\.a\+b'"):
        slice_queries(having({"tags": ["a", "b"]}, {"tags": "a+b"}), ["tags"])


def test_a_field_with_the_name_of_a_derived_group_is_refused_if_declared() -> None:
    queries = having({"query_length": "tiny", "lang": "en"})
    for declared in ("query_length", "lang x query_length"):
        with pytest.raises(ConfigError, match="'query_length' is a group that the runner makes; rename the field"):
            slice_queries(queries, [declared])
    assert groups(slice_queries(queries, ["lang"]), "query_length") == {"short": [0]}


def test_a_derived_group_may_be_declared_and_is_there_once() -> None:
    slices = slice_queries(having({"lang": "en"}), ["relevant_items", "query_length"])
    assert slices.names == ("relevant_items.one", "query_length.short")


def test_the_number_of_relevant_items_heeds_the_smallest_relevant_grade() -> None:
    queries = [Asked(grades={"a": 2, "b": 1, "c": 0}), Asked(grades={"a": 2, "b": 3})]
    assert groups(slice_queries(queries, [], min_grade=2), "relevant_items") == {"one": [0], "several": [1]}
    assert groups(slice_queries(queries, [], min_grade=1), "relevant_items") == {"several": [0, 1]}


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("?!", 0),
        ("webhook retries", 2),
        ("How many days are messages kept?", 6),
        ("訊息保留幾天？", 3),  # six characters
        ("保留期", 2),  # three
        ("Team 方案的 API 上限", 5),  # two words and five characters
    ],
)
def test_length_counts_words_and_pairs_of_han_characters(text: str, length: int) -> None:
    assert text_length(text) == length


def test_query_length_has_three_groups_in_english_and_chinese() -> None:
    texts = ["webhook retry limit", "what is the webhook retry limit", " ".join(["word"] * 11)]
    texts += ["重試上限", "每個方案的重試次數上限是多少", "請問" * 11]
    slices = slice_queries([Asked(text) for text in texts], [])
    assert groups(slices, "query_length") == {"short": [0, 3], "medium": [1, 4], "long": [2, 5]}


DOCUMENTS = {
    "new.md": {"updated": "2026-09-30"},
    "month.md": {"updated": "2026-08-31"},
    "old.md": {"updated": "2025-01-01T08:00:00Z"},
    "undated.md": {"updated": "soon"},
    "新.md": {"updated": date(2026, 9, 29)},
}


def test_freshness_is_that_of_the_newest_relevant_document() -> None:
    queries = [
        Asked("what changed?", grades={"new.md": 1}),
        Asked("哪些方案改了？", grades={"新.md": 1}),
        Asked("訊息保留幾天？", grades={"old.md": 1, "month.md": 1}),
        Asked("retention", grades={"old.md": 1, "new.md": 0}),
        Asked("undated", grades={"undated.md": 1}),
        Asked("nowhere", grades={"elsewhere.md": 1}),
    ]
    slices = slice_queries(queries, [], freshness=Freshness(days=(29, 90)), document_fields=DOCUMENTS)
    assert groups(slices, "freshness") == {"0-29 days": [0, 1], "30-90 days": [2], "over 90 days": [3]}


def test_a_window_ends_on_its_last_day() -> None:
    documents = {
        name: {"updated": day} for name, day in (("a", "2026-09-30"), ("b", "2026-08-31"), ("c", "2026-08-30"))
    }
    queries = [Asked(grades={name: 1}) for name in documents]
    slices = slice_queries(queries, [], freshness=Freshness(days=(30, 60)), document_fields=documents)
    assert groups(slices, "freshness") == {"0-30 days": [0, 1], "31-60 days": [2]}


def test_the_querys_own_date_goes_before_that_of_its_documents() -> None:
    queries = [Asked(fields={"updated": "2025-01-01"}, grades={"new.md": 1}), Asked(grades={"new.md": 1})]
    slices = slice_queries(queries, [], freshness=Freshness(days=(30,)), document_fields=DOCUMENTS)
    assert groups(slices, "freshness") == {"0-30 days": [1], "over 30 days": [0]}


def test_ages_count_back_from_a_given_day() -> None:
    queries = [Asked(grades={"new.md": 1}), Asked(grades={"month.md": 1})]
    slices = slice_queries(
        queries, [], freshness=Freshness(days=(90, 110), as_of="2026-12-29"), document_fields=DOCUMENTS
    )
    assert groups(slices, "freshness") == {"0-90 days": [0], "over 110 days": [1]}


def test_freshness_reads_the_field_it_is_told_and_can_be_crossed() -> None:
    queries = [Asked(fields={"lang": "zh", "published": "2026-09-01"}), Asked(fields={"lang": "en"})]
    slices = slice_queries(queries, ["lang x freshness"], freshness=Freshness("published"))
    assert groups(slices, "lang x freshness") == {"zh x 0-30 days": [0]}


@pytest.mark.parametrize("days", [(), (0, 30), (30, 30), (90, 30), (-1,)])
def test_windows_must_be_ascending_positive_numbers(days: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match=r"slicing\.freshness\.days must be ascending positive numbers, found \["):
        Freshness(days=days)


def test_the_day_to_count_from_must_be_a_date() -> None:
    with pytest.raises(ConfigError, match=r"as_of must be a date like 2026-09-30, found '三月'"):
        Freshness(as_of="三月")


def test_ages_count_back_from_the_newest_date_of_the_snapshot_even_if_no_query_asks_about_it() -> None:
    slices = slice_queries(
        [Asked(grades={"month.md": 1})], [], freshness=Freshness(days=(29, 30)), document_fields=DOCUMENTS
    )
    assert groups(slices, "freshness") == {"30-30 days": [0]}
