"""What a command said, and that it was one line."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What a command said, and its exit status."""

    status: int
    out: str
    err: str


def assert_one_line(said: Said, *words: str, status: int = 2) -> None:
    """One line to the person, or a line for a file and one, indented, for each of its faults; no traceback."""
    assert said.status == status, said
    assert "Traceback" not in said.err
    lines = said.err.splitlines()
    assert [line for line in lines if not line.startswith("  ")] == lines[:1], said.err
    assert lines[0].startswith("error: "), said.err
    assert len(lines[0]) < 700, said.err
    for each in words:
        assert each in said.err, said.err
