"""`export SUITE out=FILE`: pairs for those who label in a spreadsheet, in Label Studio, or elsewhere."""

from pathlib import Path

from runner.annotation.candidates.candidate import JudgmentCandidate, read_candidates
from runner.annotation.exchange.label_studio import label_config
from runner.annotation.exchange.pair_files import judged_rows, refuse_suffix, waiting_rows, write_pairs
from runner.annotation.history.hand_edits import edits
from runner.annotation.history.items import highest_grade
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.review.passage_texts import PassageTexts, judged_snapshot, old_texts
from runner.annotation.review.queue import CHOICES, Wanted, fitted, queue
from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.cli.judgment_commands.named_suite import SUITE_HELP, named_suite
from runner.engine.inputs import snapshot_store
from runner.errors import ConfigError, InputError
from runner.files.atomic import replace_file


class Asked(StoredRuns):
    """What the command takes."""

    suite: str = words("SUITE", SUITE_HELP)
    out: Path = setting("FILE.jsonl, FILE.csv, or FILE.json for Label Studio", metavar="FILE")
    only: str | None = setting(
        "what waits, as in review, without any grade; all: every pair, for a second opinion; default: every judgment "
        "as it is",
        None,
        among=CHOICES,
    )
    candidates: Path | None = setting("candidates to be judged", None, metavar="FILE.jsonl")
    annotator: str = setting("leave out what this person has judged already", "", metavar="NAME")
    snapshot: str | None = setting("where the texts are; default: the suite's own snapshot", None, metavar="ID")
    label_config: Path | None = setting("write Label Studio's labelling configuration, too", None, metavar="FILE.xml")
    grades: int | None = setting("grades go from 0 to N; default: the suite's highest", None)


def run(asked: Asked) -> int:
    """Write the file: 0 done, 2 bad input."""
    place = asked.place()
    out = asked.out
    refuse_suffix(out)
    file = named_suite(asked.suite)
    suite = file.read()
    if out.resolve() in (file.path.resolve(), file.queries.resolve()) or out.name.endswith(".record.jsonl"):
        raise ConfigError(f"out={out}: is a file of the suite itself; pairs go into a file of their own")
    store = snapshot_store(place.store)
    try:
        texts = PassageTexts(judged_snapshot(store, suite, asked.snapshot), suite.unit)
    except InputError as error:
        # Who only wants the judgments needs no pages.
        if asked.snapshot or asked.only or asked.candidates:
            raise
        print(f"note: the rows have no texts: {error}")
        texts = None
    entries = JudgmentRecord.beside(file.path).entries()
    suite = edits(suite, entries, interrupted=file.draft.exists())[0] if suite.frozen is None else suite
    if asked.only or asked.candidates:
        candidates: tuple[JudgmentCandidate, ...] = ()
        if asked.candidates and texts:
            candidates = fitted(read_candidates(asked.candidates), texts.snapshot, suite, str(asked.candidates))
        wanted = Wanted(asked.only or "candidates", asked.annotator, candidates)
        items = queue(suite, entries, wanted)
        rows = tuple(waiting_rows(items, texts, old_texts(store, entries, suite.unit)))
        nameless = sum(not item.targets and item.old is None for item in items)
        if nameless:
            print(f"note: candidates that name nothing to judge, left out: {nameless}; `review` asks for a passage")
    else:
        rows = tuple(judged_rows(suite, texts))
    write_pairs(rows, out)
    if asked.label_config:
        highest = highest_grade(suite, entries, asked.grades)
        config = label_config(range(highest + 1), old_texts=any(row.old_text for row in rows))
        replace_file(asked.label_config, config.encode())
    print(f"{out}: {len(rows)} rows about {len({row.query_id for row in rows})} queries")
    return 0


main = Command("judgments export", Asked, run, example="core only=uncertain out=pairs.csv")

if __name__ == "__main__":
    main()
