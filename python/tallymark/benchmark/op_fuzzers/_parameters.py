"""Parameters that the fuzzers of operators share: their order in a fuzzer is the order of its draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..utils.fuzzer import FuzzedParameter, ParameterAlias

DIMENSIONS = range(3)  # the most that a tensor has
LEAST_LENGTH = 16
MOST_LENGTH = 16 * 1024**2
POWERS_OF_TWO = tuple(2**i for i in range(4, 25))  # from the least length to the most

SIZE = ("k0", "k1", "k2")
# Of every dense tensor that a fuzzer of operators draws.
LIMITS: dict[str, Any] = {
    "probability_contiguous": 0.75,
    "max_allocation_bytes": 2 * 1024**3,
}
ELEMENTS: dict[str, Any] = {"min_elements": 4 * 1024, "max_elements": 32 * 1024**2}


def dimensions(name: str) -> FuzzedParameter:
    """How many: two more often than one or three."""
    return FuzzedParameter(name, distribution={1: 0.3, 2: 0.4, 3: 0.3}, strict=True)


def any_lengths(most: int = MOST_LENGTH) -> list[FuzzedParameter]:
    """`k_any_0` …: any number, those of each size as often."""
    return [
        FuzzedParameter(f"k_any_{i}", minval=LEAST_LENGTH, maxval=most, distribution="loguniform")
        for i in DIMENSIONS
    ]


def lengths_among(kind: str, values: Sequence[int]) -> list[FuzzedParameter]:
    """`k_KIND_0` …: one of `values`, each as often."""
    return [
        FuzzedParameter(f"k_{kind}_{i}", distribution=dict.fromkeys(values, 1.0 / len(values)))
        for i in DIMENSIONS
    ]


def lengths(shares: dict[str, float]) -> list[FuzzedParameter]:
    """`k0` …: those of each kind as often as its share says, in this order."""
    return [
        FuzzedParameter(
            f"k{i}",
            distribution={ParameterAlias(f"k_{kind}_{i}"): share for kind, share in shares.items()},
            strict=True,
        )
        for i in DIMENSIONS
    ]


def usual_lengths() -> list[list[FuzzedParameter]]:
    """Any number, and every fifth time a power of two, which kernels are often written for."""
    return [
        any_lengths(),
        lengths_among("pow2", POWERS_OF_TWO),
        lengths({"any": 0.8, "pow2": 0.2}),
    ]


def steps(*names: str) -> list[FuzzedParameter]:
    """`NAME_0` … of each name: mostly none are left out."""
    return [
        FuzzedParameter(f"{name}_{i}", distribution={1: 0.8, 2: 0.06, 4: 0.06, 8: 0.04, 16: 0.04})
        for i in DIMENSIONS
        for name in names
    ]


def sparseness() -> list[FuzzedParameter]:
    """Density, and whether each index stands once."""
    return [
        FuzzedParameter("density", distribution={0.1: 0.4, 0.05: 0.3, 0.01: 0.3}),
        FuzzedParameter("coalesced", distribution={True: 0.5, False: 0.5}),
    ]


def random_value() -> FuzzedParameter:
    """For the caller, to seed something of its own."""
    return FuzzedParameter("random_value", minval=0, maxval=2**32 - 1, distribution="uniform")
