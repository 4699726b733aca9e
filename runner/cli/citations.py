"""`python -m runner citations answers.jsonl snapshot=ID`: do served answers cite what they were made from?"""

import hashlib
import sys
from pathlib import Path

from runner.citation_checks.answer_file import read_answers
from runner.citation_checks.checking import check_answers
from runner.citation_checks.rates import rates_of, read_demands, unmet
from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.configuration.settings import TrackingSettings
from runner.engine.inputs import snapshot_store
from runner.errors import ConfigError
from runner.files.scratch import scratch_folder
from runner.reports.citations import Report, print_report, write_report
from runner.tracking.location import StoreLocation
from runner.tracking.mlflow_store import is_local, ui_command
from runner.tracking.tracker import Tracker
from runner.tracking.ui_links import run_path
from runner.workflows.log_citations import citations_record

MET, UNMET = 0, 1
_FORM = """\
One JSON object a line:

  {"answer_id": "a1", "query_id": "q1", "snapshot": "2026-09", "at": "2026-10-01T09:30:00+00:00",
   "retrieved": ["en/limits.md#rates", "en/plans.md#free"],
   "cited": ["en/plans.md#free", {"id": "en/limits.md#rates", "quotation": "at most 100 requests"}],
   "kind": "answer", "language": "en"}

query_id, retrieved and cited are needed; cited may be empty. An id is a passage's, or a page's.
answer_id   not given twice.            snapshot   id, its beginning, or name; default: snapshot=.
at          when it was served.         kind       answer (default) or alert.
quotation   may stand beside `cited` where that is a single citation.

Four rates, each over the citations that its check can be made of; the rest is counted with the reason:
existence    the snapshot is stored and holds the passage.
containment  the passage, or its whole page, was among the retrieved; of a cited page, any passage. By ids alone.
quotation    the words stand in the passage's title or text, white space apart, words and numbers whole.
freshness    the page was, at that time, the same in the newest snapshot of its collection that had been made.

"""


class Asked(StoredRuns):
    """What the command takes."""

    answers: Path = words("ANSWERS", "the records, JSONL")
    snapshot: str | None = setting("of records that name none: id, its beginning, or name", None, metavar="ID")
    collection: str | None = setting("the only one that freshness is looked for in", None, metavar="NAME")
    fields: tuple[str, ...] = setting("further keys, to slice by", (), metavar="A,B")
    ignore: tuple[str, ...] = setting("further keys, to leave unread", (), metavar="A,B")
    min: tuple[str, ...] = setting("the least rates, like existence=1.0", (), metavar="CHECK=RATE,...")
    experiment: str = setting("the MLflow experiment", "lineage", metavar="NAME")
    out: Path | None = setting("a folder for lineage.md, lineage.json and citations.parquet", None, metavar="DIR")


def run(asked: Asked) -> int:
    """Check, print and log."""
    demands = read_demands(asked.min)
    place = asked.place()
    tracker = _tracker(place, asked.experiment)
    store = snapshot_store(place.store)
    default = store.find(asked.snapshot) if asked.snapshot is not None else None
    fields = list(dict.fromkeys(asked.fields))
    answers = read_answers(asked.answers, default, fields, list(dict.fromkeys(asked.ignore)))
    sha256 = hashlib.sha256(asked.answers.read_bytes()).hexdigest()
    checked = check_answers(answers, store, asked.answers, asked.collection)
    rates = rates_of(checked, fields)
    missed = unmet(demands, rates, len(checked.impossible))
    report = Report(asked.answers.name, checked, rates, tuple(missed))
    print_report(report, sys.stdout)
    if asked.out:
        write_report(report, asked.out)
    settings = {"collection": asked.collection or "", "fields": ",".join(fields)}
    with scratch_folder("lineage") as folder:
        write_report(report, folder)
        record = citations_record(report.file, sha256, checked, rates, settings, demands, folder)
        run_id = tracker.log(record)
    print(f"run {run_id} in the experiment {asked.experiment!r}")
    print(f"look at it: {ui_command(place.uri)}, {run_path(tracker.experiment_id, run_id)}")
    return UNMET if missed else MET


def _tracker(place: StoreLocation, experiment: str) -> Tracker:
    if not experiment.strip():
        raise ConfigError("experiment= is empty; name one")
    artifacts = f"{place.store}/artifacts" if is_local(place.uri) else None
    return Tracker(TrackingSettings(uri=place.uri, experiment=experiment, artifacts=artifacts))


main = Command(
    "citations",
    Asked,
    run,
    example="answers.jsonl snapshot=2026-09 fields=language min=existence=1.0,containment=0.99",
    statuses="0 done; 1 a rate is below its min=, or there was nothing to check for it; 2 bad input",
    notes=_FORM,
)

if __name__ == "__main__":
    main()
