"""The drop-in beside PyTorch's own: the same texts and numbers for random input, the same draws for the same seed.

Skipped where this interpreter has no PyTorch.
"""

from __future__ import annotations

import importlib
import math
import pickle
import random
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tallymark import benchmark as ours

if importlib.util.find_spec("torch") is None:
    pytest.skip("this interpreter has no PyTorch", allow_module_level=True)

import torch
import torch.utils.benchmark as theirs

if "tallymark" in theirs.__name__:
    pytest.skip("torch.utils.benchmark is the drop-in itself", allow_module_level=True)

BOTH = (theirs, ours)


def masked(value: object) -> str:
    return re.sub("0x[0-9a-f]+", "0x…", repr(value))


class Drawn:
    """Random measurements, each as its fields. None is below a nanosecond: PyTorch shows those in seconds."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, **choices: tuple[Any, ...]) -> tuple[int, list[float], dict[str, Any]]:
        draw = self.random.choice
        base, number = 10 ** self.random.uniform(-8.9, 1), draw([1, 10, 1000])
        noise, count = draw([0.001, 0.02, 0.1, 0.5]), draw([1, 2, 3, 4, 5, 10, 33, 100])
        raw = [
            max(base * number * (1 + noise * self.random.gauss(0, 1)), 1e-9 * number)
            for _ in range(count)
        ]
        fields: dict[str, tuple[Any, ...]] = {
            "stmt": ("f(x)", "g(x)\nh(y)", "long_function_name(x, y)"),
            "setup": ("pass", "", "a = 1", "a = 1\nb = 2"),
            "label": (None, "label"),
            "sub_label": (None, "sub", "other sub"),
            "description": ("a", "b", "c"),
            "num_threads": (1, 1, 4),
            **choices,
        }
        return number, raw, {name: draw(values) for name, values in fields.items()}


def made(module: Any, drawn: tuple[int, list[float], dict[str, Any]]) -> Any:
    number, raw, task = drawn
    return module.Measurement(number, list(raw), module.TaskSpec(**task))


def test_measurements_say_the_same() -> None:
    drawn = Drawn(1)
    for _ in range(600):
        fields = drawn.one(description=(None, "text"))
        a, b = (made(module, fields) for module in BOTH)
        assert masked(a) == masked(b)
        assert (a.median, a.iqr, a.significant_figures, a.has_warnings) == (
            b.median,
            b.iqr,
            b.significant_figures,
            b.has_warnings,
        )
        assert math.isclose(a.mean, b.mean, rel_tol=1e-12)


def test_tables_are_the_same() -> None:
    drawn = Drawn(2)
    coin = drawn.random.random
    for _ in range(300):
        environments = ("e",) if coin() < 0.5 else ("e", "longer")
        fields = [
            drawn.one(label=("one", "two"), env=environments)
            for _ in range(drawn.random.randint(1, 14))
        ]
        calls: list[tuple[str, dict[str, Any]]] = [
            call
            for call in (
                ("trim_significant_figures", {}),
                ("highlight_warnings", {}),
                ("colorize", {"rowwise": coin() < 0.5}),
            )
            if coin() < 0.5
        ]
        texts = []
        for module in BOTH:
            compare = module.Compare([made(module, one) for one in fields])
            for name, arguments in calls:
                getattr(compare, name)(**arguments)
            texts.append(str(compare))
        assert texts[0] == texts[1]


def test_measurements_of_pytorchs_own_stand_in_our_tables() -> None:
    fields = Drawn(3).one()
    stored = pickle.loads(pickle.dumps(made(theirs, fields)))
    assert str(ours.Compare([stored])) == str(theirs.Compare([stored]))


def test_numbers_are_trimmed_and_scaled_alike() -> None:
    draw = random.Random(4)
    for _ in range(4000):
        x = draw.choice(
            [
                10 ** draw.uniform(-9, 9),
                10.0 ** draw.randint(-9, 9),
                draw.randint(1, 10**6) / 10 ** draw.randint(0, 6),
            ]
        )
        figures = draw.randint(1, 6)
        assert theirs.trim_sigfig(-x, figures) == ours.trim_sigfig(-x, figures)
        if x >= 1e-9:
            assert theirs.select_unit(x) == ours.select_unit(x)


def test_function_counts_are_the_same() -> None:
    draw = random.Random(5)
    operations: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a,
        lambda a, b: a - b,
        lambda a, b: (a + b)[2:9],
        lambda a, b: b * 1.7,
        lambda a, b: a.transform(lambda name: name[:4]),
        lambda a, b: a.filter(lambda name: "a" in name),
        lambda a, b: a.denoise(),
    ]
    for _ in range(100):
        names = [
            "".join(draw.choices("abc/.:[] ", k=draw.randint(3, 150)))
            for _ in range(draw.randint(0, 40))
        ]
        rows = sorted(
            ((draw.randint(1, 10 ** draw.randint(1, 9)), name) for name in names), reverse=True
        )
        fewer = [(count + 7, name) for count, name in rows if draw.random() < 0.7]
        debug = draw.random() < 0.5
        reprs: list[list[str]] = []
        for module in BOTH:
            a, b = (
                module.FunctionCounts(tuple(module.FunctionCount(*row) for row in some), False)
                for some in (rows, fewer)
            )
            task = module.TaskSpec("x\ny", "pass", num_threads=2)
            stats = module.CallgrindStats(task, 100, debug, b, b, a, a, None)
            found = [operation(a, b) for operation in operations]
            found += [stats, stats.as_standardized().stats(), stats.delta(stats)]
            reprs.append([masked(one) for one in found])
        assert reprs[0] == reprs[1]


class PlayedClock:
    """timeit.Timer's place: times come from one generator, so that one call more or less shifts all that follow."""

    def __init__(self, **_: Any) -> None:
        self.random = random.Random(6)
        self.cost = 10 ** self.random.uniform(-9, -2)

    def timeit(self, number: int) -> float:
        return sum(self.random.gauss(mean, mean / 20) for mean in (1e-7, self.cost * number, 1e-7))


@pytest.mark.parametrize("seed", range(20))
def test_the_clock_is_read_in_the_same_order(seed: int) -> None:
    results = []
    for module in BOTH:

        class Clock(PlayedClock):
            def __init__(self, **_: Any) -> None:
                self.random = random.Random(seed)
                self.cost = 10 ** self.random.uniform(-9, -2)

        timer = type("Own", (module.Timer,), {"_timer_cls": Clock})("f")
        seen: list[tuple[int, float]] = []
        found = [
            timer.timeit(100),
            timer.blocked_autorange(
                callback=lambda *args, seen=seen: seen.append(args), min_run_time=0.05
            ),
            timer.adaptive_autorange(threshold=0.05, max_run_time=0.5),
        ]
        results.append(([(one.number_per_run, one.raw_times) for one in found], seen))
    assert results[0] == results[1]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, torch.Tensor) and a.is_sparse:
        parts = [(one.is_coalesced(), one._indices(), one._values()) for one in (a, b)]
        return all(same(x, y) for x, y in zip(*parts))
    if isinstance(a, torch.Tensor):
        return bool(a.dtype == b.dtype and a.stride() == b.stride() and torch.equal(a, b))
    if hasattr(a, "tolist"):
        return bool(a.tolist() == b.tolist())
    return type(a) is type(b) and bool(a == b)


@pytest.fixture
def theirs_take_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions of today refuse what is normalised, and so all of its own fuzzers."""
    monkeypatch.setattr(theirs.FuzzedParameter, "_check_distribution", lambda self, value: value)


FUZZERS: list[tuple[str, str, dict[str, Any]]] = [
    ("unary", "UnaryOpFuzzer", {}),
    ("binary", "BinaryOpFuzzer", {}),
    ("sparse_unary", "UnaryOpSparseFuzzer", {}),
    ("sparse_binary", "BinaryOpSparseFuzzer", {}),
    ("spectral", "SpectralOpFuzzer", {"probability_regular": 0.5}),
    ("unary", "UnaryOpFuzzer", {"dtype": torch.int32}),
]


@pytest.mark.usefixtures("theirs_take_probabilities")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("module", "name", "arguments"), FUZZERS)
def test_operators_get_the_same_tensors(module: str, name: str, arguments: dict[str, Any]) -> None:
    for seed in (3,):
        taken = []
        rates = []
        for package in BOTH:
            folder = importlib.import_module(f"{package.__name__}.op_fuzzers.{module}")
            fuzzer = getattr(folder, name)(seed=seed, **arguments)
            taken.append(list(fuzzer.take(1)))
            rates.append(fuzzer.rejection_rate)
        for a, b in zip(*taken):
            assert all(same(x, y) for x, y in zip(a, b))
        assert rates[0] == rates[1]


def own_fuzzer(package: Any) -> Any:
    return package.Fuzzer(
        parameters=[
            package.FuzzedParameter("n", 1, 40, distribution="loguniform"),
            [package.FuzzedParameter("m", 2, 9, distribution="uniform", strict=True)],
            package.FuzzedParameter("p", 0.5, 2.5, distribution="uniform"),
            package.FuzzedParameter(
                "k",
                distribution={
                    1: 0.3,
                    package.ParameterAlias("n"): 0.5,
                    package.ParameterAlias("q"): 0.2,
                },
            ),
            package.FuzzedParameter("q", distribution={package.ParameterAlias("m"): 1.0}),
            package.FuzzedParameter("s", distribution={1: 0.5, 3: 0.5}),
        ],
        tensors=[
            package.FuzzedTensor(
                "x", size=("n", "k", 3), steps=("s",), max_elements=400, probability_contiguous=0.3
            ),
            [package.FuzzedTensor("y", size=("m", "n"), dim_parameter="q", dtype=torch.int64)],
        ],
        constraints=[lambda parameters: parameters["n"] != 7],
        seed=11,
    )


@pytest.mark.usefixtures("theirs_take_probabilities")
def test_a_fuzzer_of_ones_own_draws_the_same() -> None:
    def taken() -> Iterator[list[Any]]:
        for package in BOTH:
            yield list(own_fuzzer(package).take(30))

    a, b = taken()
    assert len(a) == len(b) == 30
    for one, other in zip(a, b):
        assert all(same(x, y) for x, y in zip(one, other))


def test_names_are_all_there() -> None:
    public = {name for name in theirs.__dict__ if name in ours.__all__}
    assert public == set(ours.__all__) - {"install"}
    for path in (
        "common",
        "timer",
        "compare",
        "fuzzer",
        "sparse_fuzzer",
        "valgrind_wrapper.timer_interface",
    ):
        module = importlib.import_module(f"torch.utils.benchmark.utils.{path}")
        mine = importlib.import_module(f"tallymark.benchmark.utils.{path}")
        missing = [
            name
            for name in getattr(module, "__all__", ["FuzzedSparseTensor"])
            if not hasattr(mine, name)
        ]
        assert not missing, path


def test_modules_of_torch_travel(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tallymark.benchmark.utils.valgrind_wrapper.timer_interface import (
        GlobalsBridge,
        Serialization,
    )

    linear = torch.nn.Linear(2, 2)
    scripted = torch.jit.script(linear)
    wrapped = {
        name: ours.CopyIfCallgrind(value) for name, value in (("a", linear), ("b", scripted))
    }
    assert [one.serialization for one in wrapped.values()] == [
        Serialization.TORCH,
        Serialization.TORCH_JIT,
    ]
    bridge = GlobalsBridge({"torch": torch, **wrapped}, str(tmp_path))
    assert bridge.uses_torch
    names: dict[str, Any] = {}
    exec(bridge.construct(), names)
    x = torch.ones(2)
    assert torch.equal(names["a"](x), linear(x))
    assert torch.equal(names["b"](x), linear(x))
    for value in (x, [x]):
        with pytest.raises(ValueError, match="ScriptModule"):
            ours.CopyIfCallgrind(value)


def test_torch_is_a_global_of_every_statement() -> None:
    timer = ours.Timer("torch.ones(2)")
    assert timer._globals["torch"] is torch
    assert timer.timeit(2).median > 0


def test_threads_are_set_for_the_statement_alone() -> None:
    before = torch.get_num_threads()
    seen: list[int] = []
    ours.Timer(
        "see(torch.get_num_threads())", globals={"see": seen.append}, num_threads=before + 1
    ).timeit(1)
    assert set(seen) == {before + 1}
    assert torch.get_num_threads() == before


def test_printed_width_is_pytorchs() -> None:
    counts = ours.FunctionCounts((ours.FunctionCount(1, "f" * 200),), True)
    torch.set_printoptions(linewidth=120)
    try:
        assert max(map(len, repr(counts).splitlines()[1:])) == 120
    finally:
        torch.set_printoptions(linewidth=80)


def test_this_module_has_looked_at_two_packages() -> None:
    assert sys.modules["torch.utils.benchmark"] is theirs
    assert theirs.Measurement is not ours.Measurement
