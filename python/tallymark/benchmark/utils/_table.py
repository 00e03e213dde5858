"""One table of `Compare`: rows by threads, environment and statement, columns by description."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from typing import Optional

from ._units import leading_digits, select_unit, trim_sigfig, unit_to_english
from .common import Measurement, ordered_unique

_BEST = "\033[92m\033[1m"
_GOOD = "\033[34m\033[1m"
_BAD = "\033[2m\033[91m"
_VERY_BAD = "\033[31m\033[1m"
_RESET = "\033[0m\033[0m"

_GAP = "  |  "
_MARK_WIDTH = 7  # of " (! 25%)", less what longer ones need
_UNSPECIFIED = "Unspecified env"

RowKey = tuple[int, Optional[str], str]


class Colorize(enum.Enum):
    """Which results are coloured by how they compare: those of a column (within one number of threads), or of a row."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


@dataclasses.dataclass(frozen=True)
class Style:
    """How a table is written."""

    trim_significant_figures: bool = False
    highlight_warnings: bool = False
    colorize: Colorize = Colorize.NONE


class _Column:
    """The results of one description, one place for each row, and how their numbers are written."""

    def __init__(self, cells: Sequence[Measurement | None], scale: float, style: Style) -> None:
        self.cells = cells
        self._scale = scale
        self._trim = style.trim_significant_figures
        present = [cell for cell in cells if cell is not None]
        self._marks = style.highlight_warnings and any(cell.has_warnings for cell in present)
        digits = [leading_digits(cell.median / scale) for cell in present]
        self._decimals = 1
        if self._trim:
            wanted = (max(cell.significant_figures - n, 0) for cell, n in zip(present, digits))
            self._decimals = min(wanted)
        self._width = max(max(digits) + self._decimals + (self._decimals > 0), 0)

    def text(self, row: int) -> str:
        cell = self.cells[row]
        if cell is None:
            return " " * len(self._number(1, 1, ""))
        spread = cell.iqr / cell.median if cell.has_warnings else None
        mark = f" (! {spread * 100:.0f}%)" if self._marks and spread is not None else ""
        return self._number(cell.median / self._scale, cell.significant_figures, mark)

    def _number(self, value: float, figures: int, mark: str) -> str:
        if self._trim:
            value = trim_sigfig(value, figures)
        return (
            f"{value:>{self._width}.{self._decimals}f}{mark:>{_MARK_WIDTH if self._marks else 0}}"
        )


def _coloured(text: str, value: float, best: float) -> str:
    if value <= best * 1.01 or value <= best + 100e-9:
        return f"{_BEST}{text}{_RESET}"
    if value <= best * 1.1:
        return f"{_GOOD}{text}{_RESET}"
    if value >= best * 5:
        return f"{_VERY_BAD}{text}{_RESET}"
    if value >= best * 2:
        return f"{_BAD}{text}{_RESET}"
    return text


class Table:
    """Of results that share a label, at least one."""

    def __init__(self, results: Sequence[Measurement], style: Style) -> None:
        self._results = results
        self._style = style
        self._unit, scale = select_unit(min(result.median for result in results))
        keys = ordered_unique(self._row_key(result) for result in results)
        # Of one number of threads and one environment, rows stay in the order of their results.
        self._rows: list[RowKey] = sorted(
            keys, key=lambda key: (key[0], key[1] is not None, key[1] or "")
        )
        self._headings = ordered_unique(result.description for result in results)
        cells = {(self._row_key(result), result.description): result for result in results}
        self._columns = [
            _Column([cells.get((row, heading)) for row in self._rows], scale, style)
            for heading in self._headings
        ]

    @staticmethod
    def _row_key(result: Measurement) -> RowKey:
        return result.num_threads, result.env, result.as_row_name

    def render(self) -> str:
        """The table as text, which ends with an end of line."""
        names = ["", *self._row_names()]
        texts = [
            [heading or "", *(column.text(row) for row in range(len(self._rows)))]
            for heading, column in zip(self._headings, self._columns)
        ]
        widths = [max(map(len, column)) for column in (names, *texts)]
        heading = _GAP.join(
            text.center(width)
            for text, width in zip([names[0], *(column[0] for column in texts)], widths)
        )
        title = f" {self._results[0].label or ''} ".center(len(heading) - 2, "-")
        lines = [f"[{title}]", heading]
        for row, (threads, _, _) in enumerate(self._rows):
            if self._begins_group(row):
                lines.append(f"{threads} threads: ".ljust(len(heading), "-"))
            parts = [names[row + 1].ljust(widths[0])]
            for column, text, width in zip(self._columns, texts, widths[1:]):
                parts.append(self._cell(column, row, text[row + 1].center(width)))
            lines.append(_GAP.join(parts))
        lines += ["", f"Times are in {unit_to_english(self._unit)}s ({self._unit}).", ""]
        if self._style.highlight_warnings and any(result.has_warnings for result in self._results):
            lines.insert(
                -1, "(! XX%) Measurement has high variance, where XX is the IQR / median * 100."
            )
        return "\n".join(lines)

    def _begins_group(self, row: int) -> bool:
        return row == 0 or self._rows[row][0] != self._rows[row - 1][0]

    def _row_names(self) -> list[str]:
        environments = {env for _, env, _ in self._rows}
        shown = len(environments) > 1
        width = max(len(_named(env)) for env in environments) if shown else 0
        names = []
        for row, (_, env, name) in enumerate(self._rows):
            first = self._begins_group(row) or env != self._rows[row - 1][1]
            text = f"({_named(env)})" if shown and first else ""
            names.append(f"  {text.ljust(width + 4)}{name}")
        return names

    def _cell(self, column: _Column, row: int, text: str) -> str:
        result = column.cells[row]
        if result is None or self._style.colorize is Colorize.NONE:
            return text
        if self._style.colorize is Colorize.ROWWISE:
            rivals = [other.cells[row] for other in self._columns]
        else:
            threads = self._rows[row][0]
            rivals = [cell for cell, key in zip(column.cells, self._rows) if key[0] == threads]
        best = min(rival.median for rival in rivals if rival is not None)
        return _coloured(text, result.median, best)


def _named(env: str | None) -> str:
    return _UNSPECIFIED if env is None else env
