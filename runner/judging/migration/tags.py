"""What a tag of HTML, or of a component, says in a Markdown text: nothing, if it only sets out what is in it."""

import re
from pathlib import PurePosixPath

from runner.documents.html_elements import names

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
)  # fmt: skip
# Names that style sheets give to a box that says how to take what is in it.
_NOTICES = names(
    "allowed attention beta bug caution danger deprecated error example experimental failure forbidden hint important "
    "info legacy note obsolete outdated removed strike success tip unsupported warning wrong"
)
_HIDES = re.compile(r"line-through|display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)")


def said_by(tag: re.Match[str]) -> str:
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
