"""Every file of the cache damaged in many places: the same command gives the same values, and goes on."""

import shutil
from pathlib import Path

import pytest
from damage import damages, put
from engine_world import World, bm25, hybrid, reranked, semantic, toy_model


def rankings(world: World, retrievers: list[object], question: str = "") -> list[object]:
    """What each retriever ranks, through the cache; with a question more, its index is opened, too."""
    asked = dict(world.queries)
    if question:
        world.queries["more"] = (question, ["en/tokens.md"])
    try:
        ran = world.sweep(*retrievers)  # type: ignore[arg-type]
        assert ran.errors == [None] * len(retrievers)
        return [ran.rankings(job) for job in range(len(retrievers))]
    finally:
        world.queries = asked


@pytest.mark.slow
@pytest.mark.parametrize("part", ["cache.db", "indexes"])
def test_no_damage_changes_a_ranking(tmp_path: Path, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    world = World(tmp_path)
    model = toy_model(tmp_path / "model")
    base = hybrid(bm25(), semantic(model))
    overlap = {"_target_": "engine_doubles.Overlap", "name": "overlap"}
    retrievers: list[object] = [bm25(), semantic(model), base, reranked(base, overlap)]
    question = "" if part == "cache.db" else "signed deliveries"
    expected = rankings(world.elsewhere(), retrievers, question)
    world.sweep(*retrievers)  # type: ignore[arg-type]
    sound = tmp_path / "sound"
    shutil.copytree(world.store, sound)
    root = world.store / "cache" / part
    files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
    assert files
    for path in files:
        for how, damaged in damages(path, 150 if part == "cache.db" else 6):
            put(path, damaged)
            assert rankings(world, retrievers, question) == expected, how
            said = capsys.readouterr().err.splitlines()
            assert all(line.startswith("note: ") for line in said if "it/s" not in line and "|" not in line), said
            shutil.rmtree(world.store)
            shutil.copytree(sound, world.store)
