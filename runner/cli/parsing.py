"""From the words of a command line to the record of what a command takes.

A setting is `name=value`; `--name value`, `--name=value` and `--name` (for `name=true`), as commands had them before,
mean the same.
"""

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from runner.cli.arguments import Arguments, Taken, taken
from runner.composition.overrides import read_setting, refuse_broken_text, shortened
from runner.errors import ConfigError
from runner.files.nearest import did_you_mean

A = TypeVar("A", bound=Arguments)


def parse(arguments: type[A], given: Sequence[str]) -> A:
    """Read the words that a command was given.

    Raises ConfigError for one that is not UTF-8, that the command has no use for, or that is not what it should be,
    and for one that is missing.
    """
    for word in given:
        refuse_broken_text(word)
    return _Reading(arguments, given).record(arguments)


class _Reading:
    def __init__(self, arguments: type[Arguments], given: Sequence[str]) -> None:
        every = taken(arguments)
        self._settings = {each.name: each for each in every if each.role == "setting"}
        self._words = [each for each in every if each.role == "word"]
        self._others = next((each for each in every if each.role == "others"), None)
        self._found: dict[str, list[str]] = {}
        self._loose: list[str] = []
        rest = list(given)
        while rest:
            self._take(rest.pop(0), rest)

    def _take(self, word: str, rest: list[str]) -> None:
        key, equals, value = word.partition("=")
        if word == "--":
            self._loose += rest
            rest.clear()
        elif word.startswith("-") and len(word) > 1:
            self._take_option(word, key, value if equals else None, rest)
        elif equals and key in self._settings:
            self._keep(self._settings[key], _split(value) if self._settings[key].many else [_unquoted(word)])
        elif self._others and (equals or word.startswith("~")) and _begins(key, self._others.begins):
            self._found.setdefault(self._others.field, []).append(word)
        elif equals and key.isidentifier() and not self._is_word(word, key):
            raise ConfigError(f"unknown setting {shortened(key)}{did_you_mean(key, self._names())}")
        else:
            self._loose.append(word)

    def _take_option(self, word: str, key: str, value: str | None, rest: list[str]) -> None:
        name = key.lstrip("-").replace("-", "_")
        option = self._settings.get(name) if key.startswith("--") else None
        if option is None:
            raise ConfigError(f"unknown option {shortened(word)}{did_you_mean(name, self._names())}")
        if option.kind is bool:
            self._keep(option, ["true" if value is None else value])
        elif value is not None:
            self._keep(option, _split(value) if option.many else [value])
        elif option.every:
            self._keep(option, list(self._all_words(rest)))
        elif rest and not rest[0].startswith("--"):
            self._keep(option, _split(rest.pop(0)) if option.many else [rest.pop(0)])
        else:
            raise ConfigError(f"{option.name}={option.placeholder} lacks its value: {option.help}")

    def _all_words(self, rest: list[str]) -> Iterator[str]:
        while rest and not rest[0].startswith("--"):
            word = rest.pop(0)
            if "=" in word and not Path(word).exists():
                self._take(word, [])
            else:
                yield word

    def _keep(self, option: Taken, values: Sequence[str]) -> None:
        kept = self._found.setdefault(option.field, [])
        if not option.many:
            kept.clear()
        kept += values

    def _is_word(self, word: str, key: str) -> bool:
        """Whether a word of a form like a setting's is none: ids and names of files may hold `=`."""
        ids = [each for each in self._words if each.metavar != "RUN_ID"]
        room = len(self._loose) < len(self._words) or any(each.many for each in ids)
        return bool(ids) and room and (Path(word).exists() or "did you mean" not in did_you_mean(key, self._names()))

    def _names(self) -> list[str]:
        return [*self._settings, *([self._others.begins] if self._others and self._others.begins else [])]

    def record(self, arguments: type[A]) -> A:
        values: dict[str, object] = {}
        for place in self._words:
            if place.many:
                values[place.field], self._loose = tuple(self._loose), []
            elif self._loose:
                values[place.field] = self._loose.pop(0)
            if place.required and not values.get(place.field):
                raise ConfigError(f"{place.metavar} is missing: {place.help}")
        if self._loose:
            raise ConfigError(f"unexpected word {shortened(self._loose[0])}; a setting is written name=value")
        for each in (*self._settings.values(), *([self._others] if self._others else [])):
            if each.field in self._found:
                values[each.field] = self._value(each, self._found[each.field])
            elif each.required:
                raise ConfigError(f"{each.name}={each.placeholder} is missing: {each.help}")
        try:
            return arguments.model_validate(values)
        except ValidationError as error:
            field = str(error.errors()[0]["loc"][0])
            faulty = next(each for each in taken(arguments) if each.field == field)
            raise ConfigError(f"{faulty.name}: expected {faulty.expected}, found {_told(values[field])}") from None

    def _value(self, each: Taken, texts: Sequence[str]) -> object:
        if each.closed:
            for text in texts:
                if text not in each.known:
                    near = did_you_mean(text, each.known)
                    hint = near if "did you mean" in near else ""
                    raise ConfigError(f"{each.name}: expected {each.expected}, found {shortened(text)}{hint}")
        if each.kind is Path:
            texts = [os.path.expanduser(text) for text in texts]
        if each.many:
            return tuple(texts)
        return None if texts[0] == "null" and each.default is None else texts[0]


def _told(value: object) -> str:
    return shortened(value if isinstance(value, str) else ", ".join(map(str, value)))  # type: ignore[call-overload]


def _begins(key: str, beginning: str) -> bool:
    return beginning in ("", key) or key.startswith(f"{beginning}.")


def _unquoted(word: str) -> str:
    """The value of `name=value` as it was typed; without quotes around the whole, as Hydra reads it."""
    value = word.partition("=")[2]
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        try:
            return read_setting(word).text
        except ConfigError:
            return value
    return value


def _split(value: str) -> list[str]:
    """The items of `a,b`, `[a,b]` or `"a,b",c`."""
    inner = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    rows = list(csv.reader([" ".join(inner.splitlines())], skipinitialspace=True))
    return [item.strip() for item in rows[0] if item.strip()] if rows else []
