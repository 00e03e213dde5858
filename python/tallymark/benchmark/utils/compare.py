"""Tables of measurements."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ._table import Colorize, Style, Table
from ._theirs import adopted
from .common import Measurement

__all__ = ["Colorize", "Compare"]


class Compare:
    """Measurements side by side: a table for each label, a row for each statement (or sub-label), a column for each
    description. Replicates of one task are merged first. `str()` gives the text, `print()` prints it."""

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._style = Style()
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Adds measurements, of ours or of PyTorch's. Raises ValueError, and adds none, where one is something else."""
        added = [adopted(result) for result in results]
        for result in added:
            if not isinstance(result, Measurement):
                raise ValueError(
                    f"Expected an instance of `Measurement`, got {type(result)} instead."
                )
        self._results += added

    def trim_significant_figures(self) -> None:
        """From now on: no more figures than the samples support."""
        self._style = dataclasses.replace(self._style, trim_significant_figures=True)

    def colorize(self, rowwise: bool = False) -> None:
        """From now on: colours for the best and the worst of each column, or of each row."""
        kind = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE
        self._style = dataclasses.replace(self._style, colorize=kind)

    def highlight_warnings(self) -> None:
        """From now on: a mark behind what spreads by more than a tenth."""
        self._style = dataclasses.replace(self._style, highlight_warnings=True)

    def print(self) -> None:
        """Prints the tables."""
        print(str(self))

    def __str__(self) -> str:
        groups: dict[object, list[Measurement]] = {}
        for result in Measurement.merge(self._results):
            groups.setdefault(result.label, []).append(result)
        return "\n".join(Table(group, self._style).render() for group in groups.values())
