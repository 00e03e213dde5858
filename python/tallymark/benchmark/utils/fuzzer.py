"""Random parameters and tensors. A seed gives the same ones in every run, and the same as PyTorch's fuzzers give.

So the order and the kind of the draws is fixed: each from one numpy.random.RandomState, in the order of the
parameters and then of the tensors; the tensors' content from PyTorch's own generator.
"""

from __future__ import annotations

import importlib
import math
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable, Union

from ._fuzzed_tensor import FuzzedTensor, dtype_size, prod
from ._torch import needed_torch

__all__ = ["FuzzedParameter", "FuzzedTensor", "Fuzzer", "ParameterAlias", "dtype_size", "prod"]

Number = Union[int, float]
Parameters = dict[str, Any]
Constraint = Callable[[Parameters], Any]

_DISTRIBUTIONS = ("loguniform", "uniform")
_MOST_TRIES = 1000


class ParameterAlias:
    """A parameter that has the value of another one. Aliases may refer to aliases, but not in a circle."""

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A named value that is drawn.

    distribution: "uniform" or "loguniform" between minval and maxval, both included (whole numbers where they are
    whole; loguniform always), or values with their probabilities, whose sum is 1.
    strict: drawn once for a set of parameters, and kept when the set is rejected and drawn again.

    Raises AssertionError for another distribution, for probabilities that are negative or whose sum is not 1, and for
    limits beside them."""

    def __init__(
        self,
        name: str,
        minval: Number | None = None,
        maxval: Number | None = None,
        distribution: str | Mapping[Any, float] | None = None,
        strict: bool = False,
    ) -> None:
        self._name = name
        self._minval = minval
        self._maxval = maxval
        self._distribution = distribution
        self.strict = strict
        if isinstance(distribution, Mapping):
            self._check_probabilities(distribution)
        elif distribution not in _DISTRIBUTIONS:
            raise AssertionError(f"Unknown distribution: {distribution}")

    def _check_probabilities(self, distribution: Mapping[Any, float]) -> None:
        if any(probability < 0 for probability in distribution.values()):
            raise AssertionError("Probabilities cannot be negative")
        if abs(sum(distribution.values()) - 1) > 1e-5:
            raise AssertionError("Distribution is not normalized")
        if self._minval is not None or self._maxval is not None:
            raise AssertionError("A distribution by value takes neither minval nor maxval")

    @property
    def name(self) -> str:
        """By which tensors and aliases refer to it."""
        return self._name

    def sample(self, state: Any) -> Any:
        """Draws a value from a numpy.random.RandomState."""
        if isinstance(self._distribution, Mapping):
            # Of the index: NumPy would turn the values into its own types.
            index = state.choice(
                list(range(len(self._distribution))), p=tuple(self._distribution.values())
            )
            return list(self._distribution)[index]
        low, high = self._minval, self._maxval
        if low is None or high is None:
            raise ValueError(f"parameter {self._name} needs minval and maxval")
        if self._distribution == "loguniform":
            value = int(2 ** state.uniform(low=math.log2(low), high=math.log2(high)))
            return min(max(value, low), high)
        if isinstance(low, int) and isinstance(high, int):
            return int(state.randint(low=low, high=high + 1))
        return state.uniform(low=low, high=high)


class Fuzzer:
    """Draws sets of parameters, and tensors of them.

    parameters, tensors: each an object or a list of them.
    constraints: called with the dictionary of parameters; a set of which one is false is drawn again.
    seed: of every draw, and of PyTorch's generator; one of chance where none is given.

    Raises ValueError where a parameter and a tensor have one name."""

    def __init__(
        self,
        parameters: Iterable[FuzzedParameter | Iterable[FuzzedParameter]],
        tensors: Iterable[FuzzedTensor | Iterable[FuzzedTensor]],
        constraints: Iterable[Constraint] | None = None,
        seed: int | None = None,
    ) -> None:
        if seed is None:
            seed = random.SystemRandom().randrange(2**32 - 1)
        self._seed = seed
        self._parameters: tuple[FuzzedParameter, ...] = _flat(parameters, FuzzedParameter)
        self._tensors: tuple[FuzzedTensor, ...] = _flat(tensors, FuzzedTensor)
        self._constraints = tuple(constraints or ())
        self._rejections = 0
        self._generated = 0
        shared = {p.name for p in self._parameters} & {t.name for t in self._tensors}
        if shared:
            raise ValueError(f"Duplicate names in parameters and tensors: {shared}")

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], Parameters]]:
        """`n` times: tensors by name, their properties by name, parameters by name.

        Raises ValueError where a thousand sets in a row are rejected."""
        numpy: Any = importlib.import_module("numpy")

        torch = needed_torch("Fuzzer")
        state = numpy.random.RandomState(self._seed)
        torch.manual_seed(state.randint(low=0, high=2**63, dtype=numpy.int64))
        for _ in range(n):
            parameters = self._generate(state)
            made = {t.name: t._make_tensor(parameters, state) for t in self._tensors}
            yield (
                {name: tensor for name, (tensor, _) in made.items()},
                {name: properties for name, (_, properties) in made.items()},
                parameters,
            )

    @property
    def rejection_rate(self) -> float:
        """Of all sets drawn so far, the share that was rejected."""
        return self._rejections / self._generated if self._generated else 0.0

    def _generate(self, state: object) -> Parameters:
        kept: Parameters = {}
        for _ in range(_MOST_TRIES):
            drawn: Parameters = {}
            for parameter in self._parameters:
                if parameter.name in kept:
                    drawn[parameter.name] = kept[parameter.name]
                    continue
                drawn[parameter.name] = parameter.sample(state)
                if parameter.strict:
                    kept[parameter.name] = drawn[parameter.name]
            values = _without_aliases(drawn)
            self._generated += 1
            if all(constraint(values) for constraint in self._constraints) and all(
                tensor.satisfies_constraints(values) for tensor in self._tensors
            ):
                return values
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")


def _flat(values: Iterable[Any], cls: type) -> tuple[Any, ...]:
    flat: list[object] = []
    for value in values:
        flat.extend([value] if isinstance(value, cls) else value)
    return tuple(flat)


def _without_aliases(parameters: Parameters) -> Parameters:
    values = {}
    for name, value in parameters.items():
        seen = {name}
        while isinstance(value, ParameterAlias):
            if value.alias_to in seen:
                raise ValueError(f"ParameterAlias cycle detected\n{parameters}")
            seen.add(value.alias_to)
            value = parameters[value.alias_to]
        values[name] = value
    return values
