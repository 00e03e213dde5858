"""Operators of two tensors."""

from __future__ import annotations

from typing import Any

from ..utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from . import _parameters as parameters

__all__ = ["BinaryOpFuzzer"]


def _broadcast_lengths() -> list[FuzzedParameter]:
    """Of `y`: those of `x`, and every fifth time 1."""
    return [
        FuzzedParameter(f"y_k{i}", distribution={ParameterAlias(f"k{i}"): 0.8, 1: 0.2}, strict=True)
        for i in parameters.DIMENSIONS
    ]


class BinaryOpFuzzer(Fuzzer):
    """Gives `x` and `y`, of up to three dimensions, that fit each other, sometimes by broadcasting."""

    def __init__(self, seed: int | None, dtype: object | None = None, cuda: bool = False) -> None:
        # Of both: PyTorch draws steps for y, and does not use them.
        shared: dict[str, Any] = {
            "steps": ("x_step_0", "x_step_1", "x_step_2"),
            "dim_parameter": "dim",
            "dtype": dtype,
            "cuda": cuda,
            **parameters.LIMITS,
        }
        super().__init__(
            parameters=[
                parameters.dimensions("dim"),
                *parameters.usual_lengths(),
                _broadcast_lengths(),
                parameters.steps("x_step", "y_step"),
                parameters.random_value(),
            ],
            tensors=[
                FuzzedTensor(name="x", size=parameters.SIZE, **shared, **parameters.ELEMENTS),
                FuzzedTensor(name="y", size=("y_k0", "y_k1", "y_k2"), **shared),
            ],
            seed=seed,
        )
