"""Every setting of `python -m runner` that cannot be used is refused with status 2, before anything is computed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from said import Said, assert_one_line

TEAM = ("dataset=pages", "dataset.path=manual", "dataset.suite=team.yaml", "hydra.launcher.n_jobs=1")
HYBRID = (*TEAM, "retriever=hybrid")
RERANKED = (*TEAM, "retriever=reranked")

# What is wrong: the arguments, and what the message says.
REFUSED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # The command line itself.
    "an unknown option": (("--foo",), ("unknown option '--foo'", "did you mean '--info'")),
    "a misspelt option": (("--multirn", "k=1,2"), ("unknown option '--multirn'", "'--multirun'")),
    "an option without its value": (("--config-dir",), ("--config-dir", "expected one argument")),
    "an unknown kind of configuration": (("--cfg", "jobs"), ("--cfg", "invalid choice: 'jobs'")),
    "a configuration of a sweep": (("-m", "--cfg", "job"), ("--cfg shows one job",)),
    "a configuration name that is not there": (("--config-name", "nope"), ("--config-name nope", "known: config")),
    "a configuration folder that is not there": (("--config-dir", "nope"), ("--config-dir nope: is not a folder",)),
    "a configuration folder that is a file": (("--config-dir", "file.txt"), ("file.txt: is not a folder",)),
    "a pickled run": (("--experimental-rerun", "x.pkl"), ("pickled", "python -m runner rerun")),
    "a word without =": (("retriever",), ("'retriever'", "key=value")),
    "bytes that are not UTF-8": (("retriever.name=\udcff",), ("is not UTF-8",)),
    "a quote that is not closed": (('retriever.name="x',), ("check its brackets",)),
    "a bracket that is not closed": (("retriever.hide=[a",), ("check its brackets",)),
    "brackets 3,000 deep": (("k=" + "[" * 3000,), ("cannot read the setting", "...")),
    "a name with brackets": (("retriever[0]=1",), ("'retriever[0]' is no name of a setting",)),
    "a function that is not there": (("k=rnge(1,3)",), ("check its brackets",)),
    "a misspelt setting": (("embeder=mine",), ("there is no setting 'embeder'; did you mean 'embedder'?",)),
    "a misspelt setting of a part": (
        ("retriever.k2=1",),
        ("there is no setting 'retriever.k2'; did you mean 'retriever.k1'? (+retriever.k2=... adds one)",),
    ),
    # Sweeps.
    "one fault of all jobs": (("-m", "k=1,3", "retriever.k2=1"), ("error: there is no setting 'retriever.k2'",)),
    "a sweep without -m": (("k=1,3",), ("add -m",)),
    "a sweep of nothing": (("-m", "k=range(5,1)"), ("k=range(5,1): names no value",)),
    "a pattern that no file has": (("-m", "retriever=glob(z*)"), ("names no value",)),
    "99,999 jobs": (("-m", "k=range(1,100000)"), ("99,999 jobs", "hydra.sweeper.max_jobs=99999")),
    "a billion billion jobs": (
        ("-m", "k=range(1,1000000000)", "seed=range(1,1000000000)"),
        ("jobs, and at most 10,000",),
    ),
    "a range that never ends": (("-m", "k=range(1,inf)"), ("finite numbers",)),
    "a range of steps of 0": (("-m", "retriever.b=range(0.1,0.5,0.0)"), ("a step not 0",)),
    "an interval": (("-m", "retriever.b=interval(0,1)"), ("an interval has no end of values",)),
    "a list where a sweep was meant": (("k=[1,3]",), ("k: a list is one job", "-m")),
    # Interpolations.
    "a setting that is itself": (("k=${k}",), ("k: ",)),
    "a setting that is not there": (("k=${nope}",), ("k: ", "'nope' not found")),
    "two settings that are each other": (("k=${depth}", "depth=${k}"), ("k: ",)),
    "a variable that is not set": (("pool=${oc.env:NOPE}",), ("pool: ", "'NOPE' not found")),
    "a resolver that is not there": (("seed=${nope:1}",), ("seed: ", "nope")),
    "half an interpolation": (("seed=${k",), ("${k",)),
    "a launcher's setting that is not there": (("hydra.launcher.n_jobs=${nope}",), ("nope",)),
    # Numbers and choices.
    "k of 0": (("k=0",), ("k: ", "found 0")),
    "k of -1": (("k=-1",), ("k: ", "found -1")),
    "k as text": (("k=many",), ("k: ", "found 'many'")),
    "k as a date": (("k=2020-01-01",), ("k: ", "'2020-01-01'")),
    "k with a fraction": (("k=1.5",), ("k: ", "found 1.5")),
    "k beyond the depth": (("k=101",), ("depth=101",)),
    "k of 40 digits": (("k=" + "9" * 40, "depth=" + "9" * 40), ("k: ",)),
    "k that is null": (("k=null",), ("k: ", "found None")),
    "k that is true": (("k=true",), ("k: ", "found True")),
    "a negative seed": (("seed=-1",), ("seed: ",)),
    "a seed of 40 digits": (("seed=" + "9" * 40,), ("seed: ",)),
    "an empty curve": (("curve=[]",), ("curve: ", "at least 1")),
    "a curve through 0": (("curve=[0,1]",), ("curve.0: ",)),
    "a cache mode that is not there": (("cache=maybe",), ("cache: ", "'maybe'")),
    "a history mode that is not there": (("history=drop",), ("history: ", "'drop'")),
    "a resume that is no truth": (("resume=perhaps",), ("resume: ", "'perhaps'")),
    "latency below 0 seconds": (("latency.seconds=-1",), ("latency.seconds: ", "found -1")),
    "latency of nan seconds": (("latency.seconds=nan",), ("latency.seconds: ", "found nan")),
    "latency without end": (("latency.seconds=inf",), ("latency.seconds: ", "found inf")),
    "a negative sample": (("latency.sample=-3",), ("latency.sample: ", "found -3")),
    "a billion resamples": (("intervals.resamples=1000000000",), ("intervals.resamples: ", "1000000")),
    "three resamples": (("intervals.resamples=3",), ("intervals.resamples: ", "100")),
    "a level of 1": (("intervals.level=1.0",), ("intervals.level: ", "found 1.0")),
    "a level of nan": (("intervals.level=nan",), ("intervals.level: ", "found nan")),
    "an interval method that is not there": (("intervals.method=t",), ("intervals.method: ", "'bca'")),
    "windows of no days": (("slicing.freshness.days=[0]",), ("slicing.freshness.days.0: ",)),
    "a name that is no setting": (("kk=3",), ("kk",)),
    "a setting that is not there, added": (("+kk=3",), ("unknown setting 'kk'", "did you mean 'k'")),
    "a section instead of its setting": (("latency=3",), ("latency",)),
    "an empty mapping": (("retriever=reranked", "retriever.mix={}"), ("an empty mapping changes nothing",)),
    # Places.
    "no store for runs": (("tracking.uri=",), ("tracking.uri: expected sqlite:///FILE", "found ''")),
    "a store of an unknown kind": (("tracking.uri=bogus://x",), ("tracking.uri: expected", "'bogus://x'")),
    "a store for runs that is a path": (("tracking.uri=/tmp/mlflow.db",), ("tracking.uri: expected sqlite:///FILE",)),
    "a relative database": (("tracking.uri=sqlite:///mlflow.db",), ("tracking.uri: expected",)),
    "a database that is a folder": (("tracking.uri=sqlite:///{desk}",), ("is a folder; expected an SQLite file",)),
    "a database below a file": (("tracking.uri=sqlite:///{desk}/file.txt/x.db",), ("file.txt is not a folder",)),
    "a store that is a device": (("store=/dev/null",), ("store: /dev/null is not a folder",)),
    "a store that is a file": (("store={desk}/file.txt",), ("file.txt is not a folder",)),
    "a store below a file": (("store={desk}/file.txt/sub",), ("file.txt is not a folder",)),
    "a relative store": (("store=plain",), ("store: expected an absolute path",)),
    "a store with a null character": (("store=/tmp/a\0b",), ("store: ",)),
    "a store where nothing can be made": ((*TEAM, "store=/proc/nope"), ("/proc/nope",)),
    "an experiment of 501 letters": (("tracking.experiment=" + "x" * 501,), ("tracking.experiment: ", "500")),
    "an experiment of two lines": (("tracking.experiment=a\nb",), ("tracking.experiment: ", "one line")),
    "Hydra's own folder where nothing can be": (("hydra.run.dir=/proc/x",), ("/proc/x",)),
    # How it is run.
    "a backend that joblib does not know": (
        (*TEAM, "hydra.launcher.backend=foo"),
        ("joblib knows no 'foo'", "loky"),
    ),
    "no worker": ((*TEAM, "hydra.launcher.n_jobs=0"), ("hydra.launcher.n_jobs", "found 0")),
    "workers as text": (("hydra.launcher.n_jobs=all",), ("n_jobs", "all")),
    "a launcher that is not there": (("hydra/launcher=nope",), ("hydra/launcher", "nope")),
    # Choices of files.
    "a retriever that is not there": (("retriever=bm52",), ("retriever/bm52", "'bm25'")),
    "a group that is null": (("retriever=null",), ("a group cannot be null",)),
    "an experiment that is not there": (("experiment=relese",), ("experiment/relese", "'release'")),
    "a gate that is not there": (("gate=relaese",), ("relaese", "release")),
    "a part at a place that is not there": (("analyzer@retriever.analyser=plain",), ("analy",)),
    # Parts.
    "weights of which one is missing": (
        (*HYBRID, "retriever.fusion.weights={bm25: 1}"),
        ("fusion weights lack semantic",),
    ),
    "weights that are all 0": (
        (*HYBRID, "retriever.fusion.weights={bm25: 0, semantic: 0}"),
        ("no fusion weight is above 0",),
    ),
    "weights of a stranger": (
        (*HYBRID, "retriever.fusion.weights={bm25: 1, semantic: 1, bm52: 1}"),
        ("fusion weights name bm52",),
    ),
    "a weight below 0": ((*HYBRID, "retriever.fusion.weights={bm25: 1, semantic: -1}"), ("weight of semantic is -1",)),
    "a weight that is text": ((*HYBRID, "retriever.fusion.weights={bm25: x, semantic: 1}"), ("retriever",)),
    "a hybrid of nothing": (
        (*HYBRID, "retriever.retrievers.bm25=null", "retriever.retrievers.semantic=null"),
        ("found no retriever",),
    ),
    "a mix of zeros": (
        (*RERANKED, "retriever.mix={reranker: 0, bm25: 0, semantic: 0}"),
        ("mix has no weight above 0",),
    ),
    "a mix with a stranger": ((*RERANKED, "+retriever.mix.bm52=1"), ("mix names bm52",)),
    "b beyond 1": ((*TEAM, "retriever.b=7"), ("retriever", "b")),
    "b that is nan": ((*TEAM, "retriever.b=nan"), ("retriever", "nan")),
    "k1 as text": ((*TEAM, "retriever.k1=x"), ("retriever.k1: expected float", "'x'")),
    "a parameter that is not there": ((*TEAM, "+retriever.k2=3"), ("k2", "it accepts:")),
    "a class that is not there": ((*TEAM, "retriever._target_=house.Gone"), ("cannot import 'house.Gone'",)),
    "a class without a module": ((*TEAM, "retriever._target_=Gone"), ("retriever._target_", "Gone")),
    "a target that is no text": ((*TEAM, "retriever._target_=7"), ("retriever._target_",)),
    "a part that is text": ((*TEAM, "retriever.analyzer=plain"), ("analyzer@retriever.analyzer=plain",)),
    "an experiment without a name": ((*TEAM, "dataset.name="), ("tracking.experiment: expected a name", "found ''")),
    "a chunker of no size": ((*TEAM, "chunker=window", "chunker.size=0"), ("chunker",)),
    "a chunker of a size beyond numbers": ((*TEAM, "chunker=window", f"chunker.size={'9' * 20}"), ("chunker.size",)),
    "an overlap beyond the size": ((*TEAM, "chunker=window", "chunker.size=50", "chunker.overlap=60"), ("overlap",)),
    # Data.
    "a retriever that was dropped": ((*TEAM, "~retriever"), ("retriever: field required",)),
    "pages that nobody named": (("dataset=pages",), ("dataset.path=...", "dataset.suite=...")),
    "pages that are not there": (("dataset=pages", "dataset.path=gone", "dataset.suite=team.yaml"), ("gone",)),
    "a suite that is not there": (("dataset=pages", "dataset.path=manual", "dataset.suite=gone.yaml"), ("gone.yaml",)),
    "a suite that is a folder": (("dataset=pages", "dataset.path=manual", "dataset.suite=manual"), ("is a folder",)),
    "a collection that is not there": (("dataset=beir", "dataset.path=gone"), ("gone", "not found")),
    "a recording that nobody named": (("retriever=recorded",), ("retriever.path=...",)),
    "a recording that is not there": ((*TEAM, "retriever=recorded", "retriever.path=gone.run"), ("gone.run",)),
    "several faulty jobs": (("-m", "k=0,1,200"), ("k=0: ",)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_setting_that_cannot_be_used_is_one_line(say: Callable[..., Said], what: str) -> None:
    arguments, words = REFUSED[what]
    said = say("runner", *arguments)
    if what == "several faulty jobs":
        assert said.status == 2
        assert said.err.splitlines()[0].startswith("error: k=0: ")
        assert said.err.splitlines()[1].startswith("k=200: ")
        return
    assert_one_line(said, *words)


FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "broken YAML": ("a: [1\nb: 2\n", ("bad.yaml:2: not YAML",)),
    "a key given twice": ("a: 1\na: 2\n", ("bad.yaml:2: not YAML (found duplicate key a)",)),
    "brackets 3,000 deep": ("a: " + "[" * 3000 + "]" * 3000, ("bad.yaml: nested too deeply",)),
    "an alias to itself": ("a: &a [*a]\n", ("bad.yaml:1: not YAML", "stands inside")),
    "a default that is not there": ("defaults:\n  - nope: x\n", ("retriever/bad", "nope/x")),
    "defaults that are no list": ("defaults: 3\n", ("defaults",)),
    "no node": ("a: 1\n", ("expected a node with _target_",)),
    "a list": ("- 1\n", ("retriever",)),
    "a tag of Python": ("a: !!python/object/apply:os.system [ls]\n", ("bad.yaml:1: not YAML",)),
}


@pytest.mark.parametrize("what", FILES)
def test_a_configuration_file_that_cannot_be_used_is_one_line(
    say: Callable[..., Said], tmp_path: Path, what: str
) -> None:
    text, words = FILES[what]
    (tmp_path / "retriever").mkdir()
    (tmp_path / "retriever/bad.yaml").write_text(text)
    assert_one_line(say("runner", "--config-dir", str(tmp_path), *TEAM, "retriever=bad"), *words)


def test_a_configuration_file_of_aliases_to_aliases_is_refused_at_once(
    say: Callable[..., Said], tmp_path: Path
) -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    (tmp_path / "retriever").mkdir()
    (tmp_path / "retriever/bad.yaml").write_text("\n".join(["a0: &a0 [x]", *levels]))
    said = say("runner", "--config-dir", str(tmp_path), "retriever=bad")
    assert_one_line(said, "bad.yaml:", "more than 100,000 values")


def test_a_configuration_file_that_is_not_utf_8_is_refused(say: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "retriever").mkdir()
    (tmp_path / "retriever/bad.yaml").write_bytes(b"a: \xff\n")
    assert_one_line(say("runner", "--config-dir", str(tmp_path), "retriever=bad"), "bad.yaml: is not UTF-8")
