"""What a command takes, declared once: the fields of a frozen record, each with type, default, bounds and meaning.

    class Compared(StoredRuns):
        runs: tuple[str, ...] = words("RUN_ID", "ids of the runs")
        level: float = setting("level of the intervals", 0.95, above=0, below=1)

From these come the parsing, `--help`, the completion and the reference in the documentation.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field

from runner.tracking.location import StoreLocation

Names = Iterable[str] | Callable[[], Iterable[str]]
_PLACEHOLDERS = {int: "N", float: "X", bool: "true", Path: "PATH", str: "TEXT"}


@dataclass(frozen=True)
class ValueBounds:
    """What a number may be; None where there is no limit."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    def __str__(self) -> str:
        if self.above is not None and self.below is not None:
            return f" between {self.above:g} and {self.below:g}"
        return "".join(
            f" {word} {bound:,.6g}" for word, bound in (("from", self.least), ("to", self.most)) if bound is not None
        )


@dataclass(frozen=True)
class Taken:
    """One thing that a command takes, as `taken` finds it on the fields of its record.

    role: a word by its place, a setting `name=value`, or the settings of something else, handed through.
    kind: int, float, bool, str or Path. names: the values there are (`closed`), or some of them.
    begins: of settings handed through, what each begins with. every: whether an old option takes all words after it.
    """

    role: Literal["word", "setting", "others"]
    help: str
    field: str = ""
    name: str = ""
    metavar: str = ""
    kind: type = str
    many: bool = False
    required: bool = False
    default: Any = None
    bounds: ValueBounds = ValueBounds()
    names: Names = ()
    closed: bool = False
    begins: str = ""
    every: bool = False

    @property
    def known(self) -> list[str]:
        """The values that have names."""
        return list(self.names() if callable(self.names) else self.names)

    @property
    def placeholder(self) -> str:
        """What stands for the value in a help text."""
        return self.metavar or ("NAME" if self.names else _PLACEHOLDERS[self.kind]) + (",..." if self.many else "")

    @property
    def expected(self) -> str:
        """What a value has to be, in words."""
        if self.closed:
            return f"one of {', '.join(self.known)}"
        if self.kind is bool:
            return "true or false"
        number = {int: "a whole number", float: "a number"}.get(self.kind)
        return f"{number}{self.bounds}" if number else "text"


class Arguments(BaseModel):
    """The record of what a command was given; a subclass a command."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def words(metavar: str, help: str, default: Any = ...) -> Any:
    """A field filled by place: of the type str or Path by one word, of a tuple by all that are left."""
    return _field(default, Taken("word", help, metavar=metavar))


def setting(
    help: str,
    default: Any = ...,
    *,
    name: str = "",
    metavar: str = "",
    among: Names = (),
    such_as: Names = (),
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    every: bool = False,
) -> Any:
    """A field filled by `name=value`. among: all values there are; such_as: some, for the help and the completion."""
    bounds = ValueBounds(least, most, above, below)
    limits = {"ge": least, "le": most, "gt": above, "lt": below}
    taken = Taken(
        "setting",
        help,
        name=name,
        metavar=metavar,
        bounds=bounds,
        names=among or such_as,
        closed=bool(among),
        every=every,
    )
    return _field(default, taken, **{key: bound for key, bound in limits.items() if bound is not None})


def others(help: str, begins: str = "") -> Any:
    """A field of type tuple[str, ...]: settings as they were typed, for whoever reads them; those of `begins` only."""
    return _field((), Taken("others", help, begins=begins))


def _field(default: Any, taken: Taken, **limits: float) -> Any:
    # pydantic keeps there, as it is, what it has no use for.
    field: Any = Field
    return field(default, json_schema_extra={"taken": taken}, **limits)


class StoredRuns(Arguments):
    """Of a command about what is stored: where that is."""

    store: str | None = setting("the folder of snapshots, cache and runs", None, metavar="DIR")
    tracking_uri: str | None = setting("where the runs are, if not there", None, name="tracking.uri", metavar="URI")
    trust: str = setting("modules of your own whose classes a stored run may build", "", metavar="MODULE,...")

    def place(self) -> StoreLocation:
        """Where to look. Raises ConfigError for a place that cannot be used."""
        return StoreLocation.at(self.store, self.tracking_uri, self.trust)


@cache
def taken(arguments: type[Arguments]) -> tuple[Taken, ...]:
    """Everything that a command takes, in the order of its fields, those of its base last."""
    inherited = {name for base in arguments.__mro__[1:] for name in getattr(base, "__annotations__", {})}
    fields = sorted(arguments.model_fields.items(), key=lambda item: item[0] in inherited)
    return tuple(_described(name, info) for name, info in fields)


def _described(field: str, info: Any) -> Taken:
    said: Taken = info.json_schema_extra["taken"]
    kind = info.annotation
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    many = get_origin(kind) is tuple
    values = vars(said) | {
        "field": field,
        "name": said.name or field.rstrip("_"),
        "kind": get_args(kind)[0] if many else kind,
        "many": many,
        "required": info.is_required(),
        "default": None if info.is_required() else info.default,
    }
    return Taken(**values)
