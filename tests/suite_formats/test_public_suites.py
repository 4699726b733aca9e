"""Public judged collections, with their real faults."""

import os
from pathlib import Path

import pytest

from runner.chunkers import WholeDocument
from runner.documents import Beir
from runner.errors import InputError
from runner.snapshots import Snapshot
from runner.suite_formats import BeirSuite
from runner.suite_formats.own import read_own, write_own

DATA = Path(os.environ.get("RUNNER_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


def need(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"the public collection {name} is not in {DATA}; set RUNNER_SHARED_DATA")
    return DATA / name


@pytest.mark.parametrize(
    ("name", "judged", "unjudged"),
    [("cranfield", 225, 0), ("nfcorpus", 323, 0), ("cisi", 76, 36), ("drcd_test", 3493, 0), ("hotpotqa_100", 100, 0)],
)
def test_public_suites_fit_their_corpora(tmp_path: Path, name: str, judged: int, unjudged: int) -> None:
    suite = BeirSuite(need(name)).read()
    assert (len(suite.scored()), len(suite.unjudged()), len(suite.unanswerable())) == (judged, unjudged, 0)
    suite.check(Snapshot.build(Beir(need(name)).read(), WholeDocument()))
    write_own(suite, tmp_path)
    again = read_own(tmp_path)
    assert again == suite
    assert again.revision == suite.revision


def test_negative_grades_are_refused_unless_said_to_be_zero() -> None:
    raw = need("cranfield/qrels/raw.tsv")
    with pytest.raises(InputError, match="225 problems") as caught:
        BeirSuite(need("cranfield"), qrels=raw).read()
    assert f"{raw}:30: grade: found -1, which is negative" in str(caught.value)
    suite = BeirSuite(need("cranfield"), qrels=raw, negative="zero").read()
    assert sum(0 in query.grades.values() for query in suite.scored()) >= 200


def test_each_reading_of_the_judgments_has_its_own_revision() -> None:
    folder = need("cranfield")
    readings = [
        BeirSuite(folder, qrels=name, negative="zero").read().revision
        for name in ("test", "raw", "no_source_rows", "source_as_relevant")
    ]
    assert len(set(readings)) == 4


def test_a_suite_on_the_wrong_corpus_is_refused() -> None:
    suite = BeirSuite(need("nfcorpus")).read()
    with pytest.raises(InputError, match=r"and \d+ more"):
        suite.check(Snapshot.build(Beir(need("hotpotqa_100")).read(), WholeDocument()))


def test_a_slice_over_metadata_is_declared_and_kept() -> None:
    suite = BeirSuite(need("hotpotqa_100"), slices=["category", "level x category"]).read()
    assert {str(query.fields["category"]) for query in suite.queries} == {"bridge", "comparison"}
