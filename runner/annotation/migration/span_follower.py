"""Judged spans from one snapshot to another: the same words among the same, or what stands in their place."""

from functools import cache

from runner.annotation.migration.document_map import DocumentMap
from runner.annotation.migration.in_place import InPlace
from runner.annotation.migration.nearest_text import NearestText, Place, like
from runner.annotation.migration.pair import JudgedPair, Outcome, Successor
from runner.annotation.migration.surroundings import Surroundings
from runner.snapshots import Snapshot
from runner.suites import Span
from runner.suites.existence import SpanPlaces
from runner.suites.span import find_quote

# What is less like a quotation, and does not stand in its place, is no proposal.
LEAST_ELSEWHERE = 0.6
_MOST_SHOWN = 5


class SpanFollower:
    """old, new: the snapshots."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self._map = DocumentMap.between(old, new)
        self._places = SpanPlaces(old)
        self._before = Surroundings(self._map.old)
        self._after = Surroundings(self._map.new)
        self._nearest = NearestText(new.documents, self._after)
        self._in_place = cache(self._compare)

    def follow(self, pair: JudgedPair) -> tuple[Outcome, ...]:
        """What became of a judged span: carried only where all that gives it its meaning is what it was."""
        span = pair.span
        assert span is not None, f"{pair.id} is no span"
        start, end = self._places.find(span)
        successor = self._map.successor(span.document)
        words = self._map.old[span.document].text[start:end]
        if self._map.twin(span.document) and successor:
            same = Span(successor.id, span.quote, span.start, span.end)
            return (Outcome("carried", (Successor.of_span(same),), 1.0, "same text"),)
        places = find_quote(words, successor.text) if successor else []
        if not successor or not places:
            return (self._replaced(span, words, (start, end)),)
        if len(places) > 1:
            return (self._several(span, successor.id, places),)
        found = (self._as_found(span, successor.id, places[0]),)
        around = self._before.around(span.document, start, end)
        difference = self._map.doubt(span.document) or around.difference(self._after.around(successor.id, *places[0]))
        if difference:
            return (Outcome("proposed", found, 1.0, f"same words, {difference}"),)
        return (Outcome("carried", found, 1.0, "same words"),)

    def _as_found(self, span: Span, document: str, place: Place) -> Successor:
        """The span in a new place, in the form it had: words stay words, a range stays a range."""
        if span.quote is None:
            return Successor.of_span(Span(document, None, *place))
        return Successor.of_span(Span(document, span.quote))

    def _several(self, span: Span, document: str, places: list[Place]) -> Outcome:
        if span.quote is None:
            spans = [Span(document, None, start, end) for start, end in places]
        else:
            spans = [Span(document, span.quote, start) for start, _ in places]
        shown = tuple(map(Successor.of_span, spans[:_MOST_SHOWN]))
        return Outcome("proposed", shown, 1.0, f"found {len(places)} times", {"places": len(places)})

    def _replaced(self, span: Span, words: str, place: Place) -> Outcome:
        """What stands in the place of words that their page does not hold, or the same or the like elsewhere."""
        found: list[tuple[Successor, float, str]] = []
        hint = ""
        if now := self._now(span.document, place):
            document, at = now
            alike = like(words, self._map.new[document].text, at)
            found.append((self._as_new(span, document, at), alike, "edited"))
        elsewhere = self._elsewhere(words)
        if len(elsewhere) == 1:
            found.append((self._as_found(span, *elsewhere[0]), 1.0, "same words, on another page"))
        if not found or found[0][1] < LEAST_ELSEWHERE:
            successor = self._map.successor(span.document)
            near = self._nearest.find(words, successor.id if successor else None)
            if near and near.similarity >= LEAST_ELSEWHERE:
                why = (
                    "like it, elsewhere on its page"
                    if successor and near.document == successor.id
                    else "like it, on another page"
                )
                found.append((self._as_new(span, near.document, (near.start, near.end)), near.similarity, why))
            elif near:
                text = " ".join(self._map.new[near.document].text[near.start : near.end].split())
                hint = f"; the nearest, {int(near.similarity * 100)}% alike, in {near.document}: “{text}”"
        unique = {successor.id: (successor, alike, why) for successor, alike, why in reversed(found)}
        found = list(reversed(unique.values()))
        if not found:
            return Outcome("gone", similarity=0.0, why=f"nothing stands in its place{hint}")
        details = {"similarities": [each[1] for each in found]} if len(found) > 1 else {}
        return Outcome("proposed", tuple(each[0] for each in found), found[0][1], found[0][2], details)

    def _as_new(self, span: Span, document: str, place: Place) -> Successor:
        """Other words as a span in the form that the old one has."""
        if span.quote is None:
            return Successor.of_span(Span(document, None, *place))
        text = self._map.new[document].text
        quote = " ".join(text[slice(*place)].split())
        again = len(find_quote(quote, text)) > 1
        return Successor.of_span(Span(document, quote, place[0] if again else None))

    def _compare(self, document: str) -> InPlace:
        successor = self._map.successor(document)
        assert successor is not None, f"{document} has no successor"
        return InPlace(self._map.old[document].text, successor.text, self._after.blocks(successor.id))

    def _now(self, document: str, place: Place) -> tuple[str, Place] | None:
        """What stands in the place of [start, end) of an old document, under the same heading or much like it."""
        successor = self._map.successor(document)
        if successor is None:
            return None
        compared = self._in_place(document)
        at = compared.find(*place)
        if at is None:
            return None
        above, now = self._before.headings(document, place[0])[-1:], self._after.headings(successor.id, at[0])[-1:]
        words = self._map.old[document].text[slice(*place)]
        if (above == now and (above or compared.related)) or like(words, successor.text, at) >= LEAST_ELSEWHERE:
            return successor.id, at
        return None

    def _elsewhere(self, words: str) -> list[tuple[str, Place]]:
        """Where the new documents hold the words, up to two places."""
        found: list[tuple[str, Place]] = []
        for id_ in self._nearest.holders(words):
            found += [(id_, place) for place in find_quote(words, self._map.new[id_].text)]
            if len(found) > 1:
                break
        return found
