"""The SQLite file of facts: what is put in comes out, or counts as missing, and never half."""

import re
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from runner.engine.cache import Cache, pair_key, text_key
from runner.engine.codec import pack_ranking, pack_vector, unpack_ranking, unpack_vectors

KEYS = [text_key(text) for text in ("refund", "退款", "")]
VALUES = [b"one", b"", b"three" * 100]


def filled(folder: Path, values: list[bytes] = VALUES) -> Cache:
    cache = Cache(folder)
    cache.put("space", "rankings", {"target": "檢索"}, zip(KEYS, values, strict=True))
    return cache


def test_what_was_put_comes_back_in_another_process_as_in_this_one(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        assert cache.get("space", KEYS) == dict(zip(KEYS, VALUES, strict=True))
    with Cache(tmp_path) as again:
        assert again.get("space", KEYS) == dict(zip(KEYS, VALUES, strict=True))
        assert again.identities("rankings") == [{"target": "檢索"}]


def test_an_empty_value_is_found_and_an_unknown_key_is_not(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        assert cache.get("space", [KEYS[1], text_key("never stored")]) == {KEYS[1]: b""}


def test_spaces_do_not_see_each_other(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        cache.put("other", "rankings", {}, [(KEYS[0], b"other")])
        assert cache.get("space", KEYS[:1]) == {KEYS[0]: b"one"}
        assert cache.get("other", KEYS) == {KEYS[0]: b"other"}
        assert cache.get("third", KEYS) == {}


def test_a_later_value_replaces_an_earlier_one(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        cache.put("space", "rankings", {}, [(KEYS[0], b"new")])
        assert cache.get("space", KEYS)[KEYS[0]] == b"new"


def test_more_keys_than_one_statement_takes_are_all_found(tmp_path: Path) -> None:
    keys = [text_key(str(number)) for number in range(1201)]
    with Cache(tmp_path) as cache:
        cache.put("space", "vectors", {}, ((key, key) for key in keys))
        assert cache.get("space", keys) == {key: key for key in keys}


@pytest.mark.parametrize(
    ("mode", "reads", "writes"),
    [("on", True, True), ("refresh", False, True), ("off", False, False), ("only", True, False)],
)
def test_a_mode_reads_and_writes_as_it_says(tmp_path: Path, mode: str, reads: bool, writes: bool) -> None:
    with filled(tmp_path):
        pass
    with Cache(tmp_path, mode) as cache:  # type: ignore[arg-type]
        assert bool(cache.get("space", KEYS)) is reads
        cache.put("space", "rankings", {}, [(KEYS[0], b"new")])
    with Cache(tmp_path) as after:
        assert (after.get("space", KEYS)[KEYS[0]] == b"new") is writes


@pytest.mark.parametrize("mode", ["off", "only", "on"])
def test_reading_from_nothing_makes_no_file(tmp_path: Path, mode: str) -> None:
    with Cache(tmp_path / "cache", mode) as cache:  # type: ignore[arg-type]
        assert cache.get("space", KEYS) == {}
        assert cache.identities("rankings") == []
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_record_counts_as_missing_and_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with filled(tmp_path) as cache:
        path = cache.path
    content = path.read_bytes()
    assert content.count(b"threethree") > 0
    path.write_bytes(content.replace(b"threethree", b"threeTHREE", 1))
    with Cache(tmp_path) as cache:
        assert cache.get("space", KEYS) == {KEYS[0]: b"one", KEYS[1]: b""}
    assert re.fullmatch(r"note: 1 damaged record.*cache\.db are computed again.*\n", capsys.readouterr().err)


def test_a_record_under_a_damaged_key_is_not_taken_for_another(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        path = cache.path
    other = bytes([KEYS[0][0] ^ 1]) + KEYS[0][1:]
    path.write_bytes(path.read_bytes().replace(KEYS[0], other))
    with Cache(tmp_path) as cache:
        assert cache.get("space", [other]) == {}


def test_facts_are_not_taken_for_those_of_a_space_whose_name_a_flip_makes(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        path = cache.path
    path.write_bytes(path.read_bytes().replace(b"space", b"spacd"))
    with Cache(tmp_path) as cache:
        assert cache.get("spacd", KEYS) == {}


def test_facts_of_one_space_are_not_taken_for_those_of_another(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        cache.put("other", "rankings", {}, [(KEYS[0], b"other")])
    connection = sqlite3.connect(cache.path)
    connection.executescript(
        "UPDATE space SET number = 9 WHERE number = 1; UPDATE space SET number = 1 WHERE number = 2"
    )
    connection.close()
    with Cache(tmp_path) as cache:
        assert cache.get("other", KEYS) == {}


def damage_all(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "no database":
        content[:] = b"not a database, but long enough to be looked at " * 50
    elif how == "broken pages":
        content[4096:] = b"\xff" * (len(content) - 4096)
    elif how == "another format":
        content[60:64] = (99).to_bytes(4, "big")
    elif how == "no tables":
        content[:] = content.replace(b"CREATE TABLE record", b"CREATE TABLE recorf")
    elif how == "cut":
        del content[len(content) // 2 :]
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("how", ["no database", "broken pages", "another format", "no tables", "cut"])
@pytest.mark.parametrize("use", ["get", "put", "identities"])
def test_an_unusable_file_is_put_aside_and_made_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str, use: str
) -> None:
    with filled(tmp_path, [b"x" * 30_000] * 3) as cache:
        path = cache.path
    damage_all(path, how)
    with Cache(tmp_path) as cache:
        if use == "get":
            assert cache.get("space", KEYS) == {}
        elif use == "identities":
            assert cache.identities("rankings") == []
        cache.put("space", "rankings", {}, [(KEYS[0], b"new")])
        assert cache.get("space", KEYS) == {KEYS[0]: b"new"}
    aside = [each.name for each in tmp_path.iterdir() if each.suffix == ".db" and each != path]
    assert aside == (["cache.format-99.db"] if how == "another format" else ["cache.damaged.db"])
    assert re.fullmatch(rf"note: .*it is put aside as {aside[0]}.*\n", capsys.readouterr().err)


def test_a_file_that_another_sweep_put_aside_is_not_put_aside_again(tmp_path: Path) -> None:
    with filled(tmp_path, [b"x" * 30_000] * 3) as cache:
        path = cache.path
    one, two = Cache(tmp_path), Cache(tmp_path)
    assert one.identities("rankings") == two.identities("rankings") != []
    damage_all(path, "broken pages")
    with one, two:
        one.put("space", "rankings", {}, [(KEYS[0], b"new")])
        assert two.get("space", KEYS) in ({}, {KEYS[0]: b"new"})
        assert one.get("space", KEYS) == {KEYS[0]: b"new"}
    with Cache(tmp_path) as after:
        assert after.get("space", KEYS) == {KEYS[0]: b"new"}


def test_a_vector_takes_little_more_than_its_numbers_on_the_disk(tmp_path: Path) -> None:
    count, size = 6_000, 1_024
    with Cache(tmp_path) as cache:
        for start in range(0, count, 500):
            keys = [text_key(str(number)) for number in range(start, start + 500)]
            cache.put("space", "vectors", {}, [(key, key * (size // 16)) for key in keys])
    taken = sum(each.stat().st_size for each in tmp_path.iterdir())
    assert taken <= 1.2 * count * size


def test_an_interrupted_transaction_leaves_nothing(tmp_path: Path) -> None:
    def stopped() -> Iterator[tuple[bytes, bytes]]:
        yield KEYS[0], b"half"
        raise KeyboardInterrupt

    with Cache(tmp_path) as cache:
        with pytest.raises(KeyboardInterrupt):
            cache.put("space", "rankings", {}, stopped())
        assert cache.get("space", KEYS) == {}
        assert cache.identities("rankings") == []
        cache.put("space", "rankings", {}, [(KEYS[0], b"whole")])
        assert cache.get("space", KEYS) == {KEYS[0]: b"whole"}


def test_a_process_killed_in_a_transaction_leaves_nothing(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom runner.engine.cache import Cache, text_key\n"
        "def items():\n    for n in range(5000):\n        yield text_key(str(n)), b'x' * 1000\n    os._exit(9)\n"
        "cache = Cache(Path(sys.argv[1]))\ncache.put('kept', 'rankings', {}, [(text_key('a'), b'whole')])\n"
        "cache.put('space', 'rankings', {}, items())\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=root, check=False)
    assert done.returncode == 9
    with Cache(tmp_path) as cache:
        assert cache.get("kept", [text_key("a")]) == {text_key("a"): b"whole"}
        assert cache.get("space", [text_key(str(number)) for number in range(5000)]) == {}


def test_two_caches_open_at_once_see_each_others_facts(tmp_path: Path) -> None:
    with Cache(tmp_path) as one, Cache(tmp_path) as two:
        one.put("space", "rankings", {}, [(KEYS[0], b"one")])
        two.put("space", "rankings", {}, [(KEYS[1], b"two")])
        two.put("other", "rankings", {}, [(KEYS[2], b"three")])
        for cache in (one, two):
            assert cache.get("space", KEYS) == {KEYS[0]: b"one", KEYS[1]: b"two"}
            assert cache.get("other", KEYS) == {KEYS[2]: b"three"}


def test_many_processes_may_make_the_same_cache_at_the_same_moment(tmp_path: Path) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom runner.engine.cache import Cache, text_key\n"
        "time.sleep(max(0, float(sys.argv[3]) - time.time()))\n"
        "for n in range(20):\n    with Cache(Path(sys.argv[1]) / str(n)) as cache:\n"
        "        cache.put('space', 'rankings', {}, [(text_key(sys.argv[2]), b'x')])\n"
    )
    import time

    start = str(time.time() + 1.5)
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(n), start], cwd=root, stderr=subprocess.PIPE)
        for n in range(4)
    ]
    errors = [process.communicate()[1].decode() for process in processes]
    assert [error for error in errors if error] == []
    for number in range(20):
        with Cache(tmp_path / str(number)) as cache:
            assert len(cache.get("space", [text_key(str(n)) for n in range(4)])) == 4


def test_deleting_the_file_loses_facts_and_nothing_else(tmp_path: Path) -> None:
    with filled(tmp_path) as cache:
        path = cache.path
    path.unlink()
    with warnings.catch_warnings(), Cache(tmp_path) as cache:
        warnings.simplefilter("error")
        assert cache.get("space", KEYS) == {}


def test_a_ranking_keeps_its_depth_rows_and_every_bit_of_its_scores() -> None:
    rows, scores = np.array([7, 0, 2**31 - 1], np.int32), np.array([1 / 3, -0.0, -1e300])
    depth, again, kept = unpack_ranking(pack_ranking(10, rows, scores))
    assert depth == 10
    assert again.tolist() == rows.tolist()
    assert kept.tobytes() == scores.tobytes()


def test_an_empty_ranking_keeps_its_depth() -> None:
    depth, rows, scores = unpack_ranking(pack_ranking(100, np.zeros(0, np.int32), np.zeros(0)))
    assert (depth, len(rows), len(scores)) == (100, 0, 0)


def test_vectors_come_back_as_rows() -> None:
    vectors = np.array([[0.1, -2.0], [0.0, 3e-39]], np.float32)
    assert unpack_vectors([pack_vector(vector) for vector in vectors]).tobytes() == vectors.tobytes()
    assert unpack_vectors([]).shape == (0, 0)


def test_keys_of_texts_are_the_first_half_of_their_sha256() -> None:
    assert text_key("").hex() == "e3b0c44298fc1c149afbf4c8996fb924"
    assert text_key("abc").hex() == "ba7816bf8f01cfea414140de5dae2223"


def test_texts_that_look_alike_have_keys_of_their_own() -> None:
    texts = ["é", "e\u0301", "refund", "refund ", "Refund", "退款", "退\u3000款", "\ud800"]
    assert len({text_key(text) for text in texts}) == len(texts)


def test_a_pair_is_not_its_reverse() -> None:
    assert pair_key(KEYS[0], KEYS[1]) != pair_key(KEYS[1], KEYS[0])
