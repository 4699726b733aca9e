"""Four rates with their denominators, never one score."""

import pytest
from citation_archive import FAX, RATE, ROTATE, Archive, answer, noon

from runner.citation_checks.answer_file import Citation
from runner.citation_checks.check_result import CHECKS
from runner.citation_checks.rates import Rate, rates_of, read_demands, unmet
from runner.errors import ConfigError


def by_name(rates: tuple[Rate, ...]) -> dict[tuple[str, str], Rate]:
    return {(rate.check, rate.slice): rate for rate in rates}


@pytest.fixture
def mixed(archive: Archive) -> dict[tuple[str, str], Rate]:
    """Four citations, of which each check sees others."""
    checked = archive.check(
        answer(Citation(ROTATE, "ninety days"), FAX, line=1, fields={"topic": "甲", "new": True}),
        answer(RATE, line=2, kind="alert", at=noon("2026-10-01"), fields={"topic": "b.c"}),
        answer(Citation(ROTATE, "ninety years"), line=3, at=None, retrieved=(), fields={"topic": ["甲", "乙"]}),
        answer(line=4, citations=(), fields={"topic": "only here"}),
    )
    return by_name(rates_of(checked, ["topic", "new"]))


def test_every_rate_has_its_own_denominator(mixed: dict[tuple[str, str], Rate]) -> None:
    assert {check: (mixed[check, ""].held, mixed[check, ""].n) for check in CHECKS} == {
        "existence": (3, 4),
        "containment": (3, 4),
        "quotation": (1, 2),
        "freshness": (1, 2),
    }
    assert mixed["existence", ""].value == 0.75


def test_what_could_not_be_checked_is_counted_by_reason(mixed: dict[tuple[str, str], Rate]) -> None:
    assert mixed["existence", ""].unchecked == mixed["containment", ""].unchecked == {}
    assert mixed["quotation", ""].unchecked == {"no quotation was given": 2}
    assert mixed["freshness", ""].unchecked == {
        "no time of serving was given": 1,
        "what is cited does not exist": 1,
    }


def test_the_interval_is_wilsons(mixed: dict[tuple[str, str], Rate]) -> None:
    # 3 of 4, z^2 = 3.8415: (3 + 1.9207 -+ sqrt(3.8415 * (0.75 + 0.9604))) / 7.8415.
    assert mixed["existence", ""].low == pytest.approx(0.3006, abs=1e-4)
    assert mixed["existence", ""].high == pytest.approx(0.9544, abs=1e-4)


def test_slices_are_of_fields_and_of_kinds_where_there_are_two(mixed: dict[tuple[str, str], Rate]) -> None:
    assert list(dict.fromkeys(name for _, name in mixed)) == [
        "",
        "kind.alert",
        "kind.answer",
        "topic.b.c",
        "topic.only here",
        "topic.甲",
        "topic.甲+乙",
        "new.true",
    ]
    assert (mixed["existence", "topic.甲"].held, mixed["existence", "topic.甲"].n) == (1, 2)
    assert (mixed["freshness", "kind.alert"].held, mixed["freshness", "kind.alert"].n) == (0, 1)
    assert (mixed["quotation", "topic.甲+乙"].held, mixed["quotation", "topic.甲+乙"].n) == (0, 1)
    assert (mixed["existence", "new.true"].n, mixed["existence", "kind.answer"].n) == (2, 3)


def test_a_rate_of_nothing_has_no_value(mixed: dict[tuple[str, str], Rate]) -> None:
    empty = mixed["existence", "topic.only here"]
    assert (empty.n, empty.value) == (0, None)


def test_one_kind_alone_makes_no_slice(archive: Archive) -> None:
    assert {rate.slice for rate in rates_of(archive.check(answer(kind="alert")))} == {""}


def test_a_field_of_too_many_values_is_refused(archive: Archive) -> None:
    many = [answer(line=n, fields={"session": f"s{n}"}) for n in range(1, 202)]
    with pytest.raises(ConfigError, match=r"'session', which has 201 values \(at most 200\); .* name it in ignore="):
        rates_of(archive.check(*many), ["session"])
    assert len(rates_of(archive.check(*many[:200]), ["session"])) == 4 * 201


def test_two_slices_of_one_name_are_refused(archive: Archive) -> None:
    checked = archive.check(answer(fields={"a": "b.c", "a.b": "c"}))
    with pytest.raises(ConfigError, match=r"two slices would be called 'a\.b\.c'"):
        rates_of(checked, ["a", "a.b"])


def test_demands_are_read_whatever_way_they_are_given() -> None:
    wanted = {"existence": 1.0, "containment": 0.99, "freshness": 0.0}
    assert read_demands(["existence=1.0,containment=.99", "freshness=0"]) == wanted
    assert read_demands([]) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("existense=1", "expected one of existence, containment, quotation, freshness, as in existence=1.0"),
        ("existence", "expected a number from 0 to 1"),
        ("existence=", "expected a number from 0 to 1"),
        ("existence=99%", "expected a number from 0 to 1"),
        ("existence=1.1", "expected a number from 0 to 1"),
        ("existence=nan", "expected a number from 0 to 1"),
        ("existence=1,,freshness=1", "expected one of"),
        ("existence=1,existence=0.9", "names existence twice"),
    ],
)
def test_a_demand_that_cannot_be_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_demands([text])


def rate(held: int, n: int, check: str = "freshness", name: str = "") -> Rate:
    return Rate(check, name, held, n, 0.0, 1.0, {})  # type: ignore[arg-type]


def test_a_demand_is_met_from_its_value_on() -> None:
    rates = [rate(9, 10), rate(0, 10, name="topic.a")]
    assert unmet({"freshness": 0.9}, rates, 0) == []
    assert unmet({"freshness": 0.91}, rates, 0) == ["freshness: 9 of 10 = 0.9000, at least 0.91 is demanded"]


def test_a_rate_of_nothing_meets_no_demand() -> None:
    assert unmet({"freshness": 0.0}, [rate(0, 0)], 0) == [
        "freshness: at least 0 is demanded, and no citation could be checked"
    ]


def test_records_from_the_future_meet_no_demand_of_freshness() -> None:
    rates = [rate(10, 10), rate(10, 10, "existence")]
    assert unmet({"freshness": 1.0, "existence": 1.0}, rates, 2) == [
        "freshness: 2 records cite a snapshot from the future; mend them first"
    ]
