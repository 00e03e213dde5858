"""Seconds as people read them: units and significant figures.

PyTorch computes these in single precision. So do we, for at a boundary (999.99999 ns, 0.15) double precision would
choose another unit or another last digit than the tables that people have.
"""

from __future__ import annotations

import math
import struct

_SCALES: dict[str, float] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
_ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
_THOUSANDS = {-3: "ns", -2: "us", -1: "ms"}  # by whole powers of a thousand


def single(x: float) -> float:
    """`x` rounded to single precision; infinite when it does not fit."""
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def _log10(x: float) -> float:
    rounded = single(x)
    if rounded > 0 and math.isfinite(rounded):
        return single(math.log10(rounded))
    return -math.inf if rounded == 0 else math.nan


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which `t` seconds read best, and its length in seconds. What is shorter than a nanosecond is shown in
    nanoseconds."""
    magnitude = max(_log10(t), -9.0)
    unit = _THOUSANDS.get(math.floor(magnitude / 3), "s") if magnitude == magnitude else "s"
    return unit, _SCALES[unit]


def unit_to_english(u: str) -> str:
    """The name of a unit, in the singular. KeyError for one that `select_unit` does not know."""
    return _ENGLISH[u]


def leading_digits(x: float) -> int:
    """How many digits stand before the decimal point of `x`, which is positive; fewer than none below 0.1."""
    magnitude = _log10(x)
    return math.ceil(magnitude) if math.isfinite(magnitude) else 0


def trim_sigfig(x: float, n: int) -> float:
    """`x` with `n` significant figures, in single precision.

    >>> round(trim_sigfig(3.14159, 2), 6)
    3.1

    Raises AssertionError where `n` is not whole.
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    if x == 0:
        return 0.0
    scale = 10 ** (leading_digits(abs(x)) - n)
    return single(round(single(x / scale)) * single(scale))
