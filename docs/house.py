"""The drawing of the program's rooms, made from its imports."""

import ast
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

Arrows = Mapping[str, frozenset[str]]
_WIDTH, _BOX, _HEIGHT, _GAP = 1120, 128, 34, 58


def rooms(root: Path) -> dict[str, str]:
    """Every room (a package, or a module at the top of runner/) with the first line of its docstring."""
    found: dict[str, str] = {}
    folder = root / "runner"
    places = [*folder.glob("*/__init__.py"), *folder.glob("*.py"), root / "retrievers" / "__init__.py"]
    places += (root / "hydra_plugins").glob("*/__init__.py")
    for place in sorted(places):
        if place.parent == folder and place.name == "__init__.py":
            continue
        name = room_of(place, root)
        found[name] = (ast.get_docstring(ast.parse(place.read_text("utf-8"))) or "").partition("\n")[0]
    return found


def room_of(place: Path, root: Path) -> str:
    """The room that a file stands in: `engine`, `errors`, `retrievers`, `hydra_plugins`."""
    parts = place.relative_to(root).parts
    if parts[0] != "runner":
        return parts[0]
    return parts[1].removesuffix(".py")


def arrows(root: Path) -> Arrows:
    """Which rooms each room imports, wherever in a file the import stands."""
    known = set(rooms(root))
    found: dict[str, set[str]] = {name: set() for name in known}
    for top in ("runner", "retrievers", "hydra_plugins"):
        for place in (root / top).rglob("*.py"):
            here = room_of(place, root)
            for module in imported(ast.parse(place.read_text("utf-8"))):
                parts = module.split(".")
                there = parts[1] if parts[0] == "runner" and len(parts) > 1 else parts[0]
                if here in known and there in known and there != here:
                    found[here].add(there)
    return {name: frozenset(below) for name, below in found.items()}


def imported(tree: ast.AST) -> Iterable[str]:
    """Dotted names of the modules that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{each.name}" for each in node.names)


def floors(below: Arrows) -> dict[str, int]:
    """How many rooms stand below each, on the longest way down; ValueError if the arrows run in a circle."""
    known: dict[str, int] = {}

    def floor(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise ValueError(f"imports run in a circle: {' -> '.join((*above, name))}")
        if name not in known:
            known[name] = 1 + max((floor(each, (*above, name)) for each in below[name]), default=-1)
        return known[name]

    for name in below:
        floor(name, ())
    return known


def needed(below: Arrows) -> Arrows:
    """The arrows that no way over other rooms makes superfluous (the transitive reduction)."""

    def reached(name: str) -> frozenset[str]:
        return below[name].union(*(reached(each) for each in below[name]))

    return {
        name: frozenset(each for each in under if not any(each in reached(other) for other in under - {each}))
        for name, under in below.items()
    }


def drawing(root: Path) -> str:
    """An inline SVG in the colours of the page: floors from the top down, a line to each room that is imported."""
    lines, level = needed(arrows(root)), floors(arrows(root))
    rows = [sorted(name for name in level if level[name] == each) for each in range(max(level.values()), -1, -1)]
    x: dict[str, float] = {}
    for row in reversed(rows):
        # Near the middle of what it stands on; rooms of one floor in that order.
        wish = {
            name: sum(x[each] for each in lines[name]) / len(lines[name]) if lines[name] else _WIDTH / 2 for name in row
        }
        step = _WIDTH / len(row)
        for number, name in enumerate(sorted(row, key=lambda each: (wish[each], each))):
            x[name] = wish[name] if len(row) == 1 else step * (number + 0.5)
    y = {name: 20 + number * _GAP for number, row in enumerate(rows) for name in row}
    parts = [
        f'<div><svg viewBox="0 0 {_WIDTH} {20 + len(rows) * _GAP}" role="img" aria-label="rooms and imports" '
        'style="width:100%;height:auto;font:13px sans-serif" fill="none" stroke="currentColor">'
    ]
    for name, under in sorted(lines.items()):
        for each in sorted(under):
            top, bottom = y[name] + _HEIGHT, y[each]
            middle = (top + bottom) / 2
            curve = f"M{x[name]:.0f} {top}C{x[name]:.0f} {middle:.0f} {x[each]:.0f} {middle:.0f} {x[each]:.0f} {bottom}"
            parts.append(f'<path d="{curve}" opacity="0.4"/>')
    for name in sorted(x):
        left = x[name] - _BOX / 2
        parts.append(
            f'<g><title>{escape(name)}</title><rect x="{left:.0f}" y="{y[name]}" width="{_BOX}" height="{_HEIGHT}" '
            'rx="6" fill="var(--md-default-bg-color, white)"/>'
            f'<text x="{x[name]:.0f}" y="{y[name] + 22}" text-anchor="middle" fill="currentColor" stroke="none">'
            f"{escape(name)}</text></g>"
        )
    return "\n".join([*parts, "</svg></div>"])


def table(root: Path) -> str:
    """A table of the rooms from the top floor down: what each is for, and what it imports."""
    below, about = arrows(root), rooms(root)
    level = floors(below)
    order = sorted(below, key=lambda name: (-level[name], name))
    rows = [f"| `{name}` | {about[name]} | {', '.join(sorted(below[name])) or '(nothing)'} |" for name in order]
    total = sum(map(len, below.values()))
    return "\n".join(
        [
            f"{len(below)} rooms, {max(level.values()) + 1} floors, {total} arrows, no circle.",
            "",
            "| room | what it is for | imports |",
            "|---|---|---|",
            *rows,
        ]
    )
