"""What a page says elsewhere of words in it: footnotes, abbreviations, and notices on all of the page."""

import re
from collections.abc import Iterator

_FOOTNOTE = re.compile(
    r"^[ \t]{0,3}\[\^(?P<name>[^\]\s]+)\]:(?P<text>.*(?:\n(?![ \t]{0,3}\[\^)(?:[ \t]*\S.*|[ \t]*(?=\n[ \t]+\S)))*)",
    re.MULTILINE,
)
_ABBREVIATION = re.compile(r"^[ \t]{0,3}\*\[(?P<name>[^\]\n]+)\]:(?P<text>.*)$", re.MULTILINE)

# A line that begins with a mark explains what has the mark behind it.
_MARKED = re.compile(
    r"^[ \t]*(?P<name>[†‡§※]+|[⁰¹²³⁴-⁹]+|(?:\\\*)+|[\[【（(]註 ?\w*[\]】）)])(?P<text>.*)$", re.MULTILINE
)
_OVERALL = re.compile(
    r"\b(?:this|the (?:rest|whole) of (?:this|the)) (?:page|document|article|guide|chapter)\b"
    r"|\b(?:all|every(?:thing)?|nothing|none|any(?:thing)?|each|what)\b.{0,40}\b(?:above|below)\b"
    r"|本頁|本文件|本章|本篇|全文|(?:以上|以下|上述|下列)(?:全部|所有|各[項節點]|內容|皆|均|都)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!?](?=\s)|[。！？]|\n\s*\n")
_LINKS = re.compile(r"<[^<>]*>|(?<=\])(?:\([^()\s]*(?: [^()]*)?\)|\[[^\[\]]*\])")
_MARKUP = re.compile(r"[*_`\[\]]")


class Notes:
    """text: all of a page."""

    def __init__(self, text: str) -> None:
        self._marks: list[tuple[re.Pattern[str], str]] = []
        for note in _MARKED.finditer(text):
            name = rf"(?<=\S){re.escape(note['name'])}"
            self._marks.append((re.compile(name), " ".join(note["text"].split())))
        if "]:" not in text:
            return
        for note in _FOOTNOTE.finditer(text):
            self._marks.append((re.compile(re.escape(f"[^{note['name']}]") + "(?!:)"), " ".join(note["text"].split())))
        for note in _ABBREVIATION.finditer(text):
            name = rf"(?<!\w){re.escape(note['name'])}(?!\w)"
            self._marks.append((re.compile(name), " ".join(note["text"].split())))

    def of(self, text: str) -> Iterator[str]:
        """What the page says elsewhere of words in a piece of it."""
        return (said for mark, said in self._marks if mark.search(text))


def overall(text: str) -> Iterator[str]:
    """The sentences of a page, without markup, that speak of all of it, or of all that is above or below them."""
    sentences = (" ".join(_MARKUP.sub("", each).split()) for each in _SENTENCES.split(_LINKS.sub("", text)))
    return (each for each in sentences if _OVERALL.search(each))
