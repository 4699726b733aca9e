"""Candidates as a suite can judge them."""

from collections.abc import Sequence
from dataclasses import replace

from runner.errors import MOST_LISTED, InputError, Problem
from runner.formats.nearest_ids import nearest_ids
from runner.judging.candidates.candidate import Candidate
from runner.snapshots import Snapshot
from runner.suites import Suite


def fitted(candidates: Sequence[Candidate], snapshot: Snapshot, suite: Suite, path: str) -> tuple[Candidate, ...]:
    """The candidates of a file, which mostly name passages, as a suite of documents, passages or spans judges them.

    A document stands for its passages; which words of a passage a span is, a person has to say. Raises InputError
    for a holdout, which nothing seen may enter, and naming every passage that the snapshot does not hold, by line.
    """
    if suite.role == "holdout":
        raise InputError(
            f"{path}: suite {suite.name!r} is a holdout; candidates come from what was seen, so they belong into "
            "another suite"
        )
    document_of = {passage.id: passage.document for passage in snapshot.passages}
    if suite.unit == "document":
        document_of |= {document.id: document.id for document in snapshot.documents}
    missing = [each for each in candidates if each.id is not None and each.id not in document_of]
    if missing:
        hints = nearest_ids([str(each.id) for each in missing[:MOST_LISTED]], snapshot.units("passage"))
        problems = []
        for each in missing:
            near = ", ".join(map(repr, hints.get(str(each.id), ())))
            message = f"snapshot {snapshot.id} holds no passage {each.id!r}{f'; nearest: {near}' if near else ''}"
            problems.append(Problem(each.line, message))
        raise InputError.of(path, problems)
    if suite.unit == "passage":
        return tuple(candidates)
    return tuple(
        replace(each, id=document_of.get(each.id or "") if suite.unit == "document" else None, passage=each.id)
        for each in candidates
    )
