"""Decode a page by its byte order mark or what it declares, and by nothing that is only likely."""

import codecs
import re

from retrievers.text_file import NotText, unpacked_text
from runner.errors import Problem

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARED = (
    re.compile(rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*(?P<label>[^\s"'/>;]+)""", re.IGNORECASE),
    re.compile(rb"""\A\s*<\?xml\b[^>]*?\bencoding\s*=\s*["'](?P<label>[^"']+)""", re.IGNORECASE),
)
# As far as a declaration is looked for; the standard asks for 1,024 bytes, browsers read the whole head.
_HEAD = 16_384
# Python's codecs of these names know fewer characters than the standard's (https://encoding.spec.whatwg.org).
_WIDER = {"big5": "big5hkscs", "gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949"}


def decode_page(data: bytes, problems: list[Problem], *, declared: bool = False) -> str | None:
    """The text of a page, without its mark; a byte that does not fit is noted with its line and offset.

    declared: an HTML page, which may name its charset. Without a mark or a declaration the text is UTF-8.
    """
    try:
        data = unpacked_text(data)
    except NotText as error:
        problems.append(Problem(None, f"{error}; expected a page of text"))
        return None
    mark, codec = next(((mark, codec) for mark, codec in _MARKS if data.startswith(mark)), (b"", ""))
    label = "" if mark or not declared else _label(data)
    if label and not (codec := _codec(label)):
        problems.append(Problem(None, f"declares the charset {label!r}, which is not known; expected utf-8"))
        return None
    try:
        return data[len(mark) :].decode(codec or "utf-8")
    except UnicodeDecodeError as error:
        at = 1 + data.count(b"\n", 0, error.start + len(mark))
        byte, offset = f"0x{error.object[error.start]:02x}", error.start + len(mark)
        if label:
            expected = f"not {label}, which the page declares; declare the right charset"
        elif mark:
            expected = f"not {codec}, as its byte order mark says; convert the file (iconv -f OLD -t UTF-8)"
        else:
            advice = ' or declare its charset (<meta charset="big5">)' if declared else ""
            expected = f"not UTF-8; convert the file (iconv -f OLD -t UTF-8){advice}"
        problems.append(Problem(at, f"byte {byte} is {expected}; it is at offset {offset}"))
        return None


def _label(data: bytes) -> str:
    head = _COMMENT.sub(b"", data[:_HEAD])
    found = next(filter(None, (pattern.search(head) for pattern in _DECLARED)), None)
    return found["label"].decode("latin-1") if found else ""


def _codec(label: str) -> str:
    """The Python codec for a label of the Encoding Standard, or an empty string."""
    import webencodings

    encoding = webencodings.lookup(label)
    # A page that could be read as far as its declaration is not in UTF-16.
    if encoding is None or encoding.name == "x-user-defined":
        return ""
    name = str(encoding.name)
    if name.startswith("utf-16"):
        return "utf-8"
    return _WIDER.get(name, str(encoding.codec_info.name))
