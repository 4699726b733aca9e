"""Snapshots and suites: build, compare, read."""

from collections.abc import Sequence
from pathlib import Path

from runner.alignment.difference import Difference
from runner.engine.inputs import snapshot_store
from runner.snapshots import Snapshot, SnapshotStore
from runner.suites import Suite


def build_snapshot(*overrides: str, name: str | None = None, collection: str | None = None) -> Snapshot:
    """Read documents, cut them into passages, and keep the result under its id, as `python -m runner snapshot build`.

    overrides: `"corpus=pages"`, `"corpus.path=docs/"`, `"chunker=heading"`, `"store=DIR"`; with `"dry_run=true"`
    nothing is kept. name: one that stands for the id from now on. collection: which documents these are a state of,
    the dataset unless given. Raises ConfigError for settings, and InputError for documents, that cannot be used.

    >>> import runner
    >>> snapshot = runner.build_snapshot("dataset=demo", "chunker=window", "chunker.size=300")
    >>> len(snapshot.documents) > 10, len(snapshot.passages) > len(snapshot.documents)
    (True, True)
    """
    from runner.workflows.build_snapshot import build_and_keep

    return build_and_keep(overrides, name, collection).snapshot


def diff(
    old: str | Snapshot,
    new: str | Snapshot,
    *,
    suites: Sequence[str | Path | Suite] = (),
    store: str | None = None,
) -> Difference:
    """What is different between two snapshots: documents, passages, and the judged queries that it touches.

    old and new: ids, beginnings of ids, or names of kept snapshots, or snapshots. suites: of the old snapshot, each a
    file, a name of conf/suite, or a suite. Raises InputError for a snapshot or suite that is not there.

    >>> import runner
    >>> one = runner.build_snapshot("dataset=demo", "chunker=window", "chunker.size=300")
    >>> other = runner.build_snapshot("dataset=demo", "chunker=window", "chunker.size=600")
    >>> runner.diff(one, other).document_counts["changed"]
    0
    """
    before, after = (each if isinstance(each, Snapshot) else _store(store).load(each) for each in (old, new))
    return Difference.between(before, after, [each if isinstance(each, Suite) else load_suite(each) for each in suites])


def load_suite(suite: str | Path) -> Suite:
    """Read a suite of judged queries: the YAML file of one, or a name of conf/suite.

    Raises InputError listing every fault of its files, and ConfigError for an unknown name.

    >>> import runner
    >>> suite = runner.load_suite("core")
    >>> suite.unit, len(suite.scored()) > 50
    ('passage', True)
    """
    from runner.suite_formats import OwnSuite

    path = Path(suite)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return OwnSuite(str(path)).read()
    from runner.composition.requests import compose_request
    from runner.engine.inputs import ConfiguredInputs

    return ConfiguredInputs().suite(compose_request([f"suite={suite}"]).settings)


def _store(store: str | None) -> SnapshotStore:
    from runner.tracking.location import StoreLocation

    return snapshot_store(StoreLocation.at(store).store)
