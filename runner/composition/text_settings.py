"""Settings that are text, whatever they look like: `dataset.path=2026.10` names a folder, not a number.

Hydra and YAML turn words that look like numbers, truth values or null into those, and the spelling is lost. So the
overrides of these settings are put into quotes before Hydra reads them.
"""

import re
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser, create_functions
from hydra.core.override_parser.overrides_visitor import HydraOverrideVisitor
from hydra.core.override_parser.types import ChoiceSweep, Override, Quote, QuotedString, Sweep
from hydra.errors import HydraException

from runner.composition.hydra_internals import parse_visiting
from runner.configuration.text_keys import is_always, is_text

_KEY = re.compile(r"\+{0,2}(?P<key>[\w.]+)")


def as_text(argument: str) -> str:
    """An override with the value of a text setting in quotes wherever Hydra would read something else than text."""
    prefixed, equals, value = argument.partition("=")
    key = _KEY.fullmatch(prefixed)
    if not equals or not key or not is_text(key["key"]) or not value:
        return argument
    parser = _Parser(keep_null=not is_always(key["key"]))
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


class _Parser(OverridesParser):
    """Reads overrides with every plain word as the text that was typed. changed: whether that made a difference."""

    def __init__(self, keep_null: bool) -> None:
        super().__init__(create_functions())
        self._keep_null = keep_null
        self.changed = False

    def parse_rule(self, s: str, rule_name: str) -> Any:
        """See OverridesParser, which makes its visitor where nobody can choose another."""
        outer = self

        class AsTyped(HydraOverrideVisitor):
            def visitPrimitive(self, ctx: Any) -> Any:
                read = super().visitPrimitive(ctx)
                if isinstance(read, str | QuotedString) or (read is None and outer._keep_null):
                    return read
                outer.changed = True
                return QuotedString(text=ctx.getText(), quote=Quote.double)

        return parse_visiting(self, AsTyped, s, rule_name)
