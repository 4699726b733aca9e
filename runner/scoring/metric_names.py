"""Names of metrics, as people type them and as ir-measures prints them: `recall`, `P@5`, `rbp(p=0.8)@10`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules
from types import ModuleType
from typing import Literal, get_args, get_origin, get_type_hints

import runner.scoring.metrics
from runner.errors import ConfigError
from runner.files.nearest import did_you_mean
from runner.plugins import installed, load
from runner.scoring.metric import REGISTERED, Metric

# Stands, in a list of metrics, for those that run where nobody says.
DEFAULT = "default"
DEFAULT_NAMES = ("hit", "recall", "precision", "ndcg", "judged", "mrr", "map")
# What failing queries, slices and curves are told by: computed whatever else is.
ALWAYS = ("hit", "recall")
POOL_RECALL = "pool_recall"
_BETWEEN = re.compile(r",(?![^()]*\))")
_NAME = re.compile(r"(?P<name>[^\W\d][\w.]*)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>[0-9]{1,7}))?")


def parse_metric(text: str) -> Metric:
    """Read a metric. Raises ConfigError for an unknown name or parameter, saying which there are.

    A name with dots is the path of a class, and its module is imported: only what the person wrote may be read so.
    """
    return _parsed(" ".join(text.split()))


def metric_name(text: str) -> str:
    """A metric as it is printed; the path of a class stays as written, since nothing is imported here.

    Raises ConfigError as `parse_metric` does.
    """
    return text.strip() if is_path(text.strip()) else str(parse_metric(text))


def chosen_metrics(texts: Iterable[str]) -> tuple[str, ...]:
    """The names of what a run measures that asks for these, each once: the usual ones in their order, then its own.

    `default` stands for the usual ones; `hit` and `recall` are among them in any case. What is named by its path
    stays as it is written, since nothing is imported here. Raises ConfigError as `parse_metric` does.
    """
    asked = [name for text in texts for name in (DEFAULT_NAMES if text.strip() == DEFAULT else (text,))]
    names = dict.fromkeys([*ALWAYS, *map(metric_name, asked)])
    # It is measured in every run, and of what no ranking shows.
    names.pop(POOL_RECALL, None)
    usual = [name for name in DEFAULT_NAMES if name in names]
    return (*usual, *(name for name in names if name not in usual))


def split_metrics(text: str) -> list[str]:
    """The metrics in a list that is parted by commas, those between parentheses apart: `recall,err(max_grade=3)@5`."""
    return [each.strip() for each in _BETWEEN.split(text) if each.strip()]


def is_path(text: str) -> bool:
    """Whether a metric is named by the path of its class, which is somebody's own."""
    found = _NAME.fullmatch(text)
    return found is not None and "." in found["name"]


def class_path(text: str) -> str:
    """The path in such a name, without parameters and cutoff."""
    return re.split(r"[(@]", text, maxsplit=1)[0]


def metric_names() -> list[str]:
    """How every known metric is written, with the parameters that have to be given: `recall`, `rbp(p=...)`."""
    return [_usage(each) for each in _known().values()]


@cache
def _parsed(text: str) -> Metric:
    found = _NAME.fullmatch(text)
    if not found:
        raise ConfigError(f"cannot read the metric {text!r}; expected a name, like recall, ndcg@10 or rbp(p=0.8)@10")
    cls = _class_of(found["name"])
    given: dict[str, object] = {}
    for item in filter(None, map(str.strip, (found["parameters"] or "").split(","))):
        key, equals, value = (each.strip() for each in item.partition("="))
        if not equals:
            raise ConfigError(f"metric {text!r}: expected parameters as name=value, found {item!r}")
        given[key] = _value(cls, text, key, value.strip("\"'"))
    if found["cutoff"]:
        if not cls.takes_cutoff:
            raise ConfigError(f"metric {text!r}: {cls.written()} takes no cutoff; write {cls.written()}")
        if int(found["cutoff"]) < 1:
            raise ConfigError(f"metric {text!r}: the cutoff must be at least 1")
        given["cutoff"] = int(found["cutoff"])
    if missing := [name for name in _required(cls) if name not in given]:
        raise ConfigError(f"metric {text!r}: give it {', '.join(missing)}, like {_usage(cls)}")
    try:
        return cls(**given)  # type: ignore[arg-type]
    except ValueError as error:
        raise ConfigError(f"metric {text!r}: {error}") from None


def _value(cls: type[Metric], text: str, key: str, value: str) -> object:
    kinds = {each.name: get_type_hints(cls)[each.name] for each in fields(cls) if each.name != "cutoff"}
    if key not in kinds:
        hint = "; what counts as relevant is the suite's min_grade" if key == "rel" else did_you_mean(key, kinds)
        raise ConfigError(f"metric {text!r}: {cls.written()} has no parameter {key!r}{hint}")
    kind = kinds[key]
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ConfigError(f"metric {text!r}: {key} is one of {', '.join(get_args(kind))}, found {value!r}")
        return value
    try:
        return kind(value)
    except ValueError:
        what = {float: "a number", int: "a whole number"}.get(kind, kind.__name__)
        raise ConfigError(f"metric {text!r}: expected {what} as {key}, found {value!r}") from None


def _required(cls: type[Metric]) -> list[str]:
    return [each.name for each in fields(cls) if each.default is MISSING]


def _usage(cls: type[Metric]) -> str:
    required = ",".join(f"{name}=..." for name in _required(cls))
    return f"{cls.written()}({required})" if required else cls.written()


def _class_of(name: str) -> type[Metric]:
    if "." in name:
        return _class_at(name)
    names = {alias.casefold(): each for each in _known().values() for alias in (each.name, *each.aliases)}
    if name.casefold() not in names:
        close = did_you_mean(name, _known())
        known = close if "mean" in close else f"; known: {', '.join(metric_names())}"
        raise ConfigError(f"unknown metric {name!r}{known}")
    return names[name.casefold()]


def _class_at(path: str) -> type[Metric]:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:
        raise ConfigError(f"metric {path!r}: cannot be imported ({error}); expected module.Class") from None
    return _checked(path, found)


def _checked(path: str, found: object) -> type[Metric]:
    if not isinstance(found, type) or not issubclass(found, Metric) or isabstract(found):
        raise ConfigError(f"metric {path!r}: is no metric; expected a class derived from runner.scoring.metric.Metric")
    return found


@cache
def _known() -> dict[str, type[Metric]]:
    """Every metric by its name, in the order in which they are shown."""
    package = runner.scoring.metrics
    shipped = [each for module in _modules(package) for each in _defined(module)]
    order = {name: place for place, name in enumerate((*DEFAULT_NAMES, POOL_RECALL))}
    shipped.sort(key=lambda each: order.get(each.name, len(order)))
    added = [_checked(point.value, load(point)) for _, point in sorted(installed("metrics").items())]
    for each in (*shipped, *added):
        if not each.name:
            raise ConfigError(f"metric {each.__module__}.{each.__qualname__} of an installed package has no `name`")
        other = REGISTERED.setdefault(each.name, each)
        if other is not each:
            paths = " and ".join(f"{cls.__module__}.{cls.__qualname__}" for cls in (other, each))
            raise ConfigError(f"two metrics are called {each.name!r}: {paths}; rename one of them")
    return {each.name: each for each in (*shipped, *added)}


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for module in iter_modules(package.__path__):
        yield import_module(f"{package.__name__}.{module.name}")


def _defined(module: ModuleType) -> list[type[Metric]]:
    return [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Metric) and each.__module__ == module.__name__
    ]
