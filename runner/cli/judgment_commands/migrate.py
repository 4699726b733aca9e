"""`migrate SUITE from=OLD to=NEW`: carry judgments to a newer snapshot, as a new suite beside the old one."""

from pathlib import Path

from runner.annotation.history.record import JudgmentRecord
from runner.annotation.migration.files import refuse_unfinished, target_of, write_migration
from runner.annotation.migration.migrate import migrate
from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.cli.judgment_commands.named_suite import SUITE_HELP, named_suite, whoever
from runner.engine.inputs import snapshot_store
from runner.reports.migration import migration_lines

BLOCKED = 1


class Asked(StoredRuns):
    """What the command takes."""

    suite: str = words("SUITE", SUITE_HELP)
    old: str = setting("the snapshot that was judged", name="from", metavar="OLD")
    new: str = setting("the snapshot to judge from now on", name="to", metavar="NEW")
    out: Path | None = setting("the YAML head to write; default: beside, with the snapshot's id", None)
    by: str | None = setting("who does it, for the record; default: the login name", None, metavar="NAME")
    check: bool = setting("write nothing; exit 1 if a judgment is not carried", False)


def run(asked: Asked) -> int:
    """Migrate: 0 done, also when judgments wait; 1 if check=true finds any that would; 2 bad input."""
    place = asked.place()
    file = named_suite(asked.suite)
    store = snapshot_store(place.store)
    old, new = store.load(asked.old), store.load(asked.new)
    target = target_of(file.path, new.id, asked.out)
    suite = file.read()
    refuse_unfinished(file)
    migration = migrate(suite, old, new, by=asked.by or whoever())
    # Written before anything is said of it: whoever reads the output may stop in the middle.
    written = None if asked.check else write_migration(migration, file, target)
    for line in migration_lines(migration, old, new):
        print(line)
    print()
    if written is None:
        print("nothing was written (check=true)")
        return 0 if migration.whole else BLOCKED
    if written.answers is None:
        print(f"written: {target} (revision {migration.new.revision}); {file.path} stays as it was")
    else:
        print(f"{target} is there already, from this migration, with {written.answers} answers; left as it is")
    if suite.frozen is not None:
        print("the old suite is frozen, the new one is not yet")
    if JudgmentRecord.beside(target).pending():
        print(f"next: python -m runner judgments review {target} snapshot={new.id}")
    else:
        print(f"next: python -m runner judgments freeze {target}")
    return 0


main = Command(
    "judgments migrate",
    Asked,
    run,
    example="core from=2026-03 to=2026-09 out=core-2026-09.yaml",
    statuses="0 done, also when judgments wait; 1 check=true found some that would; 2 bad input",
)

if __name__ == "__main__":
    main()
