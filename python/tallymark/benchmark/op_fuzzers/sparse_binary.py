"""Operators of two sparse tensors."""

from __future__ import annotations

from ..utils.fuzzer import FuzzedParameter, Fuzzer, ParameterAlias
from . import _parameters as parameters
from .sparse_unary import sparse_dimensions, sparse_tensor

__all__ = ["BinaryOpSparseFuzzer"]


def _equal_lengths() -> list[FuzzedParameter]:
    return [
        FuzzedParameter(f"y_k{i}", distribution={ParameterAlias(f"k{i}"): 1.0}, strict=True)
        for i in parameters.DIMENSIONS
    ]


class BinaryOpSparseFuzzer(Fuzzer):
    """Gives sparse `x` and `y` of one size, of up to three dimensions."""

    def __init__(self, seed: int | None, dtype: object | None = None, cuda: bool = False) -> None:
        super().__init__(
            parameters=[
                sparse_dimensions(),
                *parameters.usual_lengths(),
                _equal_lengths(),
                parameters.sparseness(),
                parameters.random_value(),
            ],
            tensors=[
                sparse_tensor("x", parameters.SIZE, dtype, cuda),
                sparse_tensor("y", ("y_k0", "y_k1", "y_k2"), dtype, cuda),
            ],
            seed=seed,
        )
