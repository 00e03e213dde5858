"""`tally run --pytest` on what a test has executed: rounds with a setup and a teardown, one execution alone, the
figures of pytest-benchmark that it may look at, and collections of its heap.

Run as: TALLY=…/tally python3 pytest_rounds_test.py. Exit code 77: this interpreter has no pytest.
"""

from pytest_projects import expect, run_checks, status_of


def check_rounds():
    """pedantic() with a teardown and no setup, with a setup that takes the arguments, and one that returns nothing."""
    tests = """
import os
def fill(d):
    for i in range(1000):
        d[i] = i
def test_make_folder(benchmark, tmp_path):
    benchmark.pedantic(os.mkdir, (tmp_path / "x",), teardown=os.rmdir, rounds=5)
def test_teardown(benchmark):
    d = {}
    benchmark.pedantic(lambda: fill(d), teardown=d.clear, rounds=5)
def test_setup(benchmark):
    d = {}
    benchmark.pedantic(lambda: fill(d), setup=d.clear, rounds=5)
def test_twice(benchmark):
    d = {}
    benchmark.pedantic(lambda: fill(d), teardown=d.clear, rounds=5, iterations=2)
def test_setup_returns_0(benchmark):
    benchmark.pedantic(len, ("",), setup=lambda: 0)
def test_setup_with_arguments(benchmark):
    benchmark.pedantic(len, ([],), setup=lambda one: one.append(1))
"""
    found = status_of("", tests)
    for name, (status, case) in found.items():
        expect(status == "ok", f"{name}: {case}")
    each = {name: case["counts"]["per_iteration"] for name, (_, case) in found.items()}
    near = abs(each["test_teardown"] - each["test_setup"]) < 0.01 * each["test_setup"]
    expect(near, f"a teardown does what a setup does: {each}")
    # Its second execution writes over what is there.
    expect(
        each["test_twice"] < 0.98 * each["test_teardown"], f"two executions to a teardown: {each}"
    )


def check_setups_that_return_arguments():
    """Each comes right before its execution, and each teardown right after it: an execution finds what they leave."""
    tests = """
import pytest
CACHE = {}
def slow(key):
    if key not in CACHE:
        CACHE[key] = sum(range(20000))
    return CACHE[key]
def empty():
    CACHE.clear()
    return ("k",), {}
def test_returns_arguments(benchmark):
    benchmark.pedantic(slow, setup=empty, rounds=20)
def test_returns_none(benchmark):
    benchmark.pedantic(slow, ("k",), setup=CACHE.clear, rounds=20)
def test_teardown(benchmark):
    benchmark.pedantic(slow, setup=lambda: (("k",), {}), teardown=CACHE.pop, rounds=20)
def test_order(benchmark):
    done = []
    def setup():
        done.append("setup")
        return (done,), {}
    def execute(done):
        assert done[-1] == "setup"
        done.append("execution")
    def teardown(done):
        assert done[-2:] == ["setup", "execution"]
        done.append("teardown")
    benchmark.pedantic(execute, setup=setup, teardown=teardown, rounds=20)
    assert done == ["setup", "execution", "teardown"] * (len(done) // 3)
"""
    found = status_of("", tests)
    for name, (status, case) in found.items():
        expect(status == "ok" and case["counts"]["spread"] == 0, f"{name}: {case}")
    each = {name: case["counts"]["per_iteration"] for name, (_, case) in found.items()}
    for name in ("test_returns_arguments", "test_teardown"):
        # Which blocks the allocator has free is another thing after each.
        near = abs(each[name] - each["test_returns_none"]) < 0.2 * each["test_returns_none"]
        expect(near and each[name] > 20 * 20_000, f"{name} finds an empty cache each time: {each}")
    status, case = status_of("", tests, "--filter", "test_order", "--wall-only")["test_order"]
    expect(status == "ok", f"also where it is timed: {case}")


ONCE = """
import concurrent.futures, functools, pytest, random, sqlite3
class Lazy:
    @functools.cached_property
    def value(self):
        return sum(range(20000))
ONE = Lazy()
def shuffled():
    data = list(range(2000))
    random.Random(1).shuffle(data)
    return data
def test_lazy(benchmark):
    assert benchmark.pedantic(lambda: ONE.value) == 199990000
def test_lazy_more_rounds(benchmark):
    benchmark.pedantic(lambda: ONE.value, rounds=2)
def test_lazy_with_warm_up(benchmark):
    benchmark.pedantic(lambda: ONE.value, rounds=1, warmup_rounds=1)
def test_sort(benchmark):
    data = shuffled()
    benchmark.pedantic(data.sort, rounds=1, iterations=1)
    assert data == sorted(data)
def test_sort_fresh(benchmark):
    benchmark.pedantic(list.sort, setup=lambda: ((shuffled(),), {}), rounds=5)
def test_insert(benchmark):
    db = sqlite3.connect(":memory:")
    db.execute("create table t (id integer primary key)")
    benchmark.pedantic(db.execute, ("insert into t values (1)",))
    assert db.execute("select count(*) from t").fetchone() == (1,), "it is executed once here"
def test_around(benchmark):
    done = []
    def setup():
        done.append("setup")
        return (done,), {}
    benchmark.pedantic(lambda one: one.append("it"), setup=setup, teardown=lambda one: one.append("after"))
    assert done == ["setup", "it", "after"]
async def wait():
    return ONE.value
def test_coroutine(benchmark):
    assert benchmark.pedantic(wait) == 199990000
def test_thread(benchmark):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(len, "").result()
        assert benchmark.pedantic(lambda: pool.submit(lambda: ONE.value).result()) == 199990000
"""


def check_what_runs_once():
    """pedantic() with the rounds that it has by itself: one execution, of which nothing was done before."""
    found = status_of("", ONCE)
    for name, (status, case) in found.items():
        expect(status == "ok", f"{name}: {case}")
        exact = case["counts"]["spread"] == 0 or name == "test_thread"
        expect(exact, f"{name}, in each process: {case}")
    each = {name: case["counts"]["per_iteration"] for name, (_, case) in found.items()}
    for name in ("test_lazy", "test_coroutine", "test_thread"):
        expect(each[name] > 20 * 20_000, f"{name} makes the value: {each}")
    for name in ("test_lazy_more_rounds", "test_lazy_with_warm_up"):
        expect(each[name] < 1_000, f"{name} finds it made: {each}")
    near = abs(each["test_sort"] - each["test_sort_fresh"]) < 0.01 * each["test_sort_fresh"]
    expect(near, f"a list is sorted that is not, and no other one is freed: {each}")
    again = status_of("", ONCE, "--filter", "test_sort", "--filter", "test_lazy", "-v")
    for name in ("test_sort", "test_lazy"):
        now = again[name][1]["counts"]["per_iteration"]
        expect(now == each[name], f"{name} read {each[name]}, and now {now}")
    timed = status_of("", ONCE, "--wall-only")
    for name, (status, case) in timed.items():
        expect(status == "ok", f"{name} is timed: {case}")
        of_first = name not in (
            "test_lazy_more_rounds",
            "test_lazy_with_warm_up",
            "test_sort_fresh",
        )
        expect(
            of_first == (case.get("note") == "the first execution in a process"), f"{name}: {case}"
        )
    each = {name: case["wall"]["median_s"] for name, (_, case) in timed.items()}
    expect(
        each["test_lazy"] > 20 * each["test_lazy_more_rounds"],
        f"a time is of the first, too: {each}",
    )


STATS = """
import asyncio, pytest, time
def work(n):
    return sum(range(n))
def check(benchmark, least, most):
    assert benchmark.stats
    mean = benchmark.stats["mean"]
    assert least < mean < most, mean
    assert benchmark.stats["ops"] == pytest.approx(1 / mean)
    for one in (benchmark.stats, benchmark.stats.stats):
        assert one.min == one.max == one.median == mean == one.data[0]
        assert (one.rounds, one.stddev) == (1, 0)
    assert benchmark.stats.get("max") == mean and benchmark.stats.get("no such", 3) == 3
    assert benchmark.stats.stats.as_dict()["total"] == mean
    whole = benchmark.stats.as_dict()
    assert whole["stats"]["data"] == [mean] and whole["name"] == benchmark.name
    assert benchmark.stats.as_dict(flat=True, include_data=False)["min"] == mean
def test_call(benchmark):
    assert not benchmark.stats
    benchmark(work, 100_000)
    check(benchmark, 1e-4, 0.5)
def test_small(benchmark):
    benchmark(work, 10)
    check(benchmark, 0, 1e-3)
def test_rounds(benchmark):
    benchmark.pedantic(work, setup=lambda: ((100_000,), {}), rounds=3)
    check(benchmark, 1e-4, 0.5)
def test_first(benchmark):
    benchmark.pedantic(work, (100_000,))
    check(benchmark, 1e-4, 5)
async def wait():
    work(100_000)
def test_coroutine(benchmark):
    benchmark(wait)
    check(benchmark, 1e-4, 0.5)
def test_sleeps(benchmark):
    benchmark.pedantic(time.sleep, (0.01,), rounds=3)
    benchmark.extra_info["per second"] = 1 / benchmark.stats["mean"]
def test_too_slow(benchmark):
    benchmark(work, 100_000)
    assert benchmark.stats["mean"] < 1e-6
"""


def check_figures_of_pytest_benchmark():
    """benchmark.stats has those of a call, which a test may judge."""
    for option in ((), ("--wall-only", "--max-run-time", "0.2")):
        found = status_of("", STATS, *option, code=1)
        for name, (status, case) in found.items():
            expected = "failed" if name == "test_too_slow" else "ok"
            expect(status == expected, f"{option}: {name} is {status}: {case}")


def check_collections_of_the_heap():
    """What a benchmark asks of the collector is of the heap that the test has, as often as it is asked."""
    tests = """
import gc, pytest
@pytest.fixture(params=[1, 100_000])
def heap(request):
    return [[] for _ in range(request.param)]
def test_collect(benchmark, heap):
    benchmark(gc.collect)
def test_objects(benchmark, heap):
    assert benchmark(lambda: len(gc.get_objects())) > len(heap)
"""
    found = {name: case["counts"] for name, (_, case) in status_of("", tests).items()}
    for name, each in (("collect", 20), ("objects", 5)):
        few, many = (found[f"test_{name}[{heap}]"]["per_iteration"] for heap in (1, 100_000))
        expect(many - few > each * 99_999, f"{name} goes over the heap: {few}, {many}")
    expect(all(one["spread"] == 0 for one in found.values()), f"and is exact: {found}")
    again = {name: case["counts"] for name, (_, case) in status_of("", tests).items()}
    differ = [
        name for name in found if found[name]["per_iteration"] != again[name]["per_iteration"]
    ]
    expect(not differ, f"two runs read the same: {found} {again}")


run_checks(
    check_rounds,
    check_setups_that_return_arguments,
    check_what_runs_once,
    check_figures_of_pytest_benchmark,
    check_collections_of_the_heap,
)
