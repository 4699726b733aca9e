"""What a sweep over cached rankings costs as a collection grows, and what the store takes on the disk.

    python benchmarks/warm.py FOLDER [PASSAGES]

Makes a collection in BEIR's layout in FOLDER (kept, and used again), by default of 400,000 passages, and a small one of
4,000 to hold it against; sweeps BM25 at four k over each, cold once and then warm, and prints the times, their ratio,
and the size of a cache of as many vectors of 256 numbers against that of the numbers.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from runner.engine.cache import Cache, text_key
from runner.engine.codec import pack_vector

SMALL, LARGE = 4_000, 400_000
WORDS, QUERIES, WARM = 30_000, 300, 3
DIMENSIONS = 256


def collection(folder: Path, passages: int) -> Path:
    """A seeded collection of pseudo-words, as frequent as words are, with one relevant passage a query."""
    target = folder / f"collection-{passages}"
    if (target / "qrels/test.tsv").exists():
        return target
    random = np.random.default_rng(13)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(random.choice(letters, size)) for size in random.integers(3, 10, WORDS)])
    shares = np.cumsum(1 / np.arange(2, WORDS + 2))
    shares /= shares[-1]
    (target / "qrels").mkdir(parents=True)
    queries, qrels = [], ["query-id\tcorpus-id\tscore"]
    asked = {int(row): number for number, row in enumerate(random.choice(passages, QUERIES, replace=False))}
    with (target / "corpus.jsonl").open("w") as corpus:
        for row in range(passages):
            text = words[np.searchsorted(shares, random.random(60))]
            title = " ".join(text[:5])
            corpus.write(json.dumps({"_id": f"d{row}", "title": title, "text": " ".join(text)}) + "\n")
            if row in asked:
                queries.append(json.dumps({"_id": f"q{asked[row]}", "text": " ".join(text[5:13])}))
                qrels.append(f"q{asked[row]}\td{row}\t1")
    (target / "queries.jsonl").write_text("\n".join(queries) + "\n")
    (target / "qrels/test.tsv").write_text("\n".join(qrels) + "\n")
    return target


def sweep(home: Path, data: Path) -> float:
    """Seconds of one sweep of four jobs, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "runner",
        "-m",
        "dataset=beir",
        f"dataset.path={data}",
        "retriever=bm25",
        "k=1,3,5,10",
        "latency.sample=0",
        "hydra.launcher.n_jobs=1",
    ]
    began = time.perf_counter()
    subprocess.run(command, check=True, env={**os.environ, "RUNNER_HOME": str(home)}, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def measured(folder: Path, data: Path) -> tuple[float, float]:
    """Seconds of a cold sweep, and the fewest of some warm ones."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        cold = sweep(Path(home), data)
        return cold, min(sweep(Path(home), data) for _ in range(WARM))


def size_of_vectors(folder: Path, count: int) -> float:
    """Bytes on the disk of a cache of that many vectors, by bytes of the numbers."""
    random = np.random.default_rng(13)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        with Cache(Path(place)) as cache:
            for start in range(0, count, 512):
                numbers = random.random((min(512, count - start), DIMENSIONS), np.float32)
                keys = [text_key(str(start + row)) for row in range(len(numbers))]
                cache.put("space", "vectors", {}, zip(keys, map(pack_vector, numbers), strict=True))
        return sum(each.stat().st_size for each in Path(place).iterdir()) / (count * DIMENSIONS * 4)


def main(folder: Path, passages: int) -> None:
    """Print the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{passages:,} vectors of {DIMENSIONS} numbers: {size_of_vectors(folder, passages):.3f} times their size")
    warm = []
    for count in (SMALL, passages):
        cold, again = measured(folder, collection(folder, count))
        warm.append(again)
        print(f"{count:,} passages: cold {cold:.1f} s, warm {again:.1f} s", flush=True)
    print(f"warm, {passages:,} against {SMALL:,} passages: {warm[1] / warm[0]:.2f} times")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else LARGE)
