"""Stand-in documents for TREC runs and qrels, where only ids are known and rankings are scored as they are."""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from retrievers.base import RetrievalError
from retrievers.run_file import read_run, tag_of
from runner.documents.document import Document, Normalization
from runner.errors import InputError, Problem
from runner.suite_formats.qrels import TREC_LAYOUT, read_qrels

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrecIds:
    """Every document that the qrels or a run name, without its text. runs: see `run_files`.

    What a run names and nobody judged counts as not relevant, as it does for trec_eval.
    """

    qrels: str | Path
    runs: str | Path | Sequence[str | Path]
    normalization: Normalization = field(default_factory=Normalization)

    def read(self) -> list[Document]:
        """Return one document an id, sorted, with empty title and text.

        Raises InputError listing malformed lines, and for a run that has no query or no document in common with the
        qrels: it was made for others.
        """
        qrels = Path(self.qrels)
        problems: list[Problem] = []
        judged = read_qrels(qrels, TREC_LAYOUT, "zero", problems)
        if problems:
            raise InputError.of(qrels, problems)
        known = {id_ for each in judged.values() for id_ in each.grades}
        ids = set(known)
        for path in run_files(self.runs, besides=(qrels,)):
            try:
                ranked = read_run(str(path))
            except RetrievalError as error:
                raise InputError(str(error)) from None
            _refuse_strange(path, "queries", ranked, judged, qrels)
            named = {entry.name for entries in ranked.values() for entry in entries}
            _refuse_strange(path, "documents", named, known, qrels)
            ids |= named
        return [Document(id_, "", "") for id_ in sorted(ids)]


def run_files(runs: str | Path | Sequence[str | Path], besides: Sequence[Path] = ()) -> list[Path]:
    """The files of a file, a folder or a list of both, sorted within each folder; none twice.

    In a folder, what is no TREC run (by its first line) is passed over, and said so. besides: files that are none.
    Raises InputError for what is not there, and for a folder without a run.
    """
    named = [runs] if isinstance(runs, str | Path) else list(runs)
    found = [path for each in named for path in _files_of(Path(str(each)).expanduser(), besides)]
    if not found:
        raise InputError("dataset.runs is empty; name a TREC run, a folder of them, or a list")
    return list(dict.fromkeys(found))


def _files_of(path: Path, besides: Sequence[Path]) -> Iterator[Path]:
    if not path.is_dir():
        if not path.exists():
            raise InputError(f"{path}: not found; expected a TREC run, or a folder of them (dataset.runs)")
        yield path
        return
    others = {each.resolve() for each in besides}
    files = [each for each in sorted(path.iterdir()) if each.is_file() and not each.name.startswith(".")]
    runs = [each for each in files if each.resolve() not in others and tag_of(str(each)) is not None]
    passed = [each.name for each in files if each.resolve() not in others and each not in runs]
    if not runs:
        raise InputError(f"{path}: holds no TREC run (lines of `query Q0 document rank score tag`)")
    if passed:
        _say_once(f"{path}: passed over {len(passed)} that is no TREC run: {', '.join(passed[:5])}")
    yield from runs


@cache
def _say_once(text: str) -> None:
    """A sweep asks for each of its jobs."""
    _log.warning("%s", text)


def _refuse_strange(path: Path, what: str, found: Collection[str], known: Collection[str], qrels: Path) -> None:
    if any(each in known for each in found):
        return
    raise InputError(
        f"{path}: not one of its {len(found):,} {what} (such as {min(found)!r}) is in {qrels} (such as "
        f"{min(known)!r}); do the two belong together?"
    )
