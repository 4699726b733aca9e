"""What went wrong in somebody's code, in one line: whose it is, where in it, and what was said."""

import os
import re
import sysconfig
import traceback
from collections.abc import Iterable
from pathlib import Path

from retrievers.base import RetrievalError
from runner.errors import RunnerError

_LONGEST = 500
_OURS = str(Path(__file__).resolve().parent)
_LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
_DUMPED = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)$')

Frame = tuple[str, int]


def kind_of(component: object) -> str:
    """The dotted name of a component's class, or of the function that it is."""
    kind = component if isinstance(component, type) or hasattr(component, "__qualname__") else type(component)
    return f"{kind.__module__}.{getattr(kind, '__qualname__', type(component).__name__)}"


def is_own(component: object) -> bool:
    """Whether a component's class came with this program."""
    return kind_of(component).partition(".")[0] in ("retrievers", "runner")


def described(error: BaseException, component: str = "") -> str:
    """An error in one line; what this program says of itself is complete, other errors get their kind and place.

    component: whose code it was. An error that cannot even be written is told as such.
    """
    message = _message(error)
    if isinstance(error, RetrievalError | RunnerError) and message:
        return message
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    kind = type(error).__name__
    said = f"{kind}: {_one_line(message)}" if message.strip() else kind
    return f"{_whose(component, place_of(reversed(frames)))}: {said}"


def trace_of(error: BaseException) -> str:
    """The traceback as text, whatever the error does when it is asked for its message."""
    try:
        return "".join(traceback.format_exception(error))
    except Exception:
        return "".join(traceback.format_tb(error.__traceback__))


def ended(component: str, how: str, dump: str = "") -> str:
    """The line for code that ended its process; dump: what faulthandler wrote meanwhile."""
    return f"{_whose(component, place_of(dumped_frames(dump)))}: {how}"


def dumped_frames(dump: str) -> list[Frame]:
    """The frames of the thread that did a task, innermost first, from what faulthandler wrote."""
    threads = [_frames(part) for part in re.split(r"^(?:Thread|Current thread) 0x", dump, flags=re.M)[1:]]
    # Other threads may have been caught in the act, too; the one that works for us has passed through here.
    return next((frames for frames in threads if any(_is_ours(file) for file, _ in frames)), [])


def place_of(frames: Iterable[Frame]) -> str:
    """`file:line` of the innermost frame that is no library's, given innermost first; "" where there is none."""
    for file, line in frames:
        if not (_is_ours(file) or file.startswith(("<", *_LIBRARIES))):
            near = os.path.relpath(file)
            return f"{file if near.startswith('..') else near}:{line}"
    return ""


def _whose(component: str, place: str) -> str:
    return f"{component} ({place})" if component and place else component or place or "unknown code"


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return "(its message cannot be written)"


def _one_line(message: str) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in " ".join(message.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."


def _frames(text: str) -> list[Frame]:
    found = (_DUMPED.match(line) for line in text.splitlines())
    return [(_unescaped(each["file"]), int(each["line"])) for each in found if each]


def _unescaped(name: str) -> str:
    return re.sub(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4}))", lambda found: chr(int(found[1] or found[2], 16)), name)


def _is_ours(file: str) -> bool:
    return os.path.dirname(os.path.abspath(file)) == _OURS
