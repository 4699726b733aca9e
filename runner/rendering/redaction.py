"""Secrets taken out of what is shown and stored: in addresses, in settings, and those that the environment holds."""

import os
import re
from collections.abc import Mapping
from typing import Any

MASK = "***"
_SHORTEST = 8
# scheme://user:password@host; a password that nobody encoded may hold what else ends the part before the path.
_USER = re.compile(r"(?<=://)(?:[^\s/?#'\"<>]+|[^\s/?#@:'\"<>]*:(?!\d+(?:[/?#\s]|$))[^\s'\"<>]*)@(?=[^\s@])")
_WORD = r"pass(?:word|wd|phrase)|pwd|credentials?|secret|token"
# A view that MLflow's UI keeps has a key which is none.
_KEPT_VIEW = "(?!viewStateShareKey=)"
_IN_QUERY = re.compile(
    rf"([?&;]{_KEPT_VIEW}(?:[\w.\-]*[._\-])?\w*?(?:{_WORD}|key|signature|sig|auth)(?:[_\-]?id)?=)[^&;\s#'\"<>]+",
    re.I,
)
_SETTING = rf"(?:[\w\-]*[_\-])?(?:(?:api|access|secret|private)[_\-]?key|{_WORD})"
_ASSIGNED = re.compile(rf"(?<![\w?&;.\-])((?:[\w\-]+\.)*{_SETTING}=)(?!null\b|\$\{{)[^\s,'\"]+", re.I)
_SECRET_NAME = re.compile(_SETTING, re.I)
_SECRET_VARIABLE = re.compile(r"(?:.*_)?(?:TOKEN|PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|KEY|CREDENTIALS?)", re.I)


def redacted(text: str) -> str:
    """The text without passwords in addresses, secrets in query strings and settings, and secrets of the environment.

    What an environment variable called `..._TOKEN`, `..._PASSWORD`, `..._SECRET`, `..._KEY` or the like holds counts
    as a secret from eight characters on, unless it is a path.
    """
    if "://" in text:
        text = _USER.sub(f"{MASK}@", text)
    if "=" in text:
        text = _ASSIGNED.sub(rf"\g<1>{MASK}", _IN_QUERY.sub(rf"\g<1>{MASK}", text))
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and value in text and not value.startswith("/") and _SECRET_VARIABLE.fullmatch(name):
            text = text.replace(value, MASK)
    return text


def without_secrets(value: Any, name: str = "") -> Any:
    """A copy of plain values in which texts are redacted, and those under the name of a secret masked."""
    if isinstance(value, Mapping):
        return {key: without_secrets(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(inner, name) for inner in value]
    if not isinstance(value, str):
        return value
    masked = value and not value.startswith("${") and _SECRET_NAME.fullmatch(name.rpartition(".")[2])
    return MASK if masked else redacted(value)


def yaml_without_secrets(text: str) -> str:
    """The same for the text of a YAML mapping, which stays as it is written where it holds no secret."""
    import yaml

    from runner.files.bounded_yaml import BoundedLoader

    try:
        values = yaml.load(text, Loader=BoundedLoader)
    except yaml.YAMLError:
        return redacted(text)
    kept = without_secrets(values)
    return text if kept == values else yaml.safe_dump(kept, allow_unicode=True, sort_keys=False)
