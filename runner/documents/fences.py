"""Tell the fenced code of a Markdown text from everything else, in one pass over its lines."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?P<mark>`{3,}|~{3,})(?P<rest>.*)")


def code_and_rest(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text in parts that together are all of it, each with whether it is a block of fenced code."""
    start = at = 0
    open_ = ""
    for line in markdown.splitlines(keepends=True) if "`" in markdown or "~" in markdown else ():
        fence = _FENCE.match(line)
        end = at + len(line)
        if fence and open_:
            if fence["mark"].startswith(open_) and not fence["rest"].strip():
                yield markdown[start:end], True
                start, open_ = end, ""
        elif fence and not (fence["mark"][0] == "`" and "`" in fence["rest"]):
            yield markdown[start:at], False
            start, open_ = at, fence["mark"]
        at = end
    yield markdown[start:], bool(open_)
