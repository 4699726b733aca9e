"""The one grammar of settings: every command reads KEY=VALUE as Hydra does, with quotes put where Hydra needs them.

Hydra reads letters other than ASCII, and some punctuation, only within quotes inside those of the shell.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from runner.composition.text_settings import as_text
from runner.errors import ConfigError
from runner.scoring.metric_names import split_metrics

_QUOTES = "'\""
_STRUCTURE = re.compile(r"""[\[{"']|[a-zA-Z_]\w*\(""", re.ASCII)
_PLAIN = re.compile(r"[\w/\-\\+.$%*@?| \t]*", re.ASCII)
_PIECES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[,\[\]{}():=]|[^,\[\]{}():='"]+|['"]""", re.DOTALL)


@dataclass(frozen=True)
class Setting:
    """One KEY=VALUE. value: as Hydra types it. text: as it is written, without quotes around it."""

    key: str
    value: Any
    text: str


def read_settings(words: Sequence[str]) -> list[Setting]:
    """Read the settings of a command, each key once: of one given twice the last counts, as in Hydra."""
    return list({setting.key: setting for setting in map(read_setting, words)}.values())


def read_setting(word: str) -> Setting:
    """Read one KEY=VALUE. Raises ConfigError for what is none, cannot be read, or names several values."""
    parsed = parsed_override(as_text(readable(word)))
    if parsed.is_sweep_override():
        raise ConfigError(f"{shortened(word)}: names several values; choose one")
    value = parsed.value()
    return Setting(parsed.get_key_element(), value, value if isinstance(value, str) else word.partition("=")[2])


def readable(word: str) -> str:
    """The same KEY=VALUE in a form that Hydra reads; ConfigError where nobody can tell what is meant."""
    refuse_broken_text(word)
    key, equals, value = word.partition("=")
    if not equals and not word.startswith("~"):
        raise ConfigError(f"cannot read the override {shortened(word)}; a setting is written key=value")
    if key.lstrip("+") == "metrics":
        return f"{key}={_listed(value)}"
    if key == "metric" and "(" in value:
        return f"{key}={quoted(value.strip(_QUOTES))}"
    if _parses(word):
        return word
    if not _parses(f"{key}=0"):
        raise ConfigError(f"cannot read the setting {shortened(word)}; {shortened(key)} is no name of a setting")
    pieces = f"{key}={''.join(map(_quoted_piece, _PIECES.findall(value)))}"
    if _parses(pieces):
        return pieces
    whole = f"{key}={quoted(value)}"
    # A list, a mapping or a function would become its own text.
    if not _STRUCTURE.match(value):
        if _parses(whole):
            return whole
        raise ConfigError(
            f"cannot read the setting {shortened(word)}; text with quotes needs others around it, inside those of the "
            f"shell: '{key}=\"...\"'"
        )
    raise ConfigError(f"cannot read the setting {shortened(word)}; check its brackets, commas and quotes")


def _listed(value: str) -> str:
    """A list of metrics, with or without brackets, as a list of text: to Hydra, `rbp(p=0.8)` is a call."""
    inner = value.strip().removeprefix("[").removesuffix("]")
    return f"[{','.join(quoted(each.strip(_QUOTES)) for each in split_metrics(inner))}]"


def parsed_override(word: str) -> Override:
    """What Hydra reads. Raises ConfigError for what it cannot read."""
    try:
        return _parser().parse_override(word)
    except (HydraException, RecursionError, ValueError, OverflowError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ConfigError(f"cannot read the setting {shortened(word)}: {reason}") from None


def refuse_broken_text(word: str) -> None:
    """Raise ConfigError for an argument with bytes that are not UTF-8, which no file could hold."""
    if any("\ud800" <= each <= "\udfff" for each in word):
        raise ConfigError(f"the argument {shortened(word)} is not UTF-8; type it again in a UTF-8 terminal")


def shortened(text: str) -> str:
    """Text in quotes for a message of one line, its beginning where it is long."""
    return repr(text if len(text) <= 100 else f"{text[:97]}...")


@cache
def _parser() -> OverridesParser:
    return OverridesParser.create()


def _parses(word: str) -> bool:
    try:
        _parser().parse_override(word)
    except (HydraException, RecursionError, ValueError, OverflowError):
        return False
    return True


def _quoted_piece(piece: str) -> str:
    text = piece.strip()
    if (len(piece) == 1 and piece in ",[]{}():='\"") or piece[0] in "'\"" or _PLAIN.fullmatch(piece) or not text:
        return piece
    start = piece.index(text)
    return f"{piece[:start]}{quoted(text)}{piece[start + len(text) :]}"


def quoted(text: str) -> str:
    """Text in double quotes, as Hydra unescapes it: a backslash counts only before a quote and at the end."""
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', text)
    ending = len(escaped) - len(escaped.rstrip("\\"))
    return f'"{escaped}{escaped[len(escaped) - ending :]}"'
