"""Operators of one sparse tensor."""

from __future__ import annotations

from ..utils.fuzzer import FuzzedParameter, Fuzzer
from ..utils.sparse_fuzzer import FuzzedSparseTensor
from . import _parameters as parameters

__all__ = ["UnaryOpSparseFuzzer"]


def sparse_dimensions() -> list[FuzzedParameter]:
    """How many dimensions, and how many of them are sparse."""
    return [
        parameters.dimensions("dim_parameter"),
        FuzzedParameter("sparse_dim", distribution={1: 0.4, 2: 0.4, 3: 0.2}, strict=True),
    ]


def sparse_tensor(
    name: str, size: tuple[str, ...], dtype: object | None, cuda: bool
) -> FuzzedSparseTensor:
    """Of the parameters that a fuzzer of sparse operators draws."""
    return FuzzedSparseTensor(
        name=name,
        size=size,
        dim_parameter="dim_parameter",
        sparse_dim="sparse_dim",
        density="density",
        coalesced="coalesced",
        dtype=dtype,
        cuda=cuda,
        **parameters.ELEMENTS,
    )


class UnaryOpSparseFuzzer(Fuzzer):
    """Gives a sparse `x`, of up to three dimensions."""

    def __init__(self, seed: int | None, dtype: object | None = None, cuda: bool = False) -> None:
        super().__init__(
            parameters=[
                sparse_dimensions(),
                *parameters.usual_lengths(),
                parameters.sparseness(),
                parameters.random_value(),
            ],
            tensors=[sparse_tensor("x", parameters.SIZE, dtype, cuda)],
            seed=seed,
        )
