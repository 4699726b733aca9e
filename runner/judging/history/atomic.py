"""Put a file in place whole, or not at all."""

import os
import uuid
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Write beside the file, flush to disk, and put it in the file's place; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
