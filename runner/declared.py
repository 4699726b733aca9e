"""What a component says of itself, read and checked in one place.

What each attribute means is written in `retrievers.protocols.Described`, for documents' readers and chunkers alike.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from runner.errors import ConfigError

T = TypeVar("T")


class Declared:
    """The optional attributes of one component, each with its default where the component does not have it.

    path: where the component stands in the configuration, for messages. Reading one of a wrong type raises ConfigError
    naming the component, what was found and what was expected.
    """

    def __init__(self, component: object, path: str = "") -> None:
        self._object = component
        self._path = path

    @property
    def version(self) -> Any:
        """The version that the class, or one that it inherits from, bears; 0 without one."""
        found = getattr(self._object, "version", 0)
        return self._checked("version", found, _is_json(found), "a number or a text")

    @property
    def own_version(self) -> Any:
        """The version that stands in the class itself; None without one."""
        return self.version if "version" in vars(type(self._object)) else None

    @property
    def libraries(self) -> tuple[str, ...]:
        """Names of the distributions that decide the results."""
        return self._names("libraries", '("numpy",)')

    @property
    def excluded(self) -> tuple[str, ...]:
        """Names of parameters that change no result."""
        return self._names("excluded", '("batch_size",)')

    @property
    def cacheable(self) -> bool:
        """Whether results may be kept."""
        found = getattr(self._object, "cacheable", True)
        kept: bool = self._checked("cacheable", found, isinstance(found, bool), "True or False")
        return kept

    @property
    def model_id(self) -> str | None:
        """Which model it is."""
        found = getattr(self._object, "model_id", None)
        fits = found is None or isinstance(found, str)
        model: str | None = self._checked("model_id", found, fits, "a text")
        return model

    @property
    def pool(self) -> int | None:
        """How many candidates it looks at."""
        found = getattr(self._object, "pool", None)
        # Not every class means a number by it.
        return found if isinstance(found, int) else None

    def contents(self) -> dict[str, str]:
        """SHA-256 of each file that decides the results, by a name for it."""
        return dict(self._texts("contents"))

    def files(self) -> dict[str, str]:
        """Path of each of the user's own files that it reads, by the parameter that names it."""
        return dict(self._texts("files"))

    def files_read(self) -> dict[str, Path]:
        """Path of every file that it reads; what `files` says where it says no more."""
        name = "files_read" if getattr(self._object, "files_read", None) is not None else "files"
        return {parameter: Path(path) for parameter, path in self._texts(name)}

    def lacking(self) -> str | None:
        """What it lacks to work without the network; None for nothing, and where it does not say."""
        method = self._method("lacking")
        found = method() if method is not None else None
        told: str | None = self._checked("lacking()", found, found is None or isinstance(found, str), "a text")
        return told

    def sources(self) -> list[Path] | None:
        """The files that a reader of documents is going to read; None where it does not say."""
        method = self._method("sources")
        if method is None:
            return None
        found = method()
        fits = _is_list(found) and all(isinstance(each, str | PathLike) for each in found)
        return list(map(Path, self._checked("sources()", found, fits, "a list of paths")))

    def refuse_queries(self, queries: Sequence[Any]) -> None:
        """Let it refuse queries of which it knows beforehand that it can answer none."""
        method = self._method("refuse_queries")
        if method is not None:
            method(queries)

    def optional(self, name: str, kind: type[T]) -> T | None:
        """Another attribute, of a given class; None where it is not there."""
        found = getattr(self._object, name, None)
        fits = found is None or isinstance(found, kind)
        checked: T | None = self._checked(name, found, fits, f"a {kind.__name__}")
        return checked

    def _names(self, name: str, example: str) -> tuple[str, ...]:
        found = getattr(self._object, name, ())
        fits = _is_list(found) and all(isinstance(each, str) for each in found)
        return tuple(self._checked(name, found, fits, f"names, such as {example}"))

    def _texts(self, name: str) -> list[tuple[str, str]]:
        method = self._method(name)
        found = method() if method is not None else {}
        fits = isinstance(found, Mapping) and all(
            isinstance(key, str) and isinstance(value, str | PathLike) for key, value in found.items()
        )
        checked = self._checked(f"{name}()", found, fits, "a mapping of names to texts")
        return [(key, fspath(value)) for key, value in checked.items()]

    def _method(self, name: str) -> Callable[..., Any] | None:
        found = getattr(self._object, name, None)
        if found is None or callable(found):
            return found
        self._refuse(name, found, "a method")

    def _checked(self, name: str, found: Any, fits: bool, expected: str) -> Any:
        return found if fits else self._refuse(name, found, expected)

    def _refuse(self, name: str, found: Any, expected: str) -> NoReturn:
        kind = type(self._object)
        where = f"{self._path}: " if self._path else ""
        shown = repr(found)
        shown = shown if len(shown) <= 100 else f"{shown[:97]}..."
        raise ConfigError(f"{where}{kind.__module__}.{kind.__qualname__}.{name} is {shown}, expected {expected}")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
