"""Ways in which a stored file is damaged, the same ones in every run of the tests."""

import random
from collections.abc import Iterator
from pathlib import Path


def damages(path: Path, flips: int) -> Iterator[tuple[str, bytes | None]]:
    """What a file may hold instead, and how that is called: single bits flipped, cut in several places, gone."""
    content = path.read_bytes()
    chance = random.Random(path.name)
    for bit in sorted(chance.randrange(8 * len(content)) for _ in range(flips)) if content else ():
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        yield f"{path.name} bit {bit}", bytes(flipped)
    for length in (0, 1, len(content) // 2, len(content) - 1):
        yield f"{path.name} cut to {length}", content[:length]
    yield f"{path.name} gone", None


def put(path: Path, content: bytes | None) -> None:
    """Make a file hold this, or be gone."""
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
