"""`review SUITE`: judge what waits, one key each, at the terminal or in a browser."""

import argparse
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
from runner.cli.judgment_commands.named_suite import SUITE_HELP, annotator_name, named_suite
from runner.engine.inputs import snapshot_store
from runner.tracking.location import StoreLocation

HELP = "judge what waits: migrated, disputed and candidate judgments, or all of them a second time"
# Above this a grade is more than one key.
_ONE_KEY = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Define the command line."""
    parser.add_argument("suite", metavar="SUITE", help=SUITE_HELP)
    parser.add_argument("overrides", nargs="*", help="store=...")
    parser.add_argument(
        "--only",
        choices=CHOICES,
        default="uncertain",
        help="what to ask about; uncertain (the default): proposed, gone and disputed, and the candidates if given; "
        "all: every pair that you have not judged yet",
    )
    parser.add_argument("--candidates", metavar="FILE.jsonl", help="candidates to judge, as `candidates` writes them")
    parser.add_argument("--annotator", metavar="NAME", help="who is judging (default: the name of the user)")
    parser.add_argument("--snapshot", metavar="ID", help="the snapshot to judge (default: the suite's own)")
    parser.add_argument("--blind", action="store_true", help="hide what others said and why a candidate is one")
    parser.add_argument("--grades", type=int, metavar="N", help="grades go from 0 to N (default: the suite's highest)")
    parser.add_argument("--lines", action="store_true", help="read lines in place of single keys")
    parser.add_argument("--web", action="store_true", help="judge in a browser on this machine, with the same keys")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the browser's page (default: a free one)")


def run(parsed: argparse.Namespace) -> int:
    """Hold the review: 0 done, also where something is left."""
    place = StoreLocation.of(parsed.overrides)
    place.refuse_rest()
    annotator = annotator_name(parsed.annotator)
    file = named_suite(parsed.suite)
    torn = JudgmentRecord.beside(file.path).torn()
    live = LiveSuite(file, by=annotator)
    store = snapshot_store(place.store)
    snapshot = judged_snapshot(store, live.suite, parsed.snapshot)
    candidates: tuple[JudgmentCandidate, ...] = ()
    if parsed.candidates:
        candidates = fitted(read_candidates(Path(parsed.candidates)), snapshot, live.suite, parsed.candidates)
    review = Review(live, Wanted(parsed.only, annotator, candidates))
    texts = PassageTexts(snapshot, live.suite.unit)
    before = old_texts(store, live.entries, live.suite.unit)
    highest = highest_grade(live.suite, live.entries, parsed.grades)
    print(f"suite {live.suite.name} on snapshot {snapshot.id}, as {annotator}")
    if torn:
        print(f"note: {torn}")
    for edited in live.edited:
        print(f"note: query {edited.query} was {edited.note}; the record says so")
    if before is None and any(item.entry for item in review.items()):
        print("note: the old snapshot is not stored, so the old texts cannot be shown beside the new ones")
    if parsed.web:
        cards = Cards(texts, before, parsed.blind)
        with web_page(cards, f"{live.suite.name}, as {annotator}", parsed.port) as conversation:
            tally = Session(review, conversation, conversation, highest, texts).run()
    else:
        with answers(single=not parsed.lines and highest <= _ONE_KEY) as given:
            screen = Screen(sys.stdout, texts, before, blind=parsed.blind)
            tally = Session(review, given, screen, highest, texts).run()
    print(_told(tally, review, parsed.suite))
    return 0


def _told(tally: Tally, review: Review, suite: str) -> str:
    left = f"{tally.left} left" + (f" ({tally.skipped} skipped)" if tally.skipped else "")
    told = f"{tally.answered} answered, {left}; {suite} is at revision {review.suite.revision}"
    return f"{told}; go on with the same command" if tally.left else told
