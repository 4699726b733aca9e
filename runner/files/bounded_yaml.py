"""A YAML loader that knows when to stop: a file of aliases to aliases expands to more than any memory holds.

PyYAML itself keeps an alias as a reference, but whoever walks over the result, or writes it as JSON, expands it.
"""

from typing import Any

import yaml

# As many values and keys, every alias counted with all that it stands for, and as deep, as anybody writes by hand.
MOST_NODES = 100_000
DEEPEST = 100
# What the constructors of PyYAML let through for text that only looks like a number, a date or the like.
_CONSTRUCTING = (ValueError, TypeError, LookupError, AttributeError, OverflowError)


class BoundedLoader(yaml.SafeLoader):
    """PyYAML's safe loader with a bound on size and depth; keys are texts, as they are written.

    Raises yaml.YAMLError with the place for what goes beyond, for an alias inside of what it stands for, and for a key
    that is null, a list or a mapping.
    """

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._nodes = 0
        self._depth = 0
        self._deepest = 0
        # By anchor: how many nodes it stands for, and how many levels; None while it is being read.
        self._sizes: dict[str, tuple[int, int] | None] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node as PyYAML does, and count it."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            self._count_alias(event)
            return super().compose_node(parent, index)
        self._count(1, self._depth + 1, event)
        before, outer, self._deepest = self._nodes - 1, self._deepest, self._depth + 1
        if event.anchor is not None:
            self._sizes[event.anchor] = None
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if event.anchor is not None:
            self._sizes[event.anchor] = self._nodes - before, self._deepest - self._depth
        self._deepest = max(outer, self._deepest)
        return node

    def _count_alias(self, event: Any) -> None:
        if event.anchor not in self._sizes:
            return  # PyYAML says so
        size = self._sizes[event.anchor]
        if size is None:
            raise _fault(f"the alias *{event.anchor} stands inside of what it stands for", event.start_mark)
        nodes, levels = size
        self._count(nodes, self._depth + levels, event)

    def _count(self, nodes: int, depth: int, event: Any) -> None:
        self._nodes += nodes
        self._deepest = max(self._deepest, depth)
        if self._nodes > MOST_NODES:
            raise _fault(f"more than {MOST_NODES:,} values, aliases counted with what they stand for", event.start_mark)
        if depth > DEEPEST:
            raise _fault(f"nested more than {DEEPEST} levels deep", event.start_mark)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """Construct a value; whatever goes wrong with it is an error with a place."""
        try:
            return super().construct_object(node, deep)
        except _CONSTRUCTING:
            shown = str(node.value)
            shown = shown if len(shown) <= 40 else f"{shown[:20]}..."
            raise _fault(f"{shown!r} is no {node.tag.rpartition(':')[2]}; quote it as text", node.start_mark) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Construct a mapping whose keys are the texts that stand there: `on` and `2026` are names like any other."""
        if isinstance(node, yaml.MappingNode):
            self.flatten_mapping(node)
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:null":
                    found = "null" if isinstance(key, yaml.ScalarNode) else f"a {key.id}"
                    raise _fault(f"a key is {found}, expected text", key.start_mark)
            return {key.value: self.construct_object(value, deep) for key, value in node.value}
        found_mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return found_mapping


def _fault(message: str, mark: Any) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, message, mark)
