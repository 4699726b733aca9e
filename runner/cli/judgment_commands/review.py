"""`review SUITE`: judge what waits, one key each, at the terminal or in a browser."""

import sys
from pathlib import Path

from runner.annotation.candidates.candidate import JudgmentCandidate, read_candidates
from runner.annotation.history.items import highest_grade
from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.review.card import Cards
from runner.annotation.review.passage_texts import PassageTexts, judged_snapshot, old_texts
from runner.annotation.review.queue import CHOICES, Wanted, fitted
from runner.annotation.review.review import Review
from runner.annotation.review.screen import Screen
from runner.annotation.review.session import Session, Tally
from runner.annotation.review.terminal import answers
from runner.annotation.review.web_page import web_page
from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.cli.judgment_commands.named_suite import SUITE_HELP, annotator_name, named_suite
from runner.engine.inputs import snapshot_store

# Above this a grade is more than one key.
_ONE_KEY = 9


class Asked(StoredRuns):
    """What the command takes."""

    suite: str = words("SUITE", SUITE_HELP)
    only: str = setting(
        "what to ask about; uncertain: proposed, gone and disputed, and the candidates if given; all: every pair that "
        "you have not judged yet",
        "uncertain",
        among=CHOICES,
    )
    candidates: Path | None = setting("candidates to judge, as `candidates` writes them", None, metavar="FILE.jsonl")
    annotator: str | None = setting("who is judging; default: the name of the user", None, metavar="NAME")
    snapshot: str | None = setting("the snapshot to judge; default: the suite's own", None, metavar="ID")
    blind: bool = setting("hide what others said and why a candidate is one", False)
    grades: int | None = setting("grades go from 0 to N; default: the suite's highest", None)
    lines: bool = setting("read lines in place of single keys", False)
    web: bool = setting("judge in a browser on this machine, with the same keys", False)
    port: int = setting("of the browser's page; 0: a free one", 0, least=0, most=65535)


def run(asked: Asked) -> int:
    """Hold the review: 0 done, also where something is left."""
    place = asked.place()
    annotator = annotator_name(asked.annotator)
    file = named_suite(asked.suite)
    torn = JudgmentRecord.beside(file.path).torn()
    live = LiveSuite(file, by=annotator)
    store = snapshot_store(place.store)
    snapshot = judged_snapshot(store, live.suite, asked.snapshot)
    candidates: tuple[JudgmentCandidate, ...] = ()
    if asked.candidates:
        candidates = fitted(read_candidates(asked.candidates), snapshot, live.suite, str(asked.candidates))
    review = Review(live, Wanted(asked.only, annotator, candidates))
    texts = PassageTexts(snapshot, live.suite.unit)
    before = old_texts(store, live.entries, live.suite.unit)
    highest = highest_grade(live.suite, live.entries, asked.grades)
    print(f"suite {live.suite.name} on snapshot {snapshot.id}, as {annotator}")
    if torn:
        print(f"note: {torn}")
    for edited in live.edited:
        print(f"note: query {edited.query} was {edited.note}; the record says so")
    if before is None and any(item.entry for item in review.items()):
        print("note: the old snapshot is not stored, so the old texts cannot be shown beside the new ones")
    if asked.web:
        cards = Cards(texts, before, asked.blind)
        with web_page(cards, f"{live.suite.name}, as {annotator}", asked.port) as conversation:
            tally = Session(review, conversation, conversation, highest, texts).run()
    else:
        with answers(single=not asked.lines and highest <= _ONE_KEY) as given:
            screen = Screen(sys.stdout, texts, before, blind=asked.blind)
            tally = Session(review, given, screen, highest, texts).run()
    print(_told(tally, review, asked.suite))
    return 0


def _told(tally: Tally, review: Review, suite: str) -> str:
    left = f"{tally.left} left" + (f" ({tally.skipped} skipped)" if tally.skipped else "")
    told = f"{tally.answered} answered, {left}; {suite} is at revision {review.suite.revision}"
    return f"{told}; go on with the same command" if tally.left else told


main = Command(
    "judgments review",
    Asked,
    run,
    example="core only=disputed annotator=wei",
    statuses="0 done, also where something is left; 2 bad input",
)

if __name__ == "__main__":
    main()
