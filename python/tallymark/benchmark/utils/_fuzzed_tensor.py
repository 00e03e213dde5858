"""A dense tensor of drawn size, steps and order of memory."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Union

from ._torch import needed_torch

Length = Union[str, int]  # a number, or the name of a parameter
Lengths = tuple[int, ...]


def prod(values: Iterable[Any], base: int = 1) -> int:
    """Of whole numbers of any size: NumPy's and PyTorch's would overflow."""
    product = base
    for value in values:
        product = int(product) * int(value)
    return product


def dtype_size(dtype: Any) -> int:
    """Bytes of one element; of a complex one those of its real part, by which PyTorch's fuzzers reject."""
    torch = needed_torch("FuzzedTensor")
    if dtype == torch.bool:
        return 1
    real = dtype.is_floating_point or dtype.is_complex
    info = torch.finfo(dtype) if real else torch.iinfo(dtype)
    return int(info.bits) // 8


class FuzzedTensor:
    """A tensor of drawn size.

    size, steps: of each dimension, numbers or names of parameters. Steps of more than 1 leave gaps in memory.
    probability_contiguous: that the dimensions lie in memory in their order.
    min_elements, max_elements, max_allocation_bytes: a set of parameters that gives another tensor is drawn again.
    dim_parameter: the parameter that says how many dimensions; others are left out, missing ones are of length 1.
    roll_parameter: taken, and without effect, as in PyTorch.
    dtype: PyTorch's, or its name; float32 where none is given.
    tensor_constructor: called with size, dtype and all parameters by name; else uniform numbers."""

    def __init__(
        self,
        name: str,
        size: tuple[Length, ...],
        steps: tuple[Length, ...] | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: object | None = None,
        cuda: bool = False,
        tensor_constructor: Callable[..., Any] | None = None,
    ) -> None:
        self._name = name
        self._size = size
        self._steps = steps or ()
        self._probability_contiguous = probability_contiguous
        self._min_elements = min_elements
        self._max_elements = max_elements
        self._max_allocation_bytes = max_allocation_bytes
        self._dim_parameter = dim_parameter
        self._given_dtype = dtype
        self._cuda = cuda
        self._tensor_constructor = tensor_constructor

    @property
    def name(self) -> str:
        """Of the tensor, in what the fuzzer gives."""
        return self._name

    @property
    def _dtype(self) -> Any:
        """Looked up when it is needed: fuzzers can be made, and their parameters drawn, without PyTorch."""
        given = "float32" if self._given_dtype is None else self._given_dtype
        return getattr(needed_torch("FuzzedTensor"), given) if isinstance(given, str) else given

    @staticmethod
    def default_tensor_constructor(size: Sequence[int], dtype: Any, **kwargs: Any) -> Any:
        """Uniform in [0, 1), or from 1 to 126 where the type is of whole numbers."""
        torch = needed_torch("FuzzedTensor")
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype, device="cpu")
        return torch.randint(1, 127, size=size, dtype=dtype, device="cpu")

    def satisfies_constraints(self, params: Mapping[Any, Any]) -> bool:
        """Whether a tensor of these parameters is within the limits."""
        size, _, allocation = self._get_size_and_steps(params)
        elements = prod(size)
        if elements < 0:
            raise AssertionError(f"tensor {self._name} has a negative length: {size}")
        if self._max_elements is not None and elements > self._max_elements:
            return False
        if self._min_elements is not None and elements < self._min_elements:
            return False
        most = self._max_allocation_bytes
        return most is None or prod(allocation, base=dtype_size(self._dtype)) <= most

    def _get_size_and_steps(self, params: Mapping[Any, Any]) -> tuple[Lengths, Lengths, Lengths]:
        """Lengths, steps, and lengths of what must be allocated for them."""
        dimensions = params[self._dim_parameter] if self._dim_parameter else len(self._size)

        def resolved(values: tuple[Length, ...]) -> Lengths:
            numbers = tuple(params.get(value, value) for value in values)[:dimensions]
            return numbers + (1,) * (dimensions - len(numbers))

        size, steps = resolved(self._size), resolved(self._steps)
        return size, steps, tuple(n * step for n, step in zip(size, steps))

    def _make_tensor(self, params: Mapping[Any, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        """Of `size[i] * steps[i]` elements in memory, every `steps[i]`-th of which is the tensor's."""
        numpy: Any = importlib.import_module("numpy")

        size, steps, allocation = self._get_size_and_steps(params)
        construct = self._tensor_constructor or self.default_tensor_constructor
        whole = construct(size=allocation, dtype=self._dtype, **params)
        if self._cuda:
            whole = whole.cuda()
        order = numpy.arange(len(size))
        if state.rand() > self._probability_contiguous:
            while len(size) > 1 and numpy.all(order == numpy.arange(len(size))):
                order = state.permutation(whole.dim())
            # Laid out anew in that order of dimensions, and seen in the old one.
            whole = whole.permute(tuple(order)).contiguous().permute(tuple(numpy.argsort(order)))
        tensor = whole[tuple(slice(0, n * step, step) for n, step in zip(size, steps))]
        return tensor, {
            "numel": int(tensor.numel()),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }
