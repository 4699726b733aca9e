"""The ids of the latest runs, for a person who is typing one."""

import sqlite3
from contextlib import closing

from runner.tracking.mlflow_store import is_local, sqlite_path

_MOST = 50


def recent_run_ids(uri: str, beginning: str = "") -> list[str]:
    """Ids of runs of a store on this machine, the newest first; none of another store, or where there is no store yet.

    MLflow takes seconds to be imported, which nobody waits for at a tab: its table is read as it lies.
    """
    if not is_local(uri) or not (path := sqlite_path(uri)).is_file():
        return []
    query = (
        "SELECT run_uuid FROM runs WHERE lifecycle_stage = 'active' AND status = 'FINISHED' "
        "AND substr(run_uuid, 1, ?) = ? ORDER BY start_time DESC LIMIT ?"
    )
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1)) as store:
            return [str(row[0]) for row in store.execute(query, (len(beginning), beginning, _MOST))]
    except sqlite3.Error:
        return []
