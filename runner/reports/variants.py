"""Which runs of a sweep differ in k alone: one variant each, under a name that tells it from the others."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.engine.run_name import run_name
from runner.rendering.visible import cut

# Follow from other parameters, or only repeat in a hash what another one says.
_DERIVED = ("retriever_hash", "documents_sha256", "snapshot.documents", "snapshot.passages")
_LONGEST_VALUE = 40


@dataclass(frozen=True)
class Variant:
    """name: what its runs are called at any k, with what sets it apart where several have that name.

    by_k: position of the run at each k, in ascending order of k.
    """

    name: str
    by_k: Mapping[int, int]


def variants_of(params: Sequence[Mapping[str, str]], variants: Sequence[str]) -> list[Variant]:
    """Group runs by everything but k, in order of first appearance; of two runs alike, the later one stands.

    params, variants: what was logged of each run, and its tag `variant`.
    """
    grouped: dict[tuple[tuple[str, str], ...], dict[int, int]] = defaultdict(dict)
    for position, values in enumerate(params):
        key = tuple(sorted((name, value) for name, value in values.items() if name != "k"))
        grouped[key][int(values["k"])] = position
    groups = list(grouped.values())
    first = [next(iter(group.values())) for group in groups]
    bases = [run_name(params[run]["retriever"], None, params[run].get("pool"), variants[run]) for run in first]
    marks = _marks(bases, [params[run] for run in first])
    return [
        Variant(base + mark, dict(sorted(group.items())))
        for base, mark, group in zip(bases, marks, groups, strict=True)
    ]


def _marks(bases: Sequence[str], params: Sequence[Mapping[str, str]]) -> list[str]:
    """What to add to each name so that no two are the same: the parameters in which its namesakes differ."""
    namesakes: dict[str, list[int]] = defaultdict(list)
    for number, base in enumerate(bases):
        namesakes[base].append(number)
    marks = [""] * len(bases)
    for numbers in namesakes.values():
        if len(numbers) < 2:
            continue
        keys = sorted(
            {key for number in numbers for key in params[number] if key != "k"},
            key=lambda key: (key in _DERIVED or key.endswith("_sha256"), key),
        )
        differing = [key for key in keys if len({params[number].get(key, "-") for number in numbers}) > 1]
        plain = [key for key in differing if key not in _DERIVED and not key.endswith("_sha256")] or differing[:1]
        for number in numbers:
            told = ", ".join(f"{_short(key)}={cut(params[number].get(key, '-'), _LONGEST_VALUE)}" for key in plain)
            marks[number] = f" ({told})"
    return marks


def _short(key: str) -> str:
    return key.removeprefix("stage.")


def judged_sets(params: Sequence[Mapping[str, str]]) -> list[str]:
    """By run, the suite it was scored by, with the revision and the documents where these tell it from another.

    Only runs of one judged set are compared: `core`, or `core@1f2e3d4c` beside another revision of it.
    """
    labels = [values["suite"] for values in params]
    for more in ("suite_revision", "documents_sha256"):
        found: dict[str, set[str]] = defaultdict(set)
        for label, values in zip(labels, params, strict=True):
            found[label].add(values[more])
        labels = [
            f"{label}@{values[more][:8]}" if len(found[label]) > 1 else label
            for label, values in zip(labels, params, strict=True)
        ]
    return labels
