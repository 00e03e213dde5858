"""Operators of one tensor."""

from __future__ import annotations

from ..utils.fuzzer import FuzzedTensor, Fuzzer
from . import _parameters as parameters

__all__ = ["UnaryOpFuzzer"]


class UnaryOpFuzzer(Fuzzer):
    """Gives `x`, of up to three dimensions."""

    def __init__(self, seed: int | None, dtype: object | None = None, cuda: bool = False) -> None:
        super().__init__(
            parameters=[
                parameters.dimensions("dim"),
                *parameters.usual_lengths(),
                parameters.steps("x_step"),
                parameters.random_value(),
            ],
            tensors=[
                FuzzedTensor(
                    name="x",
                    size=parameters.SIZE,
                    steps=("x_step_0", "x_step_1", "x_step_2"),
                    dim_parameter="dim",
                    dtype=dtype,
                    cuda=cuda,
                    **parameters.LIMITS,
                    **parameters.ELEMENTS,
                )
            ],
            seed=seed,
        )
