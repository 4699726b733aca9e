"""The suites that the runs of a store carry: what they were scored with, whatever else was lost."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

from runner.errors import InputError
from runner.suite_formats.own import read_own
from runner.suites import Suite
from runner.tracking.artifact_roots import FOLDER

_CONFIG = "config.yaml"


@dataclass(frozen=True)
class ScoredSuite:
    """A suite as it was asked, the dataset it was scored in, and when first: UTC, ISO 8601."""

    suite: Suite
    dataset: str
    at: str


def run_folders(store: Path) -> list[Path]:
    """The folders of files of all runs of a store that carry a suite, oldest first."""
    found = (path.parent for path in store.glob(f"{FOLDER}/*/artifacts/suite"))
    dated = [(path.stat().st_mtime, folder) for folder in found if (path := folder / _CONFIG).is_file()]
    return [folder for _, folder in sorted(dated)]


def stored_suites(store: Path) -> Iterator[ScoredSuite]:
    """Read every distinct suite that runs of a store carry; what cannot be read of a run is passed over."""
    seen: set[tuple[str, str, str, str]] = set()
    for folder in run_folders(store):
        try:
            settings = yaml.safe_load((folder / _CONFIG).read_text("utf-8"))
            suite = read_own(folder / "suite")
            dataset, mode = str(settings["dataset"].get("name", "")), settings.get("history") or suite.history_mode
            key = (suite.name, suite.revision, mode, dataset)
            if key in seen:
                continue
            at = datetime.fromtimestamp((folder / _CONFIG).stat().st_mtime, UTC).isoformat(timespec="seconds")
        except (InputError, OSError, ValueError, yaml.YAMLError, KeyError, TypeError, AttributeError):
            continue
        seen.add(key)
        yield ScoredSuite(suite if suite.history_mode == mode else replace(suite, history_mode=mode), dataset, at)
