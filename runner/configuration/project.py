"""The folder of one's own that a command is started in, or below: its `conf/` comes before the program's."""

from pathlib import Path

# What tells such a folder from any other with a `conf/` in it.
MARK = Path("conf", "project", "default.yaml")


def project_folder() -> Path | None:
    """The nearest folder upwards that holds `conf/project/default.yaml`; None outside of any."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return None
    return next((folder for folder in (here, *here.parents) if (folder / MARK).is_file()), None)
