"""What is opened in one section of a Markdown page and closed in another: boxes, tabs, components, conditions."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from runner.documents.html_elements import names
from runner.documents.outline import Range

_BOX = re.compile(
    r"^[ \t]*(?:(?P<bars>/{3,}|:{3,})[ \t]*(?P<title>.*)|\{%-?[ \t]*(?P<word>\w+)(?P<rest>.*?)-?%\})", re.MULTILINE
)
_VOID = names("area base br col embed hr img input li link meta p source track wbr")


def open_at(text: str, places: Sequence[int], whole: Sequence[Range]) -> Iterator[tuple[str, ...]]:
    """What is open at some places of a text, in order, the outermost first. whole: its code and tables."""
    marks = sorted([*_BOX.finditer(text), *_tags(text)], key=lambda mark: mark.start())
    starts = [start for start, _ in whole]
    open_: list[tuple[str, str]] = []
    at = 0
    for place in places:
        while at < len(marks) and marks[at].start() < place:
            within = bisect_right(starts, marks[at].start()) - 1
            if within < 0 or marks[at].start() >= whole[within][1]:
                _step(open_, marks[at], text)
            at += 1
        yield tuple(said for _, said in open_ if said)


def _step(open_: list[tuple[str, str]], mark: re.Match[str], text: str) -> None:
    found = mark.groupdict()
    if found.get("name"):
        name = found["name"].lower()
        if found["close"]:
            _close(open_, name)
        elif name not in _VOID and not found["rest"].rstrip().endswith("/"):
            open_.append((name, judgments_by(mark)))
    elif found.get("bars"):
        name = found["bars"]
        if found["title"].strip():
            open_.append((name, " ".join(mark[0].split())))
        else:
            _close(open_, name)
    elif word := found.get("word"):
        if word.startswith("end"):
            _close(open_, f"% {word[3:]}")
        elif word.startswith("els") or re.search(rf"%-?\s*end{word}\b", text):
            open_.append((f"% {word}", " ".join(mark[0].split())))


def _close(open_: list[tuple[str, str]], name: str) -> None:
    for place in range(len(open_) - 1, -1, -1):
        if open_[place][0] == name:
            del open_[place:]
            return


def _tags(text: str) -> Iterator[re.Match[str]]:
    """The tags that close, and those that open and begin a line: what a sentence names in between opens nothing."""
    end, begins = 0, True
    for tag in TAG.finditer(text):
        _, line, before = text[end : tag.start()].rpartition("\n")
        begins = (begins or bool(line)) and not before.strip()
        end = tag.end()
        if begins or tag["close"]:
            yield tag


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


TAG = re.compile(r"<!--.*?(?:-->|\Z)|<(?P<close>/?)(?P<name>[a-zA-Z][^\s<>/]*)(?=[\s/>])(?P<rest>[^<>]*)>", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"(?P<name>[^\s=\"'/]+)(?:\s*=\s*(?:\"(?P<two>[^\"]*)\"|'(?P<one>[^']*)'|(?P<bare>[^\s\"']+)))?"
)
# Elements, and attributes of any element, that say how words look, where they lead and how they are found.
_PLAIN = names(
    "a abbr address article aside b bdi body br center cite code details dfn div em figcaption figure font footer "
    "header hr html i img kbd main mark nobr p picture pre samp section small source span strong summary tt u var "
    "video wbr"
)
_LOOKS = names(
    "align autoplay bgcolor border cellpadding cellspacing class color controls data-lang decoding face height href "
    "id key lang loading loop markdown muted name open poster rel size src srcset style tabindex target valign width"
)
# Names that style sheets give to a box that says how to take what is in it.
_NOTICES = names(
    "allowed attention beta bug caution danger deprecated error example experimental failure forbidden hint important "
    "info legacy note obsolete outdated removed strike success tip unsupported warning wrong"
)
_HIDES = re.compile(r"line-through|display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)")


def judgments_by(tag: re.Match[str]) -> str:
    """What a tag says of its contents: `<del>` and `<Tab label="Free">` all of it, `<div class="wide">` nothing."""
    name = (tag["name"] or "").lower()
    if not name:
        return ""
    found = {each["name"].lower(): each["two"] or each["one"] or each["bare"] or "" for each in _attributes(tag)}
    says = [f"{key}={value}" for key, value in sorted(found.items()) if key not in _LOOKS]
    says += [*notices(found.get("class", "")), *_HIDES.findall(found.get("style", ""))]
    if name == "img" and not found.get("alt"):
        says.append(PurePosixPath(found.get("src", "")).stem)
    if name in _PLAIN:
        return f"<{' '.join(says)}>" if any(says) else ""
    return f"<{tag['close']}{' '.join([tag['name'], *says])}>"


def notices(classes: str) -> list[str]:
    """Those of some classes that say how to take what they are given to."""
    return sorted(_NOTICES & {*re.split(r"[\s.]+", classes.lower())})


def _attributes(tag: re.Match[str]) -> "list[re.Match[str]]":
    return [*_ATTRIBUTE.finditer(tag["rest"] or "")]
