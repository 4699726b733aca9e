"""What documents are called where nobody names them: the last part of their path, and which of that name they are.

Two folders of one name are two collections, and one folder is one, however its path is spelt. A folder in a git
checkout is known by the repository and its place in there, the same on every machine; any other by its whole path.
"""

import hashlib
import os
import re
from pathlib import Path

_DIGITS = 6
_ORIGIN = re.compile(r'\[remote "origin"\](?P<body>[^\[]*)')
_URL = re.compile(r"^\s*url\s*=\s*(?P<url>\S+)\s*$", re.MULTILINE)
# What stands before the host: a protocol, a user and a password; and the port behind it.
_BEFORE_HOST = re.compile(r"^(?:[a-z+]+://)?(?:[^@/]*@)?", re.IGNORECASE)


def collection_name(path: str | os.PathLike[str]) -> str:
    """The name of the documents at a path: `docs-3f2a9c`. The path need not be there."""
    real = Path(os.path.realpath(os.path.expanduser(path)))
    last = real.stem if real.is_file() or real.suffix in (".json", ".jsonl") else real.name
    return f"{last or 'dataset'}-{hashlib.sha256(_identity(real).encode()).hexdigest()[:_DIGITS]}"


def _identity(real: Path) -> str:
    for folder in (real, *real.parents):
        if (folder / ".git").exists():
            origin = _origin(folder / ".git")
            return f"{origin}:{real.relative_to(folder).as_posix()}" if origin else str(real)
    return str(real)


def _origin(git: Path) -> str:
    """Where a checkout came from, as host/path whatever the protocol; "" where it came from nowhere."""
    try:
        if git.is_file():  # a worktree or a submodule
            git = git.parent / git.read_text("utf-8").partition("gitdir:")[2].strip()
            common = git / "commondir"
            git = git / common.read_text("utf-8").strip() if common.is_file() else git
        section = _ORIGIN.search((git / "config").read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    url = _URL.search(section["body"]) if section else None
    if url is None:
        return ""
    bare = _BEFORE_HOST.sub("", url["url"]).rstrip("/").removesuffix(".git")
    host, _, path = re.sub(r"^([^/:]+):(?:\d+/)?", r"\1/", bare).partition("/")
    return f"{host.lower()}/{path.lstrip('/')}"
