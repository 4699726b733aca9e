"""`python -m runner.citations answers.jsonl --snapshot ID`: do served answers cite what they were made from?"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from runner.citation_checks.answer_file import read_answers
from runner.citation_checks.checking import check_answers
from runner.citation_checks.rates import rates_of, read_demands, unmet
from runner.cli.entry import leave, parsed_arguments
from runner.configuration.settings import TrackingSettings, register_resolvers
from runner.engine.inputs import snapshot_store
from runner.errors import ConfigError
from runner.files.scratch import scratch_folder
from runner.reports.citations import Report, print_report, write_report
from runner.tracking.location import StoreLocation
from runner.tracking.mlflow_store import is_local, run_path, ui_command
from runner.tracking.tracker import Tracker
from runner.workflows.log_citations import citations_record

MET, UNMET = 0, 1
_FORM = """\
One JSON object a line:

  {"answer_id": "a1", "query_id": "q1", "snapshot": "2026-09", "at": "2026-10-01T09:30:00+00:00",
   "retrieved": ["en/limits.md#rates", "en/plans.md#free"],
   "cited": ["en/plans.md#free", {"id": "en/limits.md#rates", "quotation": "at most 100 requests"}],
   "kind": "answer", "language": "en"}

query_id, retrieved and cited are needed; cited may be empty. An id is a passage's, or a page's.
answer_id   not given twice.            snapshot   id, its beginning, or name; default: --snapshot.
at          when it was served.         kind       answer (default) or alert.
quotation   may stand beside `cited` where that is a single citation.

Four rates, each over the citations that its check can be made of; the rest is counted with the reason:
existence    the snapshot is stored and holds the passage.
containment  the passage, or its whole page, was among the retrieved; of a cited page, any passage. By ids alone.
quotation    the words stand in the passage's title or text, white space apart, words and numbers whole.
freshness    the page was, at that time, the same in the newest snapshot of its collection that had been made.

Exit status: 0 done; 1 a rate is below its --min, or there was nothing to check for it; 2 bad input.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 below a demanded rate, 2 bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.citations",
        description="Check what served answers or alerts cite against the snapshots that they were made from.",
        epilog=_FORM,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("answers", type=Path, help="the records, JSONL")
    parser.add_argument("overrides", nargs="*", help="tracking.uri=... or store=...")
    parser.add_argument("--snapshot", metavar="ID", help="of records that name none: id, its beginning, or name")
    parser.add_argument("--collection", metavar="NAME", help="the only one that freshness is looked for in")
    parser.add_argument("--fields", action="append", default=[], metavar="A,B", help="further keys, to slice by")
    parser.add_argument("--ignore", action="append", default=[], metavar="A,B", help="further keys, to leave unread")
    parser.add_argument("--min", action="append", default=[], metavar="CHECK=RATE,...", help="like existence=1.0")
    parser.add_argument("--experiment", default="lineage", metavar="NAME", help="the MLflow experiment")
    parser.add_argument("--out", type=Path, help="a folder for lineage.md, lineage.json and citations.parquet")
    parsed = parsed_arguments(parser, arguments)
    register_resolvers()

    def run() -> int:
        demands = read_demands(parsed.min)
        place = StoreLocation.of(parsed.overrides)
        place.refuse_rest()
        tracker = _tracker(place, parsed.experiment)
        store = snapshot_store(place.store)
        default = store.find(parsed.snapshot) if parsed.snapshot is not None else None
        fields = _names(parsed.fields)
        answers = read_answers(parsed.answers, default, fields, _names(parsed.ignore))
        sha256 = hashlib.sha256(parsed.answers.read_bytes()).hexdigest()
        checked = check_answers(answers, store, parsed.answers, parsed.collection)
        rates = rates_of(checked, fields)
        missed = unmet(demands, rates, len(checked.impossible))
        report = Report(parsed.answers.name, checked, rates, tuple(missed))
        print_report(report, sys.stdout)
        if parsed.out:
            write_report(report, parsed.out)
        settings = {"collection": parsed.collection or "", "fields": ",".join(fields)}
        with scratch_folder("lineage") as folder:
            write_report(report, folder)
            record = citations_record(report.file, sha256, checked, rates, settings, demands, folder)
            run_id = tracker.log(record)
        print(f"run {run_id} in the experiment {parsed.experiment!r}")
        print(f"look at it: {ui_command(place.uri)}, {run_path(tracker.experiment_id, run_id)}")
        return UNMET if missed else MET

    leave(run)


def _tracker(place: StoreLocation, experiment: str) -> Tracker:
    if not experiment.strip():
        raise ConfigError("--experiment is empty; name one")
    artifacts = f"{place.store}/artifacts" if is_local(place.uri) else None
    return Tracker(TrackingSettings(uri=place.uri, experiment=experiment, artifacts=artifacts))


def _names(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip()))


if __name__ == "__main__":
    main(sys.argv[1:])
