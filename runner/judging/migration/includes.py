"""Lines that put a file in their place: what they say is the name of the file, whatever lines of it are shown."""

import re
from pathlib import PurePosixPath

_INCLUDE = re.compile(
    r"^[ \t]*(?:\{!(?P<bang>.*)!\}|\{\*(?P<star>.*)\*\}|-+8<-+[ \t]*(?P<cut>.*))[ \t]*$", re.MULTILINE
)
# `//// tab | Python 3.9+` ... `////`: one of several forms of the same code.
_TAB = re.compile(r"^(?P<bars>/{3,}) *tab *\|.*?^(?P=bars)[ \t]*$", re.MULTILINE | re.DOTALL)
# A file for one version of a language, beside those for others.
_FORM = re.compile(r"(?:_an|_py\d+)+$")
_MARKED = re.compile("\ue000([^\ue001]*)\ue001")


def mark_includes(text: str, start: int = 0, end: int = 0) -> str:
    """The text with a mark for every file that is put in it.

    Of tabs that show files of code, one for each version of a language, only that is left, as they say nothing of what
    stands beside them; all of a tab is left if it shares a character with [start, end).
    """

    def shown(tab: re.Match[str]) -> str:
        own = tab.start() < end and start < tab.end()
        files = [each[0] for each in _INCLUDE.finditer(tab[0])]
        return "\n\n".join(files) if files and not own else tab[0]

    return _INCLUDE.sub(lambda line: f"\ue000{_name(line)}\ue001", _TAB.sub(shown, text))


def taken_out(text: str) -> tuple[str, list[str]]:
    """A marked text without its marks, and the files that they name."""
    if "\ue000" not in text:
        return text, []
    return _MARKED.sub(" ", text), _MARKED.findall(text)


def _name(include: re.Match[str]) -> str:
    said = (include["bang"] or include["star"] or include["cut"] or "").lstrip("> \t").split()
    place, _, section = (said[0].strip("\"'") if said else "").partition(":")
    path = PurePosixPath(place)
    # A number is that of a line.
    named = f":{section}" if any(map(str.isalpha, section)) else ""
    return f"{path.parent.name}/{_FORM.sub('', path.stem)}{named}"
