"""Fuzzers, as far as they need neither PyTorch nor NumPy."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest
from tallymark.benchmark import FuzzedParameter, Fuzzer, ParameterAlias
from tallymark.benchmark.op_fuzzers.spectral import REGULAR_SIZES


class State:
    """What of numpy.random.RandomState is used."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def uniform(self, low: float, high: float) -> float:
        return self.random.uniform(low, high)

    def randint(self, low: int, high: int) -> int:
        return self.random.randrange(low, high)

    def choice(self, values: Any, p: tuple[float, ...]) -> int:
        return int(self.random.choices(values, weights=p)[0])


def sampled(parameter: FuzzedParameter, times: int = 300) -> list[Any]:
    state = State(1)
    return [parameter.sample(state) for _ in range(times)]


def test_whole_limits_give_whole_numbers_both_included() -> None:
    assert set(sampled(FuzzedParameter("n", 2, 5, distribution="uniform"))) == {2, 3, 4, 5}
    values = sampled(FuzzedParameter("n", 1, 1000, distribution="loguniform"))
    assert all(isinstance(value, int) and 1 <= value <= 1000 for value in values)
    assert 60 < sum(value < 10 for value in values) < 140  # a third of them


def test_other_limits_give_other_numbers() -> None:
    values = sampled(FuzzedParameter("n", 0.5, 1.5, distribution="uniform"))
    assert all(0.5 <= value <= 1.5 for value in values)
    assert len(set(values)) == len(values)


def test_a_normalised_distribution_is_the_one_that_is_taken() -> None:
    values = sampled(FuzzedParameter("n", distribution={"a": 0.9, True: 0.1}))
    assert set(values) == {"a", True}
    assert values.count("a") > 200
    with pytest.raises(AssertionError, match="Distribution is not normalized"):
        FuzzedParameter("n", distribution={1: 0.5, 2: 0.4})
    with pytest.raises(AssertionError, match="Probabilities cannot be negative"):
        FuzzedParameter("n", distribution={1: 1.5, 2: -0.5})


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"distribution": "normal"},
        {"distribution": {1: 1.0}, "minval": 1},
        {"distribution": {1: 1.0}, "maxval": 1},
    ],
)
def test_what_makes_no_distribution_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        FuzzedParameter("n", **arguments)


def fuzzer(*parameters: FuzzedParameter, **other: Any) -> Fuzzer:
    return Fuzzer(list(parameters), [], seed=0, **other)


def test_aliases_have_the_value_of_what_they_name() -> None:
    one = fuzzer(
        FuzzedParameter("a", distribution={ParameterAlias("b"): 1.0}),
        FuzzedParameter("b", distribution={ParameterAlias("c"): 1.0}),
        FuzzedParameter("c", 3, 3, distribution="uniform"),
    )
    assert one._generate(State(1)) == {"a": 3, "b": 3, "c": 3}
    assert repr(ParameterAlias("b")) == "ParameterAlias[alias_to: b]"


def test_aliases_in_a_circle_are_an_error() -> None:
    one = fuzzer(
        FuzzedParameter("a", distribution={ParameterAlias("b"): 1.0}),
        FuzzedParameter("b", distribution={ParameterAlias("a"): 1.0}),
    )
    with pytest.raises(ValueError, match="ParameterAlias cycle detected"):
        one._generate(State(1))


def test_rejected_sets_are_drawn_again_but_for_what_is_strict() -> None:
    seen: list[dict[str, Any]] = []

    def wanted(parameters: dict[str, Any]) -> bool:
        seen.append(parameters)
        return bool(parameters["free"] > 90)

    one = fuzzer(
        FuzzedParameter("free", 1, 100, distribution="uniform"),
        FuzzedParameter("kept", 1, 10**9, distribution="uniform", strict=True),
        constraints=[wanted],
    )
    found = one._generate(State(1))
    assert found["free"] > 90
    assert len(seen) > 1
    assert {parameters["kept"] for parameters in seen} == {found["kept"]}
    assert one.rejection_rate == (len(seen) - 1) / len(seen)


def test_what_is_never_wanted_ends_after_a_thousand_tries() -> None:
    one = fuzzer(constraints=[lambda parameters: False])
    with pytest.raises(ValueError, match=r"Failed to generate a set of valid parameters\."):
        one._generate(State(1))
    assert one.rejection_rate == 1
    assert fuzzer().rejection_rate == 0


def test_regular_sizes_are_products_of_two_three_and_five() -> None:
    assert REGULAR_SIZES[:6] == [18, 20, 24, 25, 27, 30]
    assert REGULAR_SIZES[-1] == 16384


def test_fuzzers_of_operators_are_made_without_torch() -> None:
    script = """
import sys
sys.modules["torch"] = sys.modules["numpy"] = None  # as if they were not installed
from tallymark.benchmark import Fuzzer, FuzzedTensor
from tallymark.benchmark.op_fuzzers import binary, sparse_binary, sparse_unary, spectral, unary
for made in (
    unary.UnaryOpFuzzer(0), binary.BinaryOpFuzzer(0), sparse_unary.UnaryOpSparseFuzzer(0),
    sparse_binary.BinaryOpSparseFuzzer(0), spectral.SpectralOpFuzzer(seed=None), Fuzzer([], []),
):
    assert isinstance(made._seed, int)
try:
    FuzzedTensor("x", size=(1,))._dtype
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "FuzzedTensor needs PyTorch: pip install torch\n", done.stderr
