"""Fourier transforms."""

from __future__ import annotations

from ..utils.fuzzer import FuzzedTensor, Fuzzer
from . import _parameters as parameters

__all__ = ["SpectralOpFuzzer"]

MIN_DIM_SIZE = 16
MAX_DIM_SIZE = 16 * 1024


def _is_regular(number: int) -> bool:
    for factor in (2, 3, 5):
        while number % factor == 0:
            number //= factor
    return number == 1


# Products of 2, 3 and 5: the lengths that transforms are fastest for.
REGULAR_SIZES = [n for n in range(MIN_DIM_SIZE + 1, MAX_DIM_SIZE + 1) if _is_regular(n)]


class SpectralOpFuzzer(Fuzzer):
    """Gives `x`, of up to three dimensions; each length is regular with `probability_regular`. torch.float64 where no
    type is given."""

    def __init__(
        self,
        *,
        seed: int | None,
        dtype: object | None = None,
        cuda: bool = False,
        probability_regular: float = 1.0,
    ) -> None:
        super().__init__(
            parameters=[
                parameters.dimensions("ndim"),
                parameters.any_lengths(MAX_DIM_SIZE),
                parameters.lengths_among("regular", REGULAR_SIZES),
                parameters.lengths(
                    {"regular": probability_regular, "any": 1 - probability_regular}
                ),
                parameters.steps("step"),
            ],
            tensors=[
                FuzzedTensor(
                    name="x",
                    size=parameters.SIZE,
                    steps=("step_0", "step_1", "step_2"),
                    dim_parameter="ndim",
                    dtype="float64" if dtype is None else dtype,
                    cuda=cuda,
                    **parameters.LIMITS,
                    **parameters.ELEMENTS,
                )
            ],
            seed=seed,
        )
