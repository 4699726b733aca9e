"""Parts chosen by their own name: `embedder=mine` for every embedder of the retriever, wherever it stands in it.

The files of conf/ say where parts stand: `/embedder@embedder: wordllama` in the defaults of a retriever is a place for
an embedder, and Hydra tells of every such place, with its path, in the choices of a composed configuration. A part is
put wherever a place bears the name of its folder; one under another name (the token vectors of a reranker) is chosen
by its place alone: `embedder@retriever.reranker.embedding=...`.
"""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf, open_dict

KINDS = ("embedder", "reranker", "analyzer", "fusion")


def places_of(choices: Mapping[str, Any], chosen: Iterable[Override]) -> dict[str, tuple[str, ...]]:
    """By kind, the paths at which a composed configuration has such a part, less those that an override names."""
    named = {f"{each.key_or_group}@{each.package}" for each in chosen if each.package is not None}
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for choice, value in choices.items():
        kind, at, path = choice.partition("@")
        if kind in found and at and path.endswith(f".{kind}") and value is not None and choice not in named:
            found[kind].append(path)
    return {kind: tuple(paths) for kind, paths in found.items()}


def place_parts(job: DictConfig, choices: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> None:
    """Move every part that stands at the top to all its places; what is only set there, say by an experiment, too."""
    for kind in KINDS:
        if job.get(kind) is None:
            continue
        part = job[kind]
        for path in places[kind]:
            parent, _, name = path.rpartition(".")
            node = OmegaConf.select(job, parent)
            if node is None:
                continue
            with open_dict(node):
                node[name] = copy.deepcopy(part) if choices.get(kind) else OmegaConf.merge(node[name], part)
        if places[kind] or choices.get(kind):
            with open_dict(job):
                del job[kind]


def at_places(override: Override, places: Mapping[str, Sequence[str]]) -> list[Override] | None:
    """`embedder.batch_size=8` as it reads at every place of an embedder; None for another kind of override."""
    kind, dot, rest = override.key_or_group.partition(".")
    if kind not in KINDS or not dot:
        return None
    return [replace(override, key_or_group=f"{path}.{rest}") for path in places[kind]]
