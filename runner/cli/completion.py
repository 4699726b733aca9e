"""`python -m runner completion SHELL`: complete commands, settings, choices and run ids with the tab key."""

import shlex
from collections.abc import Iterable, Sequence

from runner.cli.arguments import Arguments, Taken, setting, taken, words
from runner.cli.command import Command
from runner.cli.commands import ALIASES, COMMANDS, GROUPS, named
from runner.cli.front_door import SWEEPS, choices
from runner.cli.loading import command
from runner.configuration.settings import TrackingSettings, conf_choices
from runner.tracking.location import StoreLocation
from runner.tracking.run_ids import recent_run_ids

# Each hands over the line up to the cursor, and takes whole words; bash replaces only what stands after the last `=`.
_SCRIPTS = {
    "bash": """\
_retrieval_runner() {
    local line="${COMP_LINE:0:COMP_POINT}"
    local word="${line##* }"
    mapfile -t COMPREPLY < <(retrieval-runner completion bash "line=$line" 2>/dev/null)
    if [[ "$word" == *=* && "$COMP_WORDBREAKS" == *=* ]]; then COMPREPLY=("${COMPREPLY[@]#"${word%=*}="}"); fi
    if [[ "${COMPREPLY[0]}" == *[=.] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -o nosort -F _retrieval_runner retrieval-runner""",
    "zsh": """\
_retrieval_runner() {
    local -a found
    found=("${(@f)$(retrieval-runner completion zsh "line=$LBUFFER" 2>/dev/null)}")
    if [[ -n "$found" ]]; then compadd -Q -S '' -- $found; else _files; fi
}
compdef _retrieval_runner retrieval-runner""",
    "fish": """\
complete -c retrieval-runner -a '(retrieval-runner completion fish "line="(commandline -cp | string collect))'""",
}
_HOW = """\
Switch it on for this shell, or for every one by the same line in its start file:

  bash, ~/.bashrc   eval "$(retrieval-runner completion bash)"
  zsh, ~/.zshrc     eval "$(retrieval-runner completion zsh)"
  fish              retrieval-runner completion fish > ~/.config/fish/completions/retrieval-runner.fish
"""


class Asked(Arguments):
    """What the command takes."""

    shell: str = words("SHELL", "bash, zsh or fish")
    line: str | None = setting("print what could follow this line instead; the shell asks so", None)


def run(asked: Asked) -> int:
    """Print the script of a shell, or what could follow a line."""
    if asked.shell not in _SCRIPTS:
        from runner.errors import ConfigError

        raise ConfigError(f"SHELL: expected one of {', '.join(_SCRIPTS)}, found {asked.shell!r}")
    found = [_SCRIPTS[asked.shell]] if asked.line is None else completions(asked.line)
    if found:
        print("\n".join(found))
    return 0


def completions(line: str) -> list[str]:
    """The whole words that could stand where a line ends, from the program's own name on."""
    given = _split(line)
    if len(given) > 2 and given[1:3] == ["-m", "runner"]:
        given = given[2:]
    *before, word = given[1:] or [""]
    if not before and "=" not in word and not word.startswith(("-", "+", "~")):
        firsts = [*SWEEPS, *(name for name in COMMANDS if " " not in name), *GROUPS, *ALIASES]
        return _beginning(word, firsts) + _beginning(word, [key for key, _ in choices()]) or _of_sweep(word, [])
    if before and before[0] in GROUPS and len(before) == 1:
        return _beginning(word, [name.partition(" ")[2] for name in COMMANDS if name.startswith(f"{before[0]} ")])
    if found := named(before):
        arguments: type[Arguments] = command(found[0]).arguments
        return _of_command(word, found[1], taken(arguments))
    return _of_sweep(word, before[1:] if before and before[0] in SWEEPS else before)


def _of_command(word: str, before: Sequence[str], every: Sequence[Taken]) -> list[str]:
    settings = {each.name: each for each in every if each.role == "setting"}
    others = next((each for each in every if each.role == "others"), None)
    key, equals, value = word.partition("=")
    if equals and key in settings:
        each = settings[key]
        first, comma, last = value.rpartition(",") if each.many else ("", "", value)
        known = ["true", "false"] if each.kind is bool else each.known or _known(each.metavar, last, before)
        return [f"{key}={first}{comma}{name}" for name in _beginning(last, known)]
    if equals:
        return _of_sweep(word, []) if others and key.startswith(others.begins) else []
    found = _beginning(word, [f"{name}=" for name in settings])
    if others:
        found += _of_sweep(word, []) if not others.begins else _beginning(word, [f"{others.begins}="])
    places = [each for each in every if each.role == "word"]
    filled = sum("=" not in each for each in before)
    here = next((each for number, each in enumerate(places) if number == filled or each.many), None)
    return [*(_beginning(word, _known(here.metavar, word, before)) if here else []), *found]


def _known(metavar: str, word: str, before: Sequence[str]) -> Iterable[str]:
    """What there is to name of what a placeholder stands for."""
    kind = metavar.removesuffix(",...")
    if kind == "SHELL":
        return _SCRIPTS
    if kind == "SUITE":
        return conf_choices("suite")
    if kind == "RUN_ID":
        own = [each for each in before if each.startswith(("store=", "tracking.uri="))]
        return recent_run_ids(TrackingSettings(uri=StoreLocation.of(own).uri, experiment="").uri, word)
    return ()


def _of_sweep(word: str, before: Sequence[str]) -> list[str]:
    """Groups with their choices, each item of a list of them, and every key of the configuration."""
    groups = {key: names.split(", ") for key, names in choices()}
    key, _, value = word.partition("=")
    if f"{key}=" in groups and word != key:
        first, comma, last = value.rpartition(",")
        return [f"{key}={first}{comma}{name}" for name in _beginning(last, groups[f"{key}="])]
    # Late: a second of work, which only what stands deeper in the configuration is worth.
    from runner.composition.hydra_internals import completions_of
    from runner.composition.session import hydra_on_conf

    with hydra_on_conf() as loader:
        return completions_of(loader, "config", [each for each in before if not each.startswith("-")], word)


def _beginning(word: str, known: Iterable[str]) -> list[str]:
    return [name for name in known if name.startswith(word)]


def _split(line: str) -> list[str]:
    """The words of a line that is being typed: its quotes may still be open."""
    for closing in ("", "'", '"'):
        try:
            found = shlex.split(line + closing)
        except ValueError:
            continue
        return [*found, ""] if not closing and (not line or line[-1].isspace()) else found
    return line.split()


main = Command("completion", Asked, run, example="bash", notes=_HOW)

if __name__ == "__main__":
    main()
