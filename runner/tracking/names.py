"""One reversible mapping from any text to a key that MLflow accepts.

MLflow takes letters of any script, digits and `_ - . / space`, up to 250 characters, and refuses keys that
a file system would fold (`../a`, `a//b`). Every other character, and a `/` of the text itself, becomes
`_xHEX_`; so does an underscore before an x of the text, which would look like that. A part that is too long
keeps its beginning and ends in a hash, the same under every metric: the full text stands in `names.json`.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping

from runner.errors import RunnerError

LONGEST = 250
LONGEST_GROUP = 200
_ESCAPED = re.compile(r"_x([0-9a-f]+)_")


def key_part(text: str) -> str:
    """Encode one part of a key; the result holds no `/` and is not empty."""
    encoded = "".join(_encode(text, position) for position in range(len(text)))
    return encoded or "_x_"


def _encode(text: str, position: int) -> str:
    character = text[position]
    edge = position in (0, len(text) - 1)
    if text.startswith("_x", position):
        return "_x5f_"
    if character in "_-" or character.isalpha() or character.isdecimal():
        return character
    if character in ". " and not edge:
        return character
    return f"_x{ord(character):x}_"


def read_key_part(encoded: str) -> str:
    """Decode what `key_part` made."""
    if encoded == "_x_":
        return ""
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), encoded)


def metric_key(metric: str, group: str = "") -> str:
    """The key of a metric, of all queries or of one group: `recall`, `recall/change_type.removed`."""
    if not group:
        return _cut(key_part(metric), LONGEST)
    return f"{_cut(key_part(metric), LONGEST - LONGEST_GROUP - 1)}/{_cut(key_part(group), LONGEST_GROUP)}"


def _cut(component: str, longest: int) -> str:
    if len(component) <= longest:
        return component
    return f"{component[: longest - 17]}-{hashlib.sha256(component.encode()).hexdigest()[:16]}"


def long_names(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """The keys that had to be cut, with what they stand for. Raises RunnerError if two names share one key."""
    seen: dict[str, tuple[str, str]] = {}
    cut: dict[str, str] = {}
    for metric, group in pairs:
        key = metric_key(metric, group)
        if seen.setdefault(key, (metric, group)) != (metric, group):
            raise RunnerError(f"the names {seen[key]!r} and {(metric, group)!r} share the MLflow key {key!r}")
        if key != "/".join(key_part(component) for component in (metric, group) if component):
            cut[key] = f"{metric}/{group}" if group else metric
    return cut
