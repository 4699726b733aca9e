"""Results that show themselves as tables: in a notebook, at a prompt, and as pandas frames."""

from abc import abstractmethod
from html import escape
from typing import TYPE_CHECKING

from runner.rendering.visible import one_line

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 60
_MOST_COLUMNS = 30


class Tabular:
    """What has a title and a table. A dataclass that inherits from it says `repr=False`."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, in one line."""

    @property
    @abstractmethod
    def table(self) -> "pd.DataFrame":
        """All of it as a pandas frame of one's own."""

    def _shown(self) -> "pd.DataFrame":
        """The part of the table that is shown."""
        return self.table

    def __repr__(self) -> str:
        frame = self._shown()
        if frame.empty:
            return self.title
        return f"{self.title}\n{frame.to_string(max_rows=_MOST_ROWS, float_format=_number, na_rep='-')}"

    def _repr_html_(self) -> str:
        """The table as a notebook shows it; nothing in it is read as HTML."""
        frame = self._shown()
        table = "" if frame.empty else html_table(frame)
        return f"<div><p><strong>{escape(one_line(self.title))}</strong></p>{table}</div>"


def html_table(frame: "pd.DataFrame") -> str:
    """A frame as an HTML table, every text of it escaped."""
    return str(
        frame.to_html(
            escape=True,
            border=0,
            float_format=_number,
            na_rep="-",
            max_rows=_MOST_ROWS,
            max_cols=_MOST_COLUMNS,
        )
    )


def _number(value: float) -> str:
    return f"{value:.4g}"
