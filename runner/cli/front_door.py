"""The words after `python -m runner`: which command they mean, and what the program says of itself."""

from collections.abc import Iterator, Sequence

from runner import plugins
from runner.cli.commands import ALIASES, COMMANDS, GROUPS, PROGRAM, named
from runner.cli.loading import command, run_group
from runner.configuration.settings import conf_choices, conf_directory
from runner.errors import ConfigError
from runner.files.nearest import did_you_mean
from runner.rendering.terminal import aligned

# The sweep itself, which needs no name: what each of these puts before the settings.
SWEEPS = {"run": (), "sweep": ("-m",)}
_SWEEP_ROWS = (
    ("[run] NAME=VALUE ...", "Run one variant of a retriever and record its scores."),
    ("sweep NAME=A,B ...", "Run every combination of the values as one plan; -m NAME=A,B ... is the same."),
)
_EXAMPLES = (
    ("-m retriever=bm25,hybrid,reranked k=1,3,5,10", "compare retrievers and cuts on the demo"),
    ("-m dataset=pages dataset.path=docs/ dataset.suite=questions.yaml", "on your own pages"),
    ("-m experiment=release gate=release", "sweep, then judge every run by a policy"),
    ("-m ... dry_run=true", "print the plan and stop"),
)


def enter(given: Sequence[str]) -> list[str]:
    """Run the command that these words name, and exit; or return the words for the sweep, which is the rest of it."""
    first = given[0] if given else ""
    if first in SWEEPS:
        return [*SWEEPS[first], *given[1:]]
    if found := named(given):
        command(found[0])(found[1])
    if first in GROUPS:
        run_group(first, given[1:])
    if first and first[0] not in "-+~" and "=" not in first:
        known = [*SWEEPS, *GROUPS, *ALIASES, *(name for name in COMMANDS if " " not in name)]
        near = did_you_mean(first, known)
        raise ConfigError(f"unknown command {first!r}{near if 'mean' in near else ''}; {PROGRAM} --help lists them all")
    if any(word in ("-h", "--help") for word in given):
        print("\n".join(front_help()))
        raise SystemExit(0)
    if "--version" in given:
        print(f"retrieval-runner {own_version()}")
        raise SystemExit(0)
    return list(given)


def own_version() -> str:
    """The version of this program, as installed."""
    from runner.tracking.provenance import program_version

    return program_version()


def front_help() -> Iterator[str]:
    """What `python -m runner --help` prints: every command, how to sweep, and the choices of conf/."""
    yield f"usage: {PROGRAM} [COMMAND] [NAME=VALUE ...]"
    yield ""
    yield "Run retrieval experiments: sweep variants over judged questions, record every score, repeat any run."
    yield ""
    yield "commands"
    yield from aligned([*_SWEEP_ROWS, *((name, entry.about) for name, entry in COMMANDS.items())])
    yield ""
    yield "examples"
    yield from aligned([(f"{PROGRAM} {words}", told) for words, told in _EXAMPLES], most=70)
    yield ""
    yield "choices of a run or sweep"
    yield from aligned(list(choices()))
    yield ""
    yield f"{PROGRAM} COMMAND --help shows a command's settings, and {PROGRAM} run --help those of a run and a sweep."
    yield "exit status: 0 done; 1 a job failed or a gate blocked; 2 the input or the configuration is wrong"


def choices() -> Iterator[tuple[str, str]]:
    """Every group of conf/ with the names in it, those of installed packages among them."""
    brought = {(group, name) for group, name, _ in plugins.choices()}
    for folder in sorted(conf_directory().iterdir()):
        if folder.is_dir() and folder.name != "anonymise":
            names = {*conf_choices(folder.name), *(name for group, name in brought if group == folder.name)}
            yield f"{folder.name}=", ", ".join(sorted(names))
