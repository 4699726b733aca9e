"""What packages that are installed beside this one bring along, found by their entry points.

A package registers a component in its own pyproject.toml, in the group of its kind:

    [project.entry-points."retrieval_runner.retrievers"]
    my_engine = "my_package.engine:MyEngine"
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from runner.errors import ConfigError

_PREFIX = "retrieval_runner."
# Kind -> the folder of conf/ whose choices are of it; None where it is named in another way.
GROUPS: Mapping[str, str | None] = MappingProxyType(
    {
        "retrievers": "retriever",
        "embedders": "embedder",
        "rerankers": "reranker",
        "fusions": "fusion",
        "chunkers": "chunker",
        "readers": "corpus",
        "suite_readers": "suite",
        "metrics": None,
        "rules": None,
    }
)


@cache
def installed(kind: str) -> Mapping[str, EntryPoint]:
    """The components of one kind by name; of two packages that give one name, the first by package name counts."""
    found = entry_points(group=_PREFIX + kind)
    ordered = sorted(found, key=lambda each: (each.dist.name if each.dist else "", each.value), reverse=True)
    return MappingProxyType({each.name: each for each in ordered})


def choices() -> list[tuple[str, str, EntryPoint]]:
    """The folder of conf/, the name and the entry point of every component that installed packages bring."""
    return [
        (group, name, point)
        for kind, group in GROUPS.items()
        if group is not None
        for name, point in installed(kind).items()
    ]


def target_of(point: EntryPoint) -> str:
    """The dotted name of what an entry point names, as `_target_` has it."""
    return f"{point.module}.{point.attr}"


def targets() -> frozenset[str]:
    """The dotted names of all components that installed packages register to be chosen from conf/."""
    return frozenset(target_of(point) for _, _, point in choices())


def load(point: EntryPoint) -> Any:
    """Import what an entry point names. Raises ConfigError naming the package that brings it."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # the package is somebody else's and may fail in any way
        package = point.dist.name if point.dist else "an installed package"
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ConfigError(
            f"{point.group}: {point.name} of {package} cannot be imported from {point.value} ({reason}); "
            f"mend or uninstall {package}"
        ) from error
