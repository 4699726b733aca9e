"""Components of installed packages as choices beside those of conf/: `retriever=my_engine` without a file of its own.

The node is made from the constructor: `_target_`, its defaults, `???` for what it cannot do without, and for a
parameter that is named after a part (an embedder, say) the part that the program's own components have there.
"""

import inspect
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any

from hydra.core.config_store import ConfigNode, ConfigStore
from omegaconf import OmegaConf

from runner import plugins
from runner.configuration.settings import conf_choices

_PARTS = {"embedder": "wordllama", "reranker": "late_interaction", "fusion": "rrf", "analyzer": "mixed"}
_BOUND = {("corpus", "path"): "${dataset.path}", ("suite", "path"): "${dataset.suite}"}
_PLAIN = (str, int, float, bool, type(None))
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class _Choice(ConfigNode):
    """A node that is made when Hydra takes its copy to use it: no package is imported before."""

    def __init__(self, group: str, point: EntryPoint) -> None:
        super().__init__(f"{point.name}.yaml", OmegaConf.create(), group, None, None)
        self._point = point

    def __deepcopy__(self, _: Any) -> "_Choice":
        return self  # with the whole of Hydra's store, for a cache

    def __copy__(self) -> ConfigNode:
        group = str(self.group)
        return ConfigNode(self.name, OmegaConf.create(node_of(group, self._point)), group, None, self._point.value)


def know_installed() -> None:
    """Make the components of installed packages known to Hydra; safe to repeat. A file of conf/ of that name wins."""
    known = ConfigStore.instance().repo
    for group, name, point in plugins.choices():
        if name not in conf_choices(group):
            known.setdefault(group, {})[f"{name}.yaml"] = _Choice(group, point)


def node_of(group: str, point: EntryPoint) -> dict[str, Any]:
    """The node of a component. Raises ConfigError where its package cannot be imported."""
    made = plugins.load(point)
    node: dict[str, Any] = {"_target_": plugins.target_of(point)}
    if group == "retriever":
        node["name"] = point.name
    defaults: list[Any] = []
    for name, parameter in inspect.signature(made).parameters.items():
        if name in node or parameter.kind in _VARIADIC:
            continue
        if parameter.default is not parameter.empty:
            if _is_plain(parameter.default):
                node[name] = parameter.default
        elif name in _PARTS:
            defaults.append({f"/{name}@{name}": _PARTS[name]})
        else:
            node[name] = _BOUND.get((group, name), "???")
    return {"defaults": [*defaults, "_self_"], **node} if defaults else node


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    return isinstance(value, _PLAIN) or (isinstance(value, list | tuple) and all(map(_is_plain, value)))
