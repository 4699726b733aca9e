"""`python -m runner gate RUN_ID [baseline=RUN_ID] [gate=release]`: may this run be released?"""

from pathlib import Path

from runner.cli.arguments import StoredRuns, others, setting, words
from runner.cli.command import Command
from runner.composition.policy_files import read_policy
from runner.errors import ConfigError
from runner.reports.gate import gate_lines
from runner.workflows.gate_run import gate_run


class Asked(StoredRuns):
    """What the command takes."""

    run_id: str = words("RUN_ID", "the MLflow run id of the candidate, or its beginning")
    policy: tuple[str, ...] = others(
        "gate=NAME|FILE.yaml: the policy (default release); gate.KEY=VALUE changes it", "gate"
    )
    baseline: str | None = setting("compare with this run, not with the accepted baseline", None, metavar="RUN_ID")
    out: Path | None = setting("a folder for gate.md, gate.xml and gate.json", None, metavar="DIR")


def run(asked: Asked) -> int:
    """Judge the run, print the verdict, and leave it on the run."""
    policy = read_policy(asked.policy)
    if policy is None:
        raise ConfigError("gate=null judges nothing; name a policy of conf/gate/")
    place = asked.place()
    result = gate_run(place.tracker(), asked.run_id, policy, place.store, asked.baseline, asked.out, place.trust, print)
    print("\n".join(gate_lines(result)))
    return 1 if result.blocked else 0


main = Command(
    "gate",
    Asked,
    run,
    example="3f2a9c gate=release out=verdict/",
    statuses="0 passed; 1 blocked; 2 bad input",
)

if __name__ == "__main__":
    main()
