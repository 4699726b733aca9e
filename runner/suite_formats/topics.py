"""TREC's topics as they are found: SGML, XML, two columns, JSON lines."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from runner.errors import Problem
from runner.files.reading import json_lines

PARTS = ("title", "desc", "narr")
EXPECTED = "topics, as <top> or <topic> blocks, lines `id<TAB>text`, or JSON lines"

# What each part is called from track to track; a topic of XML may also be nothing but its text.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "num": ("num", "number", "id", "identifier"),
    "title": ("title", "query"),
    "desc": ("desc", "description", "question"),
    "narr": ("narr", "narrative"),
}
_PART_OF = {name: part for part, names in _NAMES.items() for name in names}
# Only these begin and end anything: every other "<" is a character of the text, as in "day < 4".
_TOPIC = re.compile(r"<top(?:ic(?P<attributes>\s[^<>]*)?)?\s*>", re.IGNORECASE)
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>{'|'.join(_PART_OF)}|top|topics?)(?:\s[^<>]*)?>", re.IGNORECASE)
_ID = re.compile(r"\b(?:number|num|id|qid|identifier)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_LEFT_OUT = re.compile(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>|<!\[CDATA\[|\]\]>", re.DOTALL | re.IGNORECASE)
# Labels that TREC's own files repeat after the tag.
_LABEL = re.compile(r"^\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)
_JSON_IDS = ("_id", "id", "qid", "query_id", "topic_id", "topic", "number", "num")


def topics_in(text: str, part: str, problems: list[Problem]) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and the wanted part of every topic, entities resolved; lines that are no topic are noted.

    An end tag may be missing, as in SGML. No entity is declared by the file itself: nothing in it can expand.
    """
    if _TOPIC.search(text):
        yield from _blocks(text, part)
    elif text.lstrip().startswith("{"):
        yield from _objects(text, part, problems)
    else:
        yield from _columns(text, problems)


def _blocks(text: str, part: str) -> Iterator[tuple[int, str, str]]:
    # Blanked and not cut out, so that lines keep their numbers.
    text = _LEFT_OUT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    line, counted = 1, 0
    starts = list(_TOPIC.finditer(text))
    for number, topic in enumerate(starts):
        line, counted = line + text.count("\n", counted, topic.start()), topic.start()
        body = text[topic.end() : starts[number + 1].start() if number + 1 < len(starts) else len(text)]
        parts = _parts(body)
        named = _ID.search(topic["attributes"] or "")
        id_ = html.unescape(named[1] or named[2] or "") if named else parts.get("num", "")
        yield line, " ".join(id_.split()), parts.get(part, "")


def _parts(body: str) -> dict[str, str]:
    """The text of each part of a topic; of one without any, all of its text is the title."""
    found: dict[str, str] = {}
    name, start = "title", 0
    for tag in (*_TAG.finditer(body), None):
        text = _plain(body[start : tag.start() if tag else len(body)])
        if text and name:
            found.setdefault(name, text)
        if tag is None:
            break
        name = "" if tag["end"] else _PART_OF.get(tag["name"].lower(), "")
        start = tag.end()
        if tag["name"].lower() in ("top", "topic", "topics"):
            break
    return found


def _plain(text: str) -> str:
    return " ".join(html.unescape(_LABEL.sub("", text)).split())


def _objects(text: str, part: str, problems: list[Problem]) -> Iterator[tuple[int, str, str]]:
    lines = ((number, row) for number, row in enumerate(text.split("\n"), 1) if row.strip())
    for line, row in json_lines(lines, problems):
        id_ = next((row[key] for key in _JSON_IDS if key in row), None)
        words: Any = next((row[key] for key in (*_NAMES[part], "text") if key in row), None)
        if id_ is None or not isinstance(words, str):
            problems.append(
                Problem(line, f"expected an id ({', '.join(_JSON_IDS[:4])}) and {' or '.join(_NAMES[part])}")
            )
        else:
            yield line, str(id_), " ".join(words.split())


def _columns(text: str, problems: list[Problem]) -> Iterator[tuple[int, str, str]]:
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        id_, tab, query = row.partition("\t")
        if tab:
            yield line, id_.strip(), " ".join(query.split())
        else:
            problems.append(Problem(line, "found no tab, expected `id<TAB>text`"))
