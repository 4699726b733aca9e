"""Settings that are text, whatever they look like: `dataset.path=2026.10` names a folder, not a number.

Hydra and YAML turn words that look like numbers, truth values or null into those, and the spelling is lost. So the
overrides of these settings are put into quotes before Hydra reads them, and YAML is read with these keys as text.
"""

import os
import re
from collections.abc import Mapping
from typing import Any

import omegaconf._utils
import yaml
from hydra.core.override_parser import overrides_parser as _parsing
from hydra.core.override_parser.overrides_parser import OverridesParser, create_functions
from hydra.core.override_parser.types import ChoiceSweep, Override, Quote, QuotedString, Sweep
from hydra.errors import HydraException
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
_KEY = re.compile(r"\+{0,2}(?P<key>[\w.]+)")


def as_text(argument: str) -> str:
    """An override with the value of a text setting in quotes wherever Hydra would read something else than text."""
    prefixed, equals, value = argument.partition("=")
    key = _KEY.fullmatch(prefixed)
    if not equals or not key or not _is_text(key["key"]) or not value:
        return argument
    parser = _Parser(keep_null=not _is_always(key["key"]))
    try:
        found = parser.parse_override(argument)._value
    except HydraException:
        return argument  # refused, with its reason, by whoever reads it
    plain = not isinstance(found, Sweep) or (isinstance(found, ChoiceSweep) and not found.tags and not found.shuffle)
    if not parser.changed or not plain:
        return argument
    values: list[Any] = found.list if isinstance(found, ChoiceSweep) else [found]
    # A function, such as choice(), has taken the quotes off.
    quoted = [QuotedString(each, Quote.double) if isinstance(each, str) else each for each in values]
    return f"{prefixed}={','.join(Override._get_value_element_as_str(each) for each in quoted)}"


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


def read_yaml_as_text() -> None:
    """Have Hydra and OmegaConf read YAML files with text settings as they are spelt; safe to repeat."""
    omegaconf._utils.get_yaml_loader = _text_loader


def _text_loader() -> Any:
    base = get_yaml_loader()

    class TextLoader(base):  # type: ignore[misc, valid-type]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    spelt = isinstance(value, yaml.ScalarNode) and not value.tag.endswith((":null", ":str"))
                    if spelt and value.style is None and _is_text(str(key.value)):
                        value.tag = "tag:yaml.org,2002:str"
            return super().construct_mapping(node, deep)

    return TextLoader


def _is_text(key: str) -> bool:
    return _is_always(key) or (key.rpartition(".")[2] in _OR_NULL and key not in _OR_NULL - {"name"})


def _is_always(key: str) -> bool:
    return key in _ALWAYS_AT or key.rpartition(".")[2] in _ALWAYS


class _Parser(OverridesParser):
    """Reads overrides with every plain word as the text that was typed. changed: whether that made a difference."""

    def __init__(self, keep_null: bool) -> None:
        super().__init__(create_functions())
        self._keep_null = keep_null
        self.changed = False

    def parse_rule(self, s: str, rule_name: str) -> Any:
        """See OverridesParser, which makes its visitor where nobody can choose another."""
        parsing: Any = _parsing
        before: Any = parsing.HydraOverrideVisitor
        outer = self

        class AsTyped(before):  # type: ignore[misc]
            def visitPrimitive(self, ctx: Any) -> Any:
                read = super().visitPrimitive(ctx)
                if isinstance(read, str | QuotedString) or (read is None and outer._keep_null):
                    return read
                outer.changed = True
                return QuotedString(text=ctx.getText(), quote=Quote.double)

        parsing.HydraOverrideVisitor = AsTyped
        try:
            return super().parse_rule(s, rule_name)
        finally:
            parsing.HydraOverrideVisitor = before
