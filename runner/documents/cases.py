"""Stand-in documents for ready-made cases, where only ids are known and rankings are scored as they are."""

from dataclasses import dataclass, field
from pathlib import Path

from retrievers.script import same_id
from runner.documents.document import Document, Normalization
from runner.errors import InputError, Problem
from runner.files.reading import id_fault, kind_of, read_array


@dataclass(frozen=True)
class Cases:
    """path: a JSON array of `{query_id, relevant, retrieved}`; every id named there becomes an empty document."""

    path: str | Path
    normalization: Normalization = field(default_factory=Normalization)

    def read(self) -> list[Document]:
        """Return one document an id, sorted, with empty title and text.

        Items are ids, or objects with an `id`. Raises InputError listing every item that is neither.
        """
        path = Path(self.path)
        problems: list[Problem] = []
        ids: set[str] = set()
        for line, case in read_array(path, problems, "a JSON array of {query_id, relevant, retrieved}"):
            for key in ("relevant", "retrieved"):
                items = case.get(key) or []
                if not isinstance(items, list):
                    problems.append(Problem(line, f"{key}: found {kind_of(items)}, expected a list of ids"))
                    continue
                for item in items:
                    id_ = item.get("id") if isinstance(item, dict) else item
                    if fault := id_fault(id_):
                        problems.append(Problem(line, f"{key}: id {fault}"))
                    else:
                        ids.add(same_id(str(id_)))
        if problems:
            raise InputError.of(path, problems)
        if not ids:
            raise InputError(f"{path}: names no document; expected ids in `relevant` and `retrieved`")
        return [Document(id_, "", "") for id_ in sorted(ids)]
