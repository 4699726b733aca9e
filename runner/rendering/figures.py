"""Figures of a sweep, drawn without a display and with the page's own colours kept apart for the colour-blind."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

# Okabe and Ito's palette: distinguishable with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
# Some versions of matplotlib know the collection of all Noto Sans CJK by its first face only, JP.
_CHINESE_FONTS = (
    "Noto Sans CJK TC",
    "Noto Sans TC",
    "PingFang TC",
    "Microsoft JhengHei",
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
)


def recall_curve(path: Path, title: str, ks: Sequence[int], lines: Mapping[str, Floats], n: int) -> None:
    """Draw mean recall against k, one line a name."""
    figure = new_figure(5.6, 3.8)
    axes = figure.subplots()
    _draw(axes, ks, lines, f"{title}  (n = {n})")
    _legend(axes, lines, 8)
    figure.subplots_adjust(left=0.1, right=0.97, top=0.92, bottom=0.12)
    save_figure(figure, path)


def recall_by_slice(
    path: Path, title: str, ks: Sequence[int], groups: Mapping[str, tuple[int, Mapping[str, Floats]]]
) -> None:
    """Draw one small figure a slice, with shared axes; groups: by slice value, its n and its lines."""
    columns = min(3, len(groups))
    rows = -(-len(groups) // columns)
    figure = new_figure(3.6 * columns, 2.7 * rows + 0.4)
    cells = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (value, (n, lines)) in zip(cells, groups.items(), strict=False):
        _draw(axes, ks, lines, f"{value}  (n = {n})")
    for axes in cells[len(groups) :]:
        axes.set_visible(False)
    _legend(cells[0], next(iter(groups.values()))[1], 7)
    figure.suptitle(title, parse_math=False, fontsize=11, y=1 - 0.1 / figure.get_figheight())
    # In inches from each edge. A layout engine would find the same margins at three times the cost.
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=0.5 / width,
        right=1 - 0.1 / width,
        top=1 - 0.65 / height,
        bottom=0.45 / height,
        wspace=0.22,
        hspace=0.42,
    )
    save_figure(figure, path)


def new_figure(width: float, height: float) -> "Figure":
    """Make a figure of this size in inches, with a Chinese font where one is installed."""
    import matplotlib
    from matplotlib.figure import Figure

    # Named one by one: behind a generic family only the first font would ever be asked for a letter.
    matplotlib.rcParams["font.family"] = ["DejaVu Sans", *_installed(_CHINESE_FONTS, matplotlib)]
    return Figure(figsize=(width, height), dpi=110)


def _installed(names: Sequence[str], matplotlib: Any) -> list[str]:
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in names if name in known][:1]


def _draw(axes: "Axes", ks: Sequence[int], lines: Mapping[str, Floats], title: str) -> None:
    for number, values in enumerate(lines.values()):
        axes.plot(
            ks,
            np.asarray(values),
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            linewidth=1.5,
        )
    axes.set_xscale("log")
    axes.set_xticks(list(ks), [str(k) for k in ks], fontsize=7)
    axes.minorticks_off()
    axes.set_ylim(0, 1.02)
    axes.tick_params(axis="y", labelsize=7)
    axes.grid(alpha=0.25)
    axes.set_xlabel("k", fontsize=8)
    axes.set_ylabel("recall", fontsize=8)
    axes.set_title(title, fontsize=9, parse_math=False)


def _legend(axes: "Axes", names: Iterable[str], size: int) -> None:
    """Name every line as it is written, also where the library would read a formula or hide the line."""
    names = list(names)
    legend = axes.legend(axes.lines, [" "] * len(names), frameon=False, fontsize=size, loc="lower right")
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def save_figure(figure: "Figure", path: Path | IO[bytes]) -> None:
    """Write a figure as PNG, into a file by its path or one that is open."""
    with boxes_for_missing_letters():
        figure.savefig(path)


@contextmanager
def boxes_for_missing_letters() -> Iterator[None]:
    """Draw, and measure, without a warning where no font has a letter: no reason to stop a sweep."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield
