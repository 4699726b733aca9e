"""Sixty hand-written quotations of a real site, from one release to a later one in which 120 pages changed."""

import os
from pathlib import Path

import pytest

from runner.annotation.migration.migrate import Migration, migrate
from runner.chunkers import Heading
from runner.documents import Pages
from runner.snapshots import Snapshot
from runner.suite_formats import OwnSuite

ROOT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("RUNNER_SHARED_DATA", ROOT.parent / "shared" / "data"))


def release(language: str, version: str) -> Snapshot:
    reader = Pages(SHARED / f"fastapi_docs_{language}" / version / "pages")
    return Snapshot.build(reader.read(), Heading(), normalization=reader.normalization)


@pytest.fixture(scope="module", params=["en", "zh_hant"])
def migration(request: pytest.FixtureRequest) -> Migration:
    if not (SHARED / f"fastapi_docs_{request.param}").is_dir():
        pytest.skip(f"{SHARED} does not hold the pages of fastapi_docs_{request.param}")
    suite = OwnSuite(ROOT / "tests/suites/spans/data" / f"fastapi_{request.param}.yaml").read()
    return migrate(suite, release(request.param, "v1"), release(request.param, "v2"))


def test_all_that_was_kept_is_carried_and_nothing_else(migration: Migration) -> None:
    change = {query.id: query.fields["change"] for query in migration.old.queries}
    seen = set()
    for entry in migration.entries[1:]:
        told = change[entry.query]
        # Where the quotations of one question fared differently, the field does not say which is which.
        if isinstance(told, str):
            seen.add(told)
            assert (entry.what == "carried") == (told == "kept"), entry
    assert {"kept", "edited", "gone"} <= seen
    assert migration.judgments.total() == 30


def test_what_was_said_in_other_words_is_found_again(migration: Migration) -> None:
    change = {query.id: query.fields["change"] for query in migration.old.queries}
    edited = [entry for entry in migration.entries[1:] if change[entry.query] == "edited"]
    proposed = [entry for entry in edited if entry.what == "proposed"]
    assert len(proposed) >= 0.8 * len(edited)
    assert all(item["document"] == entry.old["document"] for entry in proposed if entry.old for item in entry.new)
