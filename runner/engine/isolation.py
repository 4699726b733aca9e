"""A process as it was before: what somebody's code changes in it is not the next one's to find."""

import locale
import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import numpy as np

_OUT, _ERR = 1, 2
_aside: list[TextIO] = []


@contextmanager
def untouched() -> Iterator[None]:
    """Put back the folder, the environment, the locale, the random states and numpy's error handling.

    What is printed meanwhile goes to standard error: standard output belongs to the report. Streams that were
    closed are opened again.
    """
    folder, environment, language = _folder(), dict(os.environ), locale.setlocale(locale.LC_ALL)
    chance, numpy_chance, numpy_errors = random.getstate(), np.random.get_state(), np.geterr()
    out, err = sys.stdout, sys.stderr
    kept = {number: _copy(number) for number in (_OUT, _ERR)}
    _replace(_OUT, kept[_ERR])
    sys.stdout = _printing_aside()
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        for number, copy in kept.items():
            _replace(number, copy)
            if copy is not None:
                os.close(copy)
        sys.stdout, sys.stderr = _open(out, _OUT), _open(err, _ERR)
        random.setstate(chance)
        np.random.set_state(numpy_chance)
        np.seterr(**numpy_errors)
        with suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, language)
        if os.environ != environment:
            os.environ.clear()
            os.environ.update(environment)
        if folder is not None and folder != _folder():
            with suppress(OSError):
                os.chdir(folder)


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _copy(number: int) -> int | None:
    try:
        return os.dup(number)
    except OSError:
        return None


def _replace(number: int, copy: int | None) -> None:
    if copy is not None:
        os.dup2(copy, number)


def _open(stream: TextIO, number: int) -> TextIO:
    if not getattr(stream, "closed", False):
        return stream
    return _stream(number)


def _printing_aside() -> TextIO:
    """One stream a process, since code may keep it: a logging handler does."""
    if not _aside or _aside[0].closed:
        _aside[:] = [_stream(_ERR)]
    return _aside[0]


def _stream(number: int) -> TextIO:
    return open(number, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
