"""`export SUITE --out FILE`: pairs for those who label in a spreadsheet, in Label Studio, or elsewhere."""

import argparse
from pathlib import Path

from runner.annotation.candidates.candidate import JudgmentCandidate, read_candidates
from runner.annotation.exchange.label_studio import label_config
from runner.annotation.exchange.pair_files import judged_rows, refuse_suffix, waiting_rows, write_pairs
from runner.annotation.history.hand_edits import edits
from runner.annotation.history.items import highest_grade
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.review.passage_texts import PassageTexts, judged_snapshot, old_texts
from runner.annotation.review.queue import CHOICES, Wanted, fitted, queue
from runner.cli.judgment_commands.named_suite import SUITE_HELP, named_suite
from runner.engine.inputs import snapshot_store
from runner.errors import ConfigError, InputError
from runner.files.atomic import replace_file
from runner.tracking.location import StoreLocation

HELP = "write pairs for labelling elsewhere: JSONL, CSV for spreadsheets, or tasks of Label Studio"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Define the command line."""
    parser.add_argument("suite", metavar="SUITE", help=SUITE_HELP)
    parser.add_argument("overrides", nargs="*", help="store=...")
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="FILE.jsonl, FILE.csv, or FILE.json for Label Studio"
    )
    parser.add_argument(
        "--only",
        choices=CHOICES,
        help="what waits, as in review, without any grade; all: every pair, for a second opinion "
        "(default: every judgment as it is)",
    )
    parser.add_argument("--candidates", metavar="FILE.jsonl", help="candidates to be judged")
    parser.add_argument("--annotator", default="", metavar="NAME", help="leave out what this person has judged already")
    parser.add_argument("--snapshot", metavar="ID", help="where the texts are (default: the suite's own snapshot)")
    parser.add_argument("--label-config", metavar="FILE.xml", help="write Label Studio's labelling configuration, too")
    parser.add_argument("--grades", type=int, metavar="N", help="grades go from 0 to N (default: the suite's highest)")


def run(parsed: argparse.Namespace) -> int:
    """Write the file: 0 done, 2 bad input."""
    place = StoreLocation.of(parsed.overrides)
    place.refuse_rest()
    out = Path(parsed.out)
    refuse_suffix(out)
    file = named_suite(parsed.suite)
    suite = file.read()
    if out.resolve() in (file.path.resolve(), file.queries.resolve()) or out.name.endswith(".record.jsonl"):
        raise ConfigError(f"--out {out}: is a file of the suite itself; pairs go into a file of their own")
    store = snapshot_store(place.store)
    try:
        texts = PassageTexts(judged_snapshot(store, suite, parsed.snapshot), suite.unit)
    except InputError as error:
        # Who only wants the judgments needs no pages.
        if parsed.snapshot or parsed.only or parsed.candidates:
            raise
        print(f"note: the rows have no texts: {error}")
        texts = None
    entries = JudgmentRecord.beside(file.path).entries()
    suite = edits(suite, entries, interrupted=file.draft.exists())[0] if suite.frozen is None else suite
    if parsed.only or parsed.candidates:
        candidates: tuple[JudgmentCandidate, ...] = ()
        if parsed.candidates and texts:
            candidates = fitted(read_candidates(Path(parsed.candidates)), texts.snapshot, suite, parsed.candidates)
        wanted = Wanted(parsed.only or "candidates", parsed.annotator, candidates)
        items = queue(suite, entries, wanted)
        rows = tuple(waiting_rows(items, texts, old_texts(store, entries, suite.unit)))
        nameless = sum(not item.targets and item.old is None for item in items)
        if nameless:
            print(f"note: candidates that name nothing to judge, left out: {nameless}; `review` asks for a passage")
    else:
        rows = tuple(judged_rows(suite, texts))
    write_pairs(rows, out)
    if parsed.label_config:
        highest = highest_grade(suite, entries, parsed.grades)
        config = label_config(range(highest + 1), old_texts=any(row.old_text for row in rows))
        replace_file(Path(parsed.label_config), config.encode())
    print(f"{out}: {len(rows)} rows about {len({row.query_id for row in rows})} queries")
    return 0
