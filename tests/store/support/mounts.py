"""Folders that cannot be written, or hold only so much: real ones, for whoever may mount them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip() or 'mount failed'}")


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nobody write in a folder meanwhile, the superuser neither."""
    if os.geteuid():
        paths = [folder, *folder.rglob("*")]
        modes = {path: path.stat().st_mode for path in paths}
        for path in paths:
            path.chmod(modes[path] & ~0o222)
        try:
            yield
        finally:
            for path in paths:
                path.chmod(modes[path])
        return
    _mount("--bind", str(folder), str(folder))
    try:
        _mount("-o", "remount,ro,bind", str(folder))
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def small_disk(folder: Path, megabytes: float) -> Iterator[Path]:
    """A disk of its own at a folder; it may be made larger with `grow`."""
    if os.geteuid():
        pytest.skip("only the superuser can mount a small disk")
    folder.mkdir(parents=True)
    _mount("-t", "tmpfs", "-o", f"size={int(megabytes * 1024)}k", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def grow(folder: Path, megabytes: float) -> None:
    """Give a small disk more room."""
    _mount("-o", f"remount,size={int(megabytes * 1024)}k", str(folder))
