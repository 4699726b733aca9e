"""Which of many character ranges share a character with a given one, however they lie in each other."""

from hypothesis import given
from hypothesis import strategies as st

from runner.alignment.range_match import TextRanges

ranges = st.tuples(st.integers(0, 12), st.integers(0, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(ranges, max_size=25), ranges.filter(lambda asked: asked[0] < asked[1]))
def test_all_that_share_a_character_are_found_in_reading_order(
    cuts: list[tuple[int, int]], asked: tuple[int, int]
) -> None:
    names = {f"{number:02}": cut for number, cut in enumerate(cuts) if cut[0] < cut[1]}
    found = TextRanges(names.items()).touching(*asked)
    inside = {*range(*asked)}
    assert {*found} == {name for name, cut in names.items() if inside & {*range(*cut)}}
    assert found == sorted(found, key=lambda name: (names[name], name))


class Counted(int):
    """A number that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: int) -> bool:
        Counted.compared += 1
        return int(self) < int(other)

    def __gt__(self, other: int) -> bool:
        Counted.compared += 1
        return int(self) > int(other)


def test_one_that_spans_a_whole_text_makes_no_search_longer() -> None:
    cuts = [(0, 10_000), *((start, start + 10) for start in range(0, 10_000, 10))]
    made = TextRanges((str(number), (Counted(start), Counted(end))) for number, (start, end) in enumerate(cuts))
    Counted.compared = 0
    for start in range(0, 10_000, 10):
        assert len(made.touching(start, start + 10)) == 2
    # A thousand searches in a thousand ranges: about ten comparisons for each end of a row, never all of them.
    assert Counted.compared < 1000 * 100
