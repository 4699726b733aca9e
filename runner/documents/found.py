"""Find the pages below a folder, and count by kind what is passed over."""

import os
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from retrievers.script import same_id
from runner.documents.kinds import kind_of_page, not_asked_for, suffix_of
from runner.documents.passed import Passed
from runner.errors import InputError

_MODES: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "named pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISBLK, "device"),
    (stat.S_ISCHR, "device"),
)


@dataclass(frozen=True)
class FoundPages:
    """pages: id and path, in the order of the folders. passed: what is not read, the most frequent kind first."""

    pages: tuple[tuple[str, Path], ...]
    passed: tuple[Passed, ...]


def find_pages(root: Path, include: Sequence[str]) -> FoundPages:
    """Search a folder to any depth for regular files whose names match, or take the one page that is named.

    Hidden names are passed over, links to folders and to files outside of the folder are not followed.
    Raises InputError: nothing there, a folder that cannot be read, a page whose reader is not installed.
    """
    if root.is_file():
        if remedy := kind_of_page(root.name).missing():
            raise InputError(f"{root}: cannot be read yet; {remedy}")
        return FoundPages(((same_id(root.name), root),), ())
    if not root.is_dir():
        what = _special(root)
        raise InputError(f"{root}: {what or 'not found'}; expected a folder of pages, or one page (corpus.path)")
    pages: list[tuple[str, Path]] = []
    passed: Counter[tuple[str, str]] = Counter()
    inside = root.resolve()
    for folder, folders, names in os.walk(root, onerror=_unreadable):
        kept = []
        for name in sorted(folders):
            if name.startswith("."):
                passed["hidden folder", ""] += 1
            elif os.path.islink(os.path.join(folder, name)):
                passed["symlinked folder", ""] += 1
            else:
                kept.append(name)
        folders[:] = kept
        for name in sorted(names):
            path = Path(folder, name)
            relative = path.relative_to(root).as_posix()
            reason = _reason(path, relative, inside, include)
            if reason is None:
                pages.append((same_id(relative), path))
            else:
                passed[reason] += 1
    ordered = sorted(passed.items(), key=lambda each: (-each[1], each[0]))
    return FoundPages(tuple(pages), tuple(Passed(count, *kind) for kind, count in ordered))


def _reason(path: Path, relative: str, inside: Path, include: Sequence[str]) -> tuple[str, str] | None:
    """Why a file is not read, as a kind and what would change that; None for a page."""
    name = path.name
    if name.startswith("."):
        return "hidden file", ""
    if special := _special(path):
        return special, ""
    lowered = PurePosixPath(relative.lower())
    if not any(lowered.match(pattern.lower()) for pattern in include):
        return suffix_of(name) or "without a suffix", not_asked_for(name)
    if path.is_symlink() and not path.resolve().is_relative_to(inside):
        return "symlink to a file outside", ""
    missing = kind_of_page(name).missing()
    return (suffix_of(name), missing) if missing else None


def _special(path: Path) -> str:
    """What a path is that is neither a file nor a folder, or an empty string."""
    try:
        mode = path.stat().st_mode
    except (OSError, RuntimeError):
        return "broken symlink" if path.is_symlink() else ""
    return next((name for test, name in _MODES if test(mode)), "")


def _unreadable(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot be read ({error.strerror}); expected a folder of pages") from None
