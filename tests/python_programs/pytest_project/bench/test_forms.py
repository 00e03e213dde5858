"""Each form in which a test benchmarks."""

import os

import pytest
import work


def test_call(benchmark):
    assert benchmark(work.spin, 1000) == 499500


def test_keyword(benchmark):
    assert benchmark(work.spin, n=1000) == 499500


@pytest.fixture
def checks_that_it_is_rolled_back():
    before = work.spin
    yield
    assert work.spin is before


def test_weave(checks_that_it_is_rolled_back, benchmark):
    benchmark.weave("work.spin", lazy=False)
    assert work.spin(1000) == 499500


@pytest.mark.parametrize("n", [10, 1000])
def test_sizes(benchmark, n):
    assert benchmark.params == {"n": n}
    benchmark.extra_info["n"] = n
    benchmark(work.spin, n)


@pytest.mark.parametrize("items", [[1, 2], [3]])
@pytest.mark.parametrize(
    ("text", "how"), [("5 KB " * 1000, sorted), pytest.param("b", max, id="largest")]
)
def test_axes(benchmark, text, how, items):
    benchmark(how, items)


@pytest.mark.parametrize("n", [1, "1"], ids=["number", "text"])
def test_equal_texts(benchmark, n):
    benchmark(work.spin, 10)


@pytest.mark.benchmark(group="marked")
def test_marked(size):
    work.spin(10 * size)


def test_pedantic_setup(benchmark):
    calls = []

    def setup():
        calls.append("setup")
        return ([3, 1, 2],), {}

    def teardown(items):
        assert items == [1, 2, 3]

    def sort(items):
        assert items == [3, 1, 2], "each execution has a list of its own"
        items.sort()
        return items

    assert benchmark.pedantic(sort, setup=setup, teardown=teardown, rounds=5) == [1, 2, 3]


def test_pedantic_setup_elsewhere(benchmark):
    box = []

    def setup():
        box[:] = [3, 1, 2]

    def sort():
        assert box == [3, 1, 2]
        box.sort()

    benchmark.pedantic(sort, setup=setup, rounds=5)


def test_coroutine(benchmark):
    assert benchmark(work.wait_for_nothing, 100) == 4950


class TestClass:
    def test_method(self, benchmark, shared, monkeypatch):
        monkeypatch.setattr(work, "spin", lambda n: n)
        assert benchmark(work.spin, shared["made"]) == 1


def test_not_to_be_pickled(benchmark, tmp_path):
    counter = work.Counter()
    file = tmp_path / "open"
    with file.open("w"):
        assert benchmark(counter.step) > 1


@pytest.fixture
def number_of_the_process():
    return os.getpid()


def test_asks_for_its_number(benchmark, number_of_the_process):
    benchmark(work.spin, 10)


def test_heavy(benchmark):
    benchmark(work.spin, 300_000)


def test_no_benchmark():
    assert work.spin(3) == 3


def test_environment(benchmark):
    assert os.path.basename(os.getcwd()) == "pytest_project"
    benchmark(work.spin, 1000)
