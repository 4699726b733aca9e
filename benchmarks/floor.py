"""The least that a warm sweep can take: the same Hydra compositions and the same MLflow logging, nothing else.

    python benchmarks/floor.py DIR retriever=bm25,hybrid,reranked k=1,3,5,10

Reads what the last sweep of the store logged (outside the timed span of the caller it could not: so it is
read from the SQLite file directly, which costs a few milliseconds) and logs it again under a new name.
"""

import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

from hydra import compose, initialize_config_dir
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param

from runner.configuration.settings import conf_directory, home, register_resolvers
from runner.tracking.tracker import open_client


def main() -> None:
    data, *sweeps = sys.argv[1:]
    register_resolvers()
    axes = [[f"{key}={value}" for value in values.split(",")] for key, _, values in (s.partition("=") for s in sweeps)]
    with initialize_config_dir(str(conf_directory()), version_base="1.3"):
        for overrides in itertools.product(*axes):
            compose("config", [*overrides, "dataset=beir", f"dataset.path={data}"], return_hydra_config=True)
    client = open_client(f"sqlite:///{home()}/mlruns/mlflow.db")
    source = client.get_experiment_by_name(Path(data).name)
    last = client.search_runs([source.experiment_id], max_results=13)
    experiment = client.create_experiment("floor", f"file://{home()}/mlruns/artifacts")
    for run in last:
        folder = Path(run.info.artifact_uri.removeprefix("file://"))
        with tempfile.TemporaryDirectory() as copy:
            for file in folder.rglob("*"):
                if file.is_file():
                    target = Path(copy, file.relative_to(folder))
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(file.read_bytes())
            new = client.create_run(experiment, tags=run.data.tags, run_name=run.info.run_name).info.run_id
            now = int(time.time() * 1000)
            metrics = [Metric(k, v, now, 0) for k, v in run.data.metrics.items()]
            metrics += [
                Metric(k, v, now, s) for k, v in run.data.metrics.items() if k.startswith("curve/") for s in range(7)
            ]
            client.log_batch(new, metrics=metrics, params=[Param(k, v) for k, v in run.data.params.items()])
            if run.inputs.dataset_inputs:
                client.log_inputs(
                    new,
                    [
                        DatasetInput(
                            Dataset(each.dataset.name, each.dataset.digest, "local", json.dumps({})),
                            [InputTag("mlflow.data.context", "evaluation")],
                        )
                        for each in run.inputs.dataset_inputs
                    ],
                )
            client.log_artifacts(new, copy)
            client.set_terminated(new, "FINISHED")


if __name__ == "__main__":
    main()
