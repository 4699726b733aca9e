"""`migrate SUITE --from OLD --to NEW`: carry judgments to a newer snapshot, as a new suite beside the old one."""

import argparse
from pathlib import Path

from runner.annotation.history.record import JudgmentRecord
from runner.annotation.migration.files import refuse_unfinished, target_of, write_migration
from runner.annotation.migration.migrate import migrate
from runner.cli.judgment_commands.named_suite import SUITE_HELP, named_suite, whoever
from runner.engine.inputs import snapshot_store
from runner.reports.migration import migration_lines
from runner.tracking.location import StoreLocation

HELP = "carry judgments over to a newer snapshot; what is not certain waits for review"
BLOCKED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Define the command line."""
    parser.add_argument("suite", metavar="SUITE", help=SUITE_HELP)
    parser.add_argument("overrides", nargs="*", metavar="OVERRIDE", help="where snapshots are: store=FOLDER")
    parser.add_argument("--from", dest="old", required=True, metavar="OLD", help="the snapshot that was judged")
    parser.add_argument("--to", dest="new", required=True, metavar="NEW", help="the snapshot to judge from now on")
    parser.add_argument("--out", type=Path, help="the YAML head to write (default: beside, with the snapshot's id)")
    parser.add_argument("--by", help="who does it, for the record (default: the login name)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a judgment is not carried")


def run(parsed: argparse.Namespace) -> int:
    """Migrate: 0 done, also when judgments wait; 1 if --check finds any that would; 2 bad input."""
    place = StoreLocation.of(parsed.overrides)
    place.refuse_rest()
    file = named_suite(parsed.suite)
    store = snapshot_store(place.store)
    old, new = store.load(parsed.old), store.load(parsed.new)
    target = target_of(file.path, new.id, parsed.out)
    suite = file.read()
    refuse_unfinished(file)
    migration = migrate(suite, old, new, by=parsed.by or whoever())
    # Written before anything is said of it: whoever reads the output may stop in the middle.
    written = None if parsed.check else write_migration(migration, file, target)
    for line in migration_lines(migration, old, new):
        print(line)
    print()
    if written is None:
        print("nothing was written (--check)")
        return 0 if migration.whole else BLOCKED
    if written.answers is None:
        print(f"written: {target} (revision {migration.new.revision}); {file.path} stays as it was")
    else:
        print(f"{target} is there already, from this migration, with {written.answers} answers; left as it is")
    if suite.frozen is not None:
        print("the old suite is frozen, the new one is not yet")
    if JudgmentRecord.beside(target).pending():
        print(f"next: python -m runner.judgments review {target} --snapshot {new.id}")
    else:
        print(f"next: python -m runner.judgments freeze {target}")
    return 0
