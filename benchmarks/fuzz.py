"""Fuzz a reader with atheris: any bytes are read, or refused by one of the program's own errors, within seconds.

    pip install -e ".[fuzz]"
    python benchmarks/fuzz.py html --seconds 600     # or any other name of READERS; --list names them

Prints one line: the reader, executions, seconds, and what was found. A finding is any other exception, with the input
that made it kept in --keep, or an input that takes longer than --patience seconds.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Read = Callable[[Path], object]
PAGE = "---\nupdated: 2026-01-01\n---\n# Limits\n\nAt most **100** a minute.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
HTML = "<!doctype html><head><title>T</title><body><h1>L</h1><p>a&shy;b<br>c<table><tr><td>1<td>2</table><ul><li>x"
RST = (
    "Limits\n======\n\n.. note:: A note.\n\n* one\n* two\n\n=====  ====\na      b\n=====  ====\n1      2\n=====  ====\n"
)
NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "markdown", "source": ["# A\n", "b"], "metadata": {}}], "nbformat": 4, "metadata": {}}
)
BEIR = '{"_id":"d1","title":"T","text":"keys rotate","metadata":{"a":1}}\n{"_id":"d2","text":"發票日"}\n'
QUERIES = '{"query_id":"q1","text":"a?","relevant":["d1",{"id":"d2","grade":2,"annotator":"wei"}],"language":"en"}\n'
SPANS = (
    '{"query_id":"q1","text":"a?","relevant":[{"document":"d","quote":"x y"},{"document":"e","quote":"z","start":3}]}'
)
HEAD = "name: a\nunit: passage\nqueries: q.jsonl\nslices: [language]\nmin_grade: 1\n"
SPAN_HEAD = "name: a\nunit: span\nqueries: q.jsonl\n"
QRELS = "q1 0 d1 1\nq1 0 d2 -1\n"
RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 2.25 t\n"
CASES = '[{"query_id":"q1","relevant":["d1"],"retrieved":["d2","d1"]},{"query_id":"2","relevant":["a"],"retrieved":[]}]'
TOPICS = '<top>\n<num> Number: 301\n<title> day < 4 &amp; more\n</top>\n<topic number="1"><query>x</query></topic>'
CLICKS = "query,passage_id,rank,clicked,at\nhow?,d1,1,1,2026-01-01T10:00:00+00:00\n"
CANDIDATES = '{"query_id":"q1","text":"a?","id":"d1","kind":"failing","source":"synthetic","why":"x","priority":0.5}\n'
ANSWERS = (
    '{"answer_id":"a","query_id":"q","snapshot":"s","at":"2026-01-01T10:00:00+00:00","retrieved":["d"],"cited":["d"]}\n'
)
SHEET = "query_id,text,id,grade,annotator,at,note\nq1,a?,d1,2,wei,2026-01-01T10:00:00+00:00,x\n"
TASKS = (
    '[{"data":{"query_id":"q1","text":"a?","id":"d1","judgments":[{"grade":1,"annotator":"wei"}]},"annotations":[]}]'
)
POLICY = "name: a\ninconclusive: warn\nrules:\n  - {name: m, metric: recall, k: 5, slice: all, max_drop: 0.05}\n"
RULES = "rules:\n  - {name: mail, pattern: '[a-z]+@[a-z]+', replacement: MAIL, keep: ['a@b']}\n"
LEXICON = "速率限制 5\n每分鐘\n"


def _page(suffix: str) -> Read:
    from runner.documents import Pages

    def read(path: Path) -> object:
        page = path.with_name(f"page{suffix}")
        page.write_bytes(path.read_bytes())
        return Pages(page).read()

    return read


def _suite(head: str, *, fuzz_head: bool = False) -> Read:
    from runner.suite_formats import OwnSuite

    def read(path: Path) -> object:
        data = path.read_bytes()
        place = path.with_name("suite.yaml")
        place.write_bytes(data if fuzz_head else head.encode())
        path.with_name("q.jsonl").write_bytes(QUERIES.encode() if fuzz_head else data)
        return OwnSuite(place).read()

    return read


def _beir_suite(path: Path) -> object:
    from runner.suite_formats import BeirSuite

    (path.parent / "queries.jsonl").write_text('{"_id":"q1","text":"a"}\n{"_id":"q2","text":"b"}\n')
    return BeirSuite(path.parent, qrels=str(path)).read()


def _trec(topics: bool) -> Read:
    from runner.suite_formats import TrecSuite

    def read(path: Path) -> object:
        other = path.with_name("qrels")
        other.write_text("301 0 d1 1\n1 0 d1 1\n")
        return TrecSuite(path if topics else None, other if topics else path, negative="zero").read()

    return read


def _policy(path: Path) -> object:
    from runner.composition.policy_files import policy_of, read_policy_file

    return policy_of(read_policy_file(path), str(path))


def _readers() -> dict[str, tuple[Read, str]]:
    """Name -> what reads a file, and what such a file looks like."""
    from retrievers.lexicon import read_lexicon
    from retrievers.run_file import read_run
    from runner.annotation.candidates.anonymise import Rules
    from runner.annotation.candidates.candidate import read_candidates
    from runner.annotation.candidates.click_log import read_clicks
    from runner.annotation.exchange.pair_files import read_pairs
    from runner.citation_checks.answer_file import read_answers
    from runner.documents import Beir, Cases
    from runner.suite_formats import CasesSuite

    def renamed(read: Callable[[Path], object], name: str) -> Read:
        def under_its_name(path: Path) -> object:
            place = path.with_name(name)
            place.write_bytes(path.read_bytes())
            return read(place)

        return under_its_name

    return {
        "markdown": (_page(".md"), PAGE),
        "html": (_page(".html"), HTML),
        "rst": (_page(".rst"), RST),
        "notebook": (_page(".ipynb"), NOTEBOOK),
        "text": (_page(".txt"), PAGE),
        "mdx": (_page(".mdx"), PAGE),
        "beir_corpus": (renamed(lambda path: Beir(path.parent).read(), "corpus.jsonl"), BEIR),
        "cases": (lambda path: (Cases(path).read(), CasesSuite(path).read()), CASES),
        "suite": (_suite(HEAD), QUERIES),
        "span_suite": (_suite(SPAN_HEAD), SPANS),
        "suite_head": (_suite(HEAD, fuzz_head=True), HEAD),
        "beir_qrels": (_beir_suite, "query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
        "trec_qrels": (_trec(topics=False), QRELS),
        "trec_topics": (_trec(topics=True), TOPICS),
        "run_file": (lambda path: read_run(str(path)), RUN),
        "click_log": (read_clicks, CLICKS),
        "candidates": (read_candidates, CANDIDATES),
        "answers": (read_answers, ANSWERS),
        "sheet": (renamed(read_pairs, "pairs.csv"), SHEET),
        "label_studio": (renamed(read_pairs, "pairs.json"), TASKS),
        "policy": (_policy, POLICY),
        "anonymise": (lambda path: Rules.read(path), RULES),
        "lexicon": (lambda path: read_lexicon(str(path)), LEXICON),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--patience", type=int, default=30)
    parser.add_argument("--keep", type=Path, default=Path("fuzz"), help="a folder for the inputs of findings")
    parsed = parser.parse_args(arguments)

    import atheris

    with atheris.instrument_imports(include=["runner", "retrievers"]):
        readers = _readers()
    if parsed.list or parsed.reader not in readers:
        print("\n".join(readers))
        raise SystemExit(0 if parsed.list else 2)
    from retrievers.base import RetrievalError
    from runner.errors import RunnerError

    read, seed = readers[parsed.reader]
    # From a file that is refused, few others are reached.
    first = Path(tempfile.mkdtemp(prefix="fuzz-")) / "input"
    first.write_text(seed, "utf-8")
    read(first)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for number in range(len(seed) // 8):
        # The seed, and every shorter one: what a cut leaves is the first thing to try.
        (corpus / f"{number}").write_bytes(seed.encode()[: len(seed.encode()) - 8 * number])
    work = folder / "work"
    work.mkdir()
    found: dict[str, int] = {}
    counts = {"runs": 0, "read": 0, "refused": 0}
    slowest = [0.0]
    began = time.monotonic()

    def report() -> None:
        told = "; ".join(f"{what} ({times} times)" for what, times in found.items()) or "nothing found"
        seconds = time.monotonic() - began
        print(
            f"{parsed.reader}: {counts['runs']:,} executions in {seconds:.0f} s ({counts['read']:,} read, "
            f"{counts['refused']:,} refused), slowest {slowest[0]:.2f} s: {told}",
            flush=True,
        )

    def one(data: bytes) -> None:
        place = work / "input"
        place.write_bytes(data)
        counts["runs"] += 1
        start = time.monotonic()
        try:
            read(place)
            counts["read"] += 1
        except (RunnerError, RetrievalError):
            counts["refused"] += 1
        except Exception as error:
            what = _named(error)
            if what not in found:
                parsed.keep.mkdir(parents=True, exist_ok=True)
                (parsed.keep / f"{parsed.reader}-{len(found)}").write_bytes(data)
            found[what] = found.get(what, 0) + 1
        slowest[0] = max(slowest[0], time.monotonic() - start)
        if time.monotonic() - began > parsed.seconds:
            report()
            os._exit(1 if found else 0)

    options = [
        sys.argv[0],
        str(corpus),
        f"-timeout={parsed.patience}",
        "-max_len=4096",
        "-verbosity=0",
        "-rss_limit_mb=0",
    ]
    atheris.Setup(options, one)
    atheris.Fuzz()


def _named(error: BaseException) -> str:
    """The type and place of an exception: one fault is found many times."""
    trace: Any = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"{type(error).__name__} in {Path(code.co_filename).name}:{trace.tb_lineno}: {str(error)[:80]}"


if __name__ == "__main__":
    main()
