"""What was measured of a stage when it was computed, and where and when that was."""

import json
import platform
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

# Raise it when latency is measured in another way: what an older program measured is then measured again.
LATENCY_VERSION = 2


@dataclass(frozen=True)
class Measured:
    """latency_ms: milliseconds by query key (hex), each query alone on one thread after a warm-up.

    latency_noisy: the repeat differed more than twofold, or more than one thread worked. latency_threads: the most
    that were seen. latency_load: of the machine over the minute before, as a share of its processors.
    peak_memory_bytes: the high-water mark of the process that worked most. measured_at: UTC, ISO 8601.
    """

    latency_ms: Mapping[str, float] = field(default_factory=dict)
    latency_noisy: bool = False
    latency_threads: int | None = None
    latency_load: float | None = None
    latency_version: int = LATENCY_VERSION
    index_build_seconds: float | None = None
    index_bytes: int | None = None
    peak_memory_bytes: int | None = None
    measured_at: str = ""
    host: str = ""
    cpu: str = ""
    python: str = ""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Measured":
        """Read a mapping of this class's fields."""
        return cls(**facts)

    @classmethod
    def parse(cls, value: bytes) -> "Measured":
        """Read what `dump` wrote, without the latencies of another version."""
        facts = json.loads(value)
        if facts.get("latency_version") != LATENCY_VERSION:
            facts = {name: fact for name, fact in facts.items() if not name.startswith("latency_")}
        known = {each.name for each in fields(cls)}
        return cls(**{name: fact for name, fact in facts.items() if name in known})

    def dump(self) -> bytes:
        """The fields as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False).encode()


def where_and_when() -> dict[str, str]:
    """The place and time that every measurement carries."""
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "cpu": _cpu(),
        "python": platform.python_version(),
    }


@cache
def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
