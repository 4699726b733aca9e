"""Every command of the program by its name, with the file that holds it; and the one front door to them all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PROGRAM = "python -m runner"


@dataclass(frozen=True)
class CommandEntry:
    """module: under runner.cli, with `main`, a Command. about: what the command does, in one sentence."""

    module: str
    about: str


def _entries(folder: str, group: str, about: Mapping[str, str]) -> dict[str, CommandEntry]:
    # `list` and `import` are words of Python.
    own = {"list": "list_", "import": "import_"}
    return {f"{group} {name}": CommandEntry(f"{folder}.{own.get(name, name)}", told) for name, told in about.items()}


COMMANDS: dict[str, CommandEntry] = {
    "init": CommandEntry("init", "Make a project from a folder of pages: conf/, first questions, a gate policy."),
    "rerun": CommandEntry("rerun", "Repeat a past run from what was stored with it, and compare."),
    "compare": CommandEntry("compare", "Compare runs of one suite query by query; the first is A."),
    "accept": CommandEntry("accept", "Accept a run as the baseline that later runs of its suite are gated against."),
    "gate": CommandEntry("gate", "Judge by a policy whether a run may be released, against the accepted baseline."),
    "choose": CommandEntry("choose", "Choose the smallest k of a sweep that meets every floor within the budget."),
    "trend": CommandEntry("trend", "Show how a metric of a suite moved over the runs accepted as its baseline."),
    "drill": CommandEntry("drill", "Prove on a copy that what is removed, renamed or shuffled is noticed."),
    "citations": CommandEntry("citations", "Check what served answers cite against the snapshots they were made from."),
    **_entries(
        "snapshot_commands",
        "snapshot",
        {
            "build": "Read documents, cut them into passages and keep them under one id.",
            "list": "List the stored snapshots, the newest last.",
            "show": "Show how a snapshot was made, its passages, or the text of one.",
            "diff": "Compare two snapshots: documents, passages, wording, and judged queries touched.",
        },
    ),
    **_entries(
        "judgment_commands",
        "judgments",
        {
            "check": "Hold a suite against a snapshot; count what is judged, disputed and waiting.",
            "migrate": "Carry judgments over to a newer snapshot; what is not certain waits for review.",
            "freeze": "Pin a suite to its present revision, and keep a copy of it.",
            "review": "Judge what waits: migrated, disputed and candidate judgments, or all anew.",
            "agreement": "Measure how far annotators agree, and list where they do not.",
            "candidates": "Rank what is worth judging next: failing queries, unjudged passages, clicks.",
            "export": "Write pairs for labelling elsewhere: JSONL, CSV, or tasks of Label Studio.",
            "import": "Read pairs labelled elsewhere: JSONL, CSV, or the export of Label Studio.",
        },
    ),
    **_entries(
        "cache_commands",
        "cache",
        {
            "size": "Show what the cache holds, how much of it, and when it was used last.",
            "verify": "Read the whole cache, and list what is not what was stored.",
            "prune": "Remove from the cache what was not used for long, or down to a size.",
        },
    ),
    "info": CommandEntry("info", "Say what is installed, which models work offline, and what is stored where."),
    "completion": CommandEntry("completion", "Complete commands, settings, choices and run ids with the tab key."),
}
GROUPS = {
    "cache": "What was computed before: how large it is, whether it is whole, and how to make it smaller.",
    "snapshot": "Documents cut into passages under one id: make, list, look into, compare.",
    "judgments": "Keep judged questions true while their documents change.",
}
# The names that commands had before.
ALIASES = {"lineage": "citations"}


def named(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """The command that the first words name, and the words after it; None where they name none."""
    first = [ALIASES.get(word, word) for word in words[:1]]
    for length in (2, 1):
        name = " ".join([*first, *words[1:length]])
        if len(words) >= length and name in COMMANDS:
            return name, list(words[length:])
    return None
