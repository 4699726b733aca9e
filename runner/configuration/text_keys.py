"""Which settings are text, whatever they look like, and which are paths; YAML is read with them as they are spelt.

YAML turns words that look like numbers, truth values or null into those, and the spelling is lost.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import omegaconf._utils
import yaml
from omegaconf._utils import get_yaml_loader

# Always text; `null` is a word there as any other.
_ALWAYS = frozenset({"path", "topics", "experiment", "uri", "suites", "date"})
_ALWAYS_AT = frozenset({"store", "dataset.name", "dataset.suite", "suite.qrels"})
# Text, or null for nothing.
_OR_NULL = frozenset(
    {
        "name",
        "snapshot",
        "artifacts",
        "model",
        "revision",
        "device",
        "tokenizer",
        "lexicon",
        "query_prompt",
        "passage_prompt",
        "as_of",
        "qrels",
        "suite",
        "runs",
        "run",
        "rankings",
    }
)
# Where a leading `~` is the home folder.
_PATHS = frozenset(
    {
        "path",
        "topics",
        "qrels",
        "runs",
        "rankings",
        "suites",
        "suite",
        "artifacts",
        "store",
        "lexicon",
        "tokenizer",
    }
)


def is_text(key: str) -> bool:
    """Whether the value of a setting is text."""
    return is_always(key) or (key.rpartition(".")[2] in _OR_NULL and key not in _OR_NULL - {"name"})


def is_always(key: str) -> bool:
    """Whether it is text even where it says `null`."""
    return key in _ALWAYS_AT or key.rpartition(".")[2] in _ALWAYS


def expand_home(values: Any) -> Any:
    """Values with `~` in paths as the folder it stands for; nothing else is touched."""
    if isinstance(values, Mapping):
        return {
            str(key): os.path.expanduser(value)
            if key in _PATHS and isinstance(value, str) and value.startswith("~")
            else expand_home(value)
            for key, value in values.items()
        }
    return [expand_home(each) for each in values] if isinstance(values, list) else values


@contextmanager
def yaml_as_spelt() -> Iterator[None]:
    """Meanwhile, have Hydra and OmegaConf read YAML files with text settings as they are spelt."""
    before = omegaconf._utils.get_yaml_loader
    omegaconf._utils.get_yaml_loader = _text_loader
    try:
        yield
    finally:
        omegaconf._utils.get_yaml_loader = before


def _text_loader() -> Any:
    base = get_yaml_loader()

    class TextLoader(base):  # type: ignore[misc, valid-type]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    spelt = isinstance(value, yaml.ScalarNode) and not value.tag.endswith((":null", ":str"))
                    if spelt and value.style is None and is_text(str(key.value)):
                        value.tag = "tag:yaml.org,2002:str"
            return super().construct_mapping(node, deep)

    return TextLoader
