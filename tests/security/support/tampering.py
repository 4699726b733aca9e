"""Changing a stored run as somebody could who may write to its store: files, checksums and all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from runner.tracking.manifest import FILES_TAG, MANIFEST, write_manifest


def reseal(office: Any, run_id: str) -> None:
    """Make the checksums fit again."""
    folder = office.files_of(run_id)
    (folder / MANIFEST).unlink(missing_ok=True)
    office.client.set_tag(run_id, FILES_TAG, write_manifest(folder))


def tamper(office: Any, run_id: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the configuration that a run stored, in both of its forms."""
    folder = office.files_of(run_id)
    resolved = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    change(resolved)
    for name in ("config.yaml", "config.source.yaml"):
        (folder / name).write_text(yaml.safe_dump(resolved, allow_unicode=True), "utf-8")
    reseal(office, run_id)


def put(path: str, node: Any) -> Callable[[dict[str, Any]], None]:
    """A change that puts a value at a dotted place."""

    def change(config: dict[str, Any]) -> None:
        *keys, last = path.split(".")
        inner: Any = config
        for key in keys:
            inner = inner.setdefault(key, {})
        inner[last] = node

    return change


def write_harmful_module(folder: Path, marker: Path) -> None:
    """A module that leaves a mark when it is imported."""
    (folder / "harmful_at_import.py").write_text(f"open({str(marker)!r}, 'w').close()\nclass Retriever: ...\n", "utf-8")
