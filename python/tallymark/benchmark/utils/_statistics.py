"""Statistics of samples: middle, spread, and how many figures of it to believe."""

from __future__ import annotations

import math
from collections.abc import Sequence

MOST_FIGURES = 4
LEAST_INTERVAL_S = 25e-9  # no interval is taken to be narrower: a clock's own uncertainty


def mean(values: Sequence[float]) -> float:
    """Of the exact sum, so that it does not depend on the order of the values."""
    return math.fsum(values) / len(values)


def quantile(ordered: Sequence[float], q: float) -> float:
    """Between the two nearest of `ordered` values, linearly."""
    rank = q * (len(ordered) - 1)
    below = math.floor(rank)
    low, high = ordered[below], ordered[math.ceil(rank)]
    share = rank - below
    # From the nearer end: so the ends themselves are exact.
    return low + share * (high - low) if share < 0.5 else high - (high - low) * (1 - share)


def significant_figures(ordered: Sequence[float], median: float) -> int:
    """From the 90 % interval of the mean of the middle half, which outliers do not widen."""
    count = len(ordered)
    middle = ordered[count // 4 : math.ceil(3 * count / 4)]
    if not middle or median <= 0:
        return 1
    center = mean(middle)
    deviation = math.sqrt(math.fsum((value - center) ** 2 for value in middle) / len(middle))
    interval = max(1.645 * deviation / math.sqrt(len(middle)), LEAST_INTERVAL_S)
    return min(max(math.floor(math.log10(median / interval)), 1), MOST_FIGURES)
