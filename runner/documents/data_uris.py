"""Take data URIs out of Markdown: an image in base64 is no text of a page."""

import re

from runner.documents.fences import code_and_rest

_URI = r"data:(?:[\w.+-]+/[\w.+-]+)?(?:;[^,;\s\"'()<>]*)*,"
_FOUND = re.compile(
    # What stands in code is shown to a reader, and stays.
    r"(?P<code>(?<!`)(?P<tick>`+)(?!`)(?:[^`\n]|\n(?![ \t]*\n)|(?!(?P=tick)(?!`))`)*?(?<!`)(?P=tick)(?!`))"
    rf"|(?P<before>\]\([ \t]*<){_URI}[^<>\n]*"
    rf"|(?P<link>\]\([ \t]*){_URI}[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*"
    rf"|(?P<label>^[ ]{{0,3}}\[[^\]\n]+\]:[ \t]*\n?[ \t]*){_URI}\S*"
    rf"|(?P<attribute>\b(?:src|href|srcset|poster|data|content)\s*=\s*(?:\{{\s*)?(?P<quote>[\"'`])){_URI}[^\"'`]*"
    rf"|(?P<bare>\b(?:src|href|srcset|poster|data|content)\s*=\s*){_URI}[^\s\"'>]*"
    rf"|(?P<css>\burl\(\s*(?P<mark2>[\"']?)){_URI}[^\"')]*"
    rf"|(?P<auto><){_URI}[^\s<>]*(?=>)",
    re.IGNORECASE | re.MULTILINE,
)
_KEPT = ("before", "link", "attribute", "bare", "css", "auto")


def without_data_uris(markdown: str) -> str:
    """Empty the destination of every link, image, definition and attribute that is a data URI."""
    if "data:" not in markdown and "data:" not in markdown.lower():
        return markdown
    return "".join(part if code else _FOUND.sub(_emptied, part) for part, code in code_and_rest(markdown))


def _emptied(found: "re.Match[str]") -> str:
    if found["code"] is not None:
        return found[0]
    if found["label"] is not None:
        return f"{found['label']}<>"
    return next(found[name] for name in _KEPT if found[name] is not None)
