"""Candidates on disk: a JSONL file, and beside it where they come from."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.candidate import KINDS, JudgmentCandidate
from runner.errors import ConfigError, InputError
from runner.files.atomic import replace_file


@dataclass(frozen=True)
class CandidateList:
    """candidates: all of them, in their order. inputs: one object a source. counts: of the click log.

    by_rank: rank, impressions, clicks and their share over the whole log. notes: what a reader should know.
    """

    candidates: Sequence[JudgmentCandidate]
    inputs: Sequence[Mapping[str, Any]]
    rules: Rules
    options: Mapping[str, Any]
    counts: Mapping[str, int] = field(default_factory=dict)
    by_rank: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()

    def kinds(self) -> dict[str, int]:
        """How many candidates have each kind of reason, one with several in each of them."""
        counted = Counter(kind for candidate in self.candidates for kind in candidate.evidence)
        return {kind: counted[kind] for kind in KINDS}


def meta_path(path: Path) -> Path:
    """Where the summary of a candidates file lies: beside it, with `.meta.json` for its ending."""
    return path.with_suffix(".meta.json")


def write_candidates(found: CandidateList, path: Path, most: int) -> int:
    """Write the first `most` candidates and the summary, each whole or not at all; return how many there are.

    Raises ConfigError for a path that is one of the inputs, InputError for one that cannot be written.
    """
    read = [Path(str(each["path"])) for each in found.inputs if "path" in each] + [Path(found.rules.path)]
    for target in (path, meta_path(path)):
        if target.resolve() in [each.resolve() for each in read]:
            raise ConfigError(f"--out {path}: {target} is an input; candidates go into a file of their own")
    lines = [json.dumps(each.row(), ensure_ascii=False, allow_nan=False) + "\n" for each in found.candidates[:most]]
    data = "".join(lines).encode()
    meta = json.dumps(_meta(found, path, data, len(lines)), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    try:
        # The summary last: it names the hash of the other.
        replace_file(path, data)
        replace_file(meta_path(path), meta.encode())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name another place with --out") from None
    return len(lines)


def _meta(found: CandidateList, path: Path, data: bytes, written: int) -> dict[str, Any]:
    return {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "candidates": {"file": path.name, "sha256": sha256(data).hexdigest()},
        "inputs": list(found.inputs),
        "rules": {
            "file": Path(found.rules.path).name,
            "sha256": found.rules.sha256,
            "names": list(found.rules.names),
            "texts_changed": dict(Counter(name for each in found.candidates for name in each.rules)),
            "may_be_slow": list(found.rules.slow),
        },
        "options": dict(found.options),
        "counts": {"found": len(found.candidates), "written": written, **found.kinds(), **found.counts},
        "clicks_by_rank": list(found.by_rank),
        "notes": list(found.notes),
    }
