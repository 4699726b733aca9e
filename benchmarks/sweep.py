"""The 12-job sweep against a plain stack that does the same work, cold and warm, and against its floor.

    python benchmarks/sweep.py --data DIR --plain PATH/app.py

DIR is a collection in BEIR layout. PATH/app.py is a Hydra program with the official joblib launcher, each of
whose jobs indexes, retrieves, scores and logs by itself; it takes data=DIR and db=FILE. Everything runs one
after the other on this machine; quote the ratios, not the seconds. Needs hydra-joblib-launcher and
ir-measures for the plain stack.

The floor is one process that does the same 12 Hydra compositions and the same MLflow logging (the same
parameters, metrics, curves, dataset inputs and files) and nothing else.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SWEEP = ["retriever=bm25,hybrid,reranked", "k=1,3,5,10", "hydra.launcher.n_jobs=2"]
FLOOR = Path(__file__).with_name("floor.py")


def run(command: list[str], env: dict[str, str], folder: str) -> float:
    """Run a command to its end and return its wall time in seconds."""
    start = time.perf_counter()
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--plain", help="the plain stack's app.py; left out, only the own figures are shown")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    data = str(Path(arguments.data).resolve())
    times: dict[str, list[float]] = {"plain": [], "cold": [], "warm": [], "floor": []}
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "RUNNER_HOME": folder, "MLFLOW_DISABLE_TELEMETRY": "true"}
            # A new store's tables are made beforehand on both sides: the plain stack would die making them.
            make = "import sys, mlflow; mlflow.set_tracking_uri(sys.argv[1]); mlflow.set_experiment('naive')"
            for name in ("plain.db", "mlruns/mlflow.db"):
                Path(folder, name).parent.mkdir(exist_ok=True)
                run([sys.executable, "-c", make, f"sqlite:///{folder}/{name}"], env, folder)
            if arguments.plain:
                plain = [sys.executable, str(Path(arguments.plain).resolve()), "-m", *SWEEP]
                times["plain"].append(run([*plain, f"data={data}", f"db={folder}/plain.db"], env, folder))
            own = [sys.executable, "-m", "runner", "-m", "dataset=beir", f"dataset.path={data}", *SWEEP]
            times["cold"].append(run(own, env, folder))
            times["warm"].append(run(own, env, folder))
            times["floor"].append(run([sys.executable, str(FLOOR), data, *SWEEP[:2]], env, folder))
    median = {name: statistics.median(values) for name, values in times.items() if values}
    for name, value in median.items():
        print(f"{name:6} {value:7.2f} s   (of {', '.join(f'{each:.2f}' for each in times[name])})")
    if "plain" in median:
        print(f"plain / cold  {median['plain'] / median['cold']:.2f}")
        print(f"plain / warm  {median['plain'] / median['warm']:.2f}")
    print(f"warm / floor  {median['warm'] / median['floor']:.2f}")


if __name__ == "__main__":
    main()
