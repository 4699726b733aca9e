"""What the commands beside `python -m runner` cannot use is one line with status 2, be it a setting or a file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from said import Said, assert_one_line

NINES = "9" * 5000
DEEP = "[" * 5000
BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))

# What is wrong: the command, its arguments, and what the message says.
ARGUMENTS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "rerun: a run that is not there": ("rerun", ("0" * 32,), ("0" * 32,)),
    "rerun: an alias of YAML": ("rerun", ("{run}", "seed=*a"), ("seed", "'*a'")),
    "rerun: a date": ("rerun", ("{run}", "k=2020-01-01"), ("k: ", "'2020-01-01'")),
    "rerun: two values": ("rerun", ("{run}", "k=1,3"), ("names several values",)),
    "rerun: a setting that is not there": ("rerun", ("{run}", "retriever.k9=1"), ("no setting 'retriever.k9'", "k1")),
    "rerun: a group as a value": ("rerun", ("{run}", "retriever=bm25"), ("group of settings",)),
    "rerun: what is kept": ("rerun", ("{run}", "suite.path=x"), ("keeps the stored suite",)),
    "rerun: a cache mode that is not there": ("rerun", ("{run}", "cache=maybe"), ("cache: ", "'maybe'")),
    "rerun: a word without =": ("rerun", ("{run}", "again"), ("name=value",)),
    "rerun: a relative store": ("rerun", ("{run}", "store=plain"), ("store: expected an absolute path",)),
    "rerun: an interpolation that is not there": ("rerun", ("{run}", "k=${nope}"), ("k: ", "'nope' not found")),
    "accept: a relative store": ("accept", ("{run}", "store=plain"), ("store: expected an absolute path",)),
    "accept: a store that is a file": ("accept", ("{run}", "store={desk}/file.txt"), ("file.txt is not a folder",)),
    "accept: a run that is not there": ("accept", ("nope",), ("nope",)),
    "accept: another setting": ("accept", ("{run}", "k=3"), ("unknown setting",)),
    "accept: a reason that is not UTF-8": ("accept", ("{run}", "--why", "\udcff"), ("UTF-8",)),
    "compare: a relative database": (
        "compare",
        ("{run}", "{other}", "tracking.uri=sqlite:///x.db"),
        ("tracking.uri: expected",),
    ),
    "compare: a store of an unknown kind": ("compare", ("{run}", "{other}", "tracking.uri=x"), ("tracking.uri: ",)),
    "compare: a metric that is not there": ("compare", ("{run}", "{other}", "--metric", "f1"), ("'f1'",)),
    "compare: a level of 2": ("compare", ("{run}", "{other}", "--level", "2"), ("level: ", "found '2'")),
    "compare: a level of nan": ("compare", ("{run}", "{other}", "level=nan"), ("level: ", "found 'nan'")),
    "compare: a negative seed": ("compare", ("{run}", "{other}", "--seed", "-1"), ("seed: ", "found '-1'")),
    "compare: k of 0": ("compare", ("{run}", "{other}", "--k", "0"), ("k=0",)),
    "compare: a report into a file": ("compare", ("{run}", "{other}", "--out", "file.txt"), ("file.txt",)),
    "compare: a report where nothing can be": ("compare", ("{run}", "{other}", "--out", "/proc/nope"), ("/proc/nope",)),
    "gate: a policy that is not there": ("gate", ("{run}", "gate=relaese"), ("'relaese'", "release")),
    "gate: a file that is not there": ("gate", ("{run}", "gate=own.yaml"), ("'own.yaml'", "not there")),
    "gate: a policy that is nothing": ("gate", ("{run}", "gate=null"), ("gate=null",)),
    "gate: a seed that is text": ("gate", ("{run}", "gate.seed=x"), ("seed", "'x'")),
    "gate: a billion resamples": ("gate", ("{run}", "gate.resamples=1000000000"), ("resamples", "1000000")),
    "gate: a rule's setting": ("gate", ("{run}", "gate.rules.0.k=3"), ("a rule is changed in a file",)),
    "gate: a baseline that is not there": ("gate", ("{run}", "--baseline", "nope"), ("nope",)),
    "choose: a sweep that is not there": ("choose", ("nope",), ("nope",)),
    "choose: a budget of nothing": ("choose", ("nope", "gate.budget.context_tokens=0"), ("context_tokens",)),
    "choose: a budget of nan": ("choose", ("nope", "gate.budget.context_tokens=nan"), ("context_tokens",)),
    "trend: no suite": ("trend", ("k=3",), ("suite=NAME is missing",)),
    "trend: k as text": ("trend", ("suite=team", "k=x"), ("k: ", "'x'")),
    "trend: k of 5,000 digits": ("trend", ("suite=team", f"k={NINES}"), ("k",)),
    "trend: a unit that is not there": ("trend", ("suite=team", "unit=page"), ("unit: ", "'page'")),
    "trend: a metric that is not there": ("trend", ("suite=team", "metric=f1"), ("f1",)),
    "trend: a level of 7": ("trend", ("suite=team", "--level", "7"), ("level",)),
    "trend: a negative seed": ("trend", ("suite=team", "--seed", "-1"), ("seed: ", "found '-1'")),
    "trend: a suite nobody accepted": ("trend", ("suite=核心",), ("核心",)),
    "lineage: a file that is not there": ("lineage", ("gone.jsonl",), ("gone.jsonl", "not found")),
    "lineage: a snapshot that is not there": ("lineage", ("{file}", "--snapshot", "nope"), ("nope",)),
    "lineage: a rate that is none": ("lineage", ("{file}", "--min", "existence=x"), ("existence",)),
    "lineage: a check that is not there": ("lineage", ("{file}", "--min", "truth=1"), ("truth",)),
    "lineage: an empty experiment": ("lineage", ("{file}", "experiment= "), ("experiment= is empty",)),
    "drill: a suite that is not there": ("drill", ("suite=croe",), ("suite/croe", "'core'")),
    "drill: an interpolation to itself": ("drill", ("k=${k}",), ("k: ",)),
    "drill: two retrievers": ("drill", ("retriever=bm25,hybrid",), ("names several values",)),
    "snapshot build: no pages": ("snapshot", ("build", "dataset=pages"), ("dataset.path",)),
    "snapshot build: a name that is dots": (
        "snapshot",
        ("build", "dataset=pages", "dataset.path=manual", "--name", ".."),
        ("'..'",),
    ),
    "snapshot build: a name with a slash": (
        "snapshot",
        ("build", "dataset=pages", "dataset.path=manual", "--name", "a/b"),
        ("'a/b'",),
    ),
    "snapshot build: a name that is not UTF-8": (
        "snapshot",
        ("build", "dataset=pages", "dataset.path=manual", "--name", "\udcff"),
        ("is not UTF-8",),
    ),
    "snapshot show: what is not there": ("snapshot", ("show", "nope"), ("nope",)),
    "snapshot diff: what is not there": ("snapshot", ("diff", "nope", "nope2"), ("nope",)),
    "snapshot list: a relative store": ("snapshot", ("list", "store=plain"), ("store: expected an absolute path",)),
    "judgments check: a suite that is not there": ("judgments", ("check", "gone.yaml"), ("gone.yaml", "not found")),
    "judgments check: a name that is not there": ("judgments", ("check", "croe"), ("croe",)),
    "judgments freeze: a folder": ("judgments", ("freeze", "manual", "--why", "x"), ("is a folder",)),
    "judgments candidates: nothing to look at": ("judgments", ("candidates",), ("name a source",)),
    "judgments candidates: a depth of 0": (
        "judgments",
        ("candidates", "--failures", "{run}", "--depth", "0"),
        ("depth: ", "found '0'"),
    ),
}


def filled(argument: str, run_ids: tuple[str, str], file: Path) -> str:
    first, other = run_ids
    return argument.replace("{run}", first).replace("{other}", other).replace("{file}", str(file))


@pytest.mark.parametrize("what", ARGUMENTS)
def test_arguments_that_cannot_be_used_are_one_line(
    say: Callable[..., Said], run_ids: tuple[str, str], tmp_path: Path, what: str
) -> None:
    module, arguments, words = ARGUMENTS[what]
    (tmp_path / "a.jsonl").write_text('{"query_id": "q1", "retrieved": ["limits.md"], "cited": []}\n')
    named = [filled(each, run_ids, tmp_path / "a.jsonl") for each in arguments]
    assert_one_line(say(f"runner.{module}", *named), *words)


RULES = "rules:\n  - {name: n, pattern: %s, replacement: x}\n"
ROW = '{"query_id": "q1", "id": "limits.md", "grade": %s, "annotator": "wei"}\n'
FILES: dict[str, tuple[str, tuple[str, ...], str, tuple[str, ...]]] = {
    "gate: a policy of aliases": ("own.yaml", ("gate", "{run}", "gate={file}"), BOMB, ("more than 100,000 values",)),
    "gate: a policy nested deep": ("own.yaml", ("gate", "{run}", "gate={file}"), f"rules: {DEEP}", ("100 levels",)),
    "gate: a policy that is broken": ("own.yaml", ("gate", "{run}", "gate={file}"), "a: [", ("own.yaml:1: not YAML",)),
    "gate: a report into a file": (
        "own.yaml",
        ("gate", "{run}", "gate={file}", "--out", "file.txt"),
        "rules: [{name: n, metric: recall, min: 0.1, min_queries: 1}]",
        ("file.txt", "name a place"),
    ),
    "gate: a policy of no rules": ("own.yaml", ("gate", "{run}", "gate={file}"), "rules: []", ("rules",)),
    "rules of aliases": (
        "r.yaml",
        ("judgments", "candidates", "--failures", "{run}", "--rules", "{file}"),
        BOMB,
        ("more than 100,000",),
    ),
    "rules that are no pattern": (
        "r.yaml",
        ("judgments", "candidates", "--failures", "{run}", "--rules", "{file}"),
        RULES % "'('",
        ("r.yaml:2", "no regular expression"),
    ),
    "a suite of aliases": ("s.yaml", ("judgments", "check", "{file}"), BOMB, ("s.yaml:6", "more than 100,000 values")),
    "a suite nested deep": ("s.yaml", ("judgments", "check", "{file}"), f"name: {DEEP}", ("s.yaml:1", "100 levels")),
    "a suite of a null key": ("s.yaml", ("judgments", "check", "{file}"), "name: x\n~: 1\n", ("s.yaml:2", "null")),
    "a suite that holds itself": ("s.yaml", ("judgments", "check", "{file}"), "name: &a [*a]", ("s.yaml:1", "*a")),
    "a suite whose name is too long": (
        "s.yaml",
        ("judgments", "check", "{file}"),
        f"name: {'x' * 501}\nunit: document\n",
        ("501", "at most 500"),
    ),
    "imported digits": (
        "i.jsonl",
        ("judgments", "import", "team.yaml", "{file}"),
        ROW % NINES,
        ("i.jsonl:1", "5,000 digits"),
    ),
    "imported brackets": ("i.jsonl", ("judgments", "import", "team.yaml", "{file}"), DEEP, ("i.jsonl:1", "deeply")),
    "imported half characters": (
        "i.jsonl",
        ("judgments", "import", "team.yaml", "{file}"),
        ROW % '"\\ud800"',
        ("i.jsonl:1", "half of a pair"),
    ),
    "imported digits of a spreadsheet": (
        "i.csv",
        ("judgments", "import", "team.yaml", "{file}"),
        f"query_id,id,grade,annotator\nq1,limits.md,{NINES},w\n",
        ("i.csv:2", "expected a whole number"),
    ),
    "imported tasks nested deep": (
        "i.json",
        ("judgments", "import", "team.yaml", "{file}"),
        f"[{DEEP}",
        ("i.json:1", "deeply"),
    ),
    "answers nested deep": ("a.jsonl", ("lineage", "{file}"), DEEP, ("a.jsonl:1", "deeply")),
    "answers of many digits": ("a.jsonl", ("lineage", "{file}"), f'{{"query_id": {NINES}}}', ("a.jsonl:1", "digits")),
    "answers that are NaN": ("a.jsonl", ("lineage", "{file}"), '{"query_id": NaN}', ("a.jsonl:1", "NaN")),
    "answers of half a character": (
        "a.jsonl",
        ("lineage", "{file}"),
        '{"query_id": "\\ud800", "retrieved": [], "cited": []}',
        ("half of a pair",),
    ),
}


@pytest.mark.parametrize("what", FILES)
def test_files_that_cannot_be_used_are_told_by_line(
    say: Callable[..., Said], run_ids: tuple[str, str], tmp_path: Path, what: str
) -> None:
    name, (module, *arguments), text, words = FILES[what]
    (tmp_path / name).write_text(text)
    named = [filled(each, run_ids, tmp_path / name) for each in arguments]
    assert_one_line(say(f"runner.{module}", *named), *words)
