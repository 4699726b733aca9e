"""Judged spans from one snapshot to another: the words are looked for, and found once or left to a person."""

from functools import cached_property

from runner.judging.migration.nearest_text import NearestText
from runner.judging.migration.pair import TELLING, Fate, Pair, Target
from runner.judging.migration.surroundings import Surroundings
from runner.judging.migration.twins import Heirs
from runner.snapshots import Snapshot
from runner.suites import Span
from runner.suites.existence import SpanPlaces
from runner.suites.span import find_quote

# Below these similarities there is nothing worth showing, on the span's own page and on others: it is gone.
LEAST_ALIKE = 0.45
LEAST_ELSEWHERE = 0.6
_MOST_SHOWN = 5
_ELSEWHERE = "like it, on another page"


class SpanFollower:
    """old, new: the snapshots."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self._old, self._new = old, new
        self._heirs = Heirs.between(old, new)
        self._places = SpanPlaces(old)
        self._before = Surroundings(self._heirs.old)
        self._after = Surroundings(self._heirs.new)
        self._nearest = NearestText(new.documents)

    def follow(self, pair: Pair) -> tuple[Fate, ...]:
        """What became of a judged span."""
        span = self._span(pair)
        start, end = self._places.find(span)
        heir = self._heirs.heir(span.document)
        words = self._heirs.old[span.document].text[start:end]
        if heir is None:
            return (self._without_document(span, words),)
        if self._heirs.twin(span.document) and (self._title(span.document) == heir.title or len(words) >= TELLING):
            same = Span(heir.id, span.quote, span.start, span.end)
            return (Fate("carried", (Target.of_span(same),), 1.0, "same text"),)
        places = find_quote(words, heir.text)
        if len(places) > 1:
            return (self._several(span, heir.id, places),)
        if not places:
            return (self._near(span, words, heir.id),)
        target = self._as_found(span, heir.id, places[0])
        again = len(find_quote(words, self._heirs.old[span.document].text)) > 1
        # Of several places one is left, or the words are few: they say the same only where all around is the same.
        if again or len(words) < TELLING:
            around = self._before.around(span.document, start, end)
            if around != self._after.around(heir.id, *places[0]):
                return (Fate("proposed", (target,), 1.0, "same words, other surroundings"),)
        return (Fate("carried", (target,), 1.0, "same words"),)

    def _title(self, document: str) -> str:
        return self._heirs.old[document].title

    @staticmethod
    def _span(pair: Pair) -> Span:
        span = pair.span
        assert span is not None, f"{pair.id} is no span"
        return span

    def _as_found(self, span: Span, document: str, place: tuple[int, int]) -> Target:
        """The span in a new place, in the form it had: words stay words, a range stays a range."""
        if span.quote is None:
            return Target.of_span(Span(document, None, *place))
        return Target.of_span(Span(document, span.quote))

    def _several(self, span: Span, document: str, places: list[tuple[int, int]]) -> Fate:
        shown = places[:_MOST_SHOWN]
        if span.quote is None:
            spans = [Span(document, None, start, end) for start, end in shown]
        else:
            spans = [Span(document, span.quote, start) for start, _ in shown]
        return Fate(
            "proposed", tuple(map(Target.of_span, spans)), 1.0, f"found {len(places)} times", {"places": len(places)}
        )

    def _near(self, span: Span, words: str, prefer: str | None) -> Fate:
        found: list[tuple[Target, float, str]] = []
        near = self._nearest.find(words, prefer, LEAST_ALIKE, LEAST_ELSEWHERE)
        if near is not None:
            text = self._heirs.new[near.document].text
            place = Span(near.document, None, near.start, near.end)
            if span.quote is not None:
                quote = " ".join(text[near.start : near.end].split())
                again = len(find_quote(quote, text)) > 1
                place = Span(near.document, quote, near.start if again else None)
            found.append((Target.of_span(place), near.similarity, "edited" if near.document == prefer else _ELSEWHERE))
        elsewhere = self._elsewhere(words)
        if len(elsewhere) == 1:
            moved = self._as_found(span, *elsewhere[0])
            found = [each for each in found if each[0].id != moved.id]
            # Many words are at home where they stand now; a few stand anywhere.
            found.insert(0 if len(words) >= TELLING else len(found), (moved, 1.0, "same words on another page"))
        if not found:
            return Fate("gone", similarity=0.0, why="nothing like it is left")
        alike = {"similarities": [each[1] for each in found]} if len(found) > 1 else {}
        return Fate("proposed", tuple(each[0] for each in found), found[0][1], found[0][2], alike)

    def _without_document(self, span: Span, words: str) -> Fate:
        elsewhere = self._elsewhere(words)
        if len(elsewhere) == 1 and len(words) >= TELLING and self._unique_before(words):
            target = self._as_found(span, *elsewhere[0])
            return Fate("carried", (target,), 1.0, "same words, found nowhere else")
        return self._near(span, words, None)

    def _elsewhere(self, words: str) -> list[tuple[str, tuple[int, int]]]:
        """Where the new documents hold the words, up to two places."""
        found: list[tuple[str, tuple[int, int]]] = []
        squeezed = " ".join(words.split())
        for id_, text in self._squeezed_after.items():
            if squeezed in text:
                found += [(id_, place) for place in find_quote(words, self._heirs.new[id_].text)]
                if len(found) > 1:
                    break
        return found

    def _unique_before(self, words: str) -> bool:
        squeezed = " ".join(words.split())
        held = [text.count(squeezed) for text in self._squeezed_before.values() if squeezed in text]
        return held == [1]

    @cached_property
    def _squeezed_before(self) -> dict[str, str]:
        return {id_: " ".join(document.text.split()) for id_, document in self._heirs.old.items()}

    @cached_property
    def _squeezed_after(self) -> dict[str, str]:
        return {id_: " ".join(document.text.split()) for id_, document in self._heirs.new.items()}
