"""JSON as the program writes it for people and machines."""

import json
from typing import Any


def json_text(values: Any) -> str:
    """Indented JSON with a line end; raises ValueError for NaN and infinity, which JSON does not have."""
    return json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
