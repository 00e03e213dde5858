"""`tally run --pytest` on projects of two files, each with one habit: what a conftest.py leaves, threads, other
plugins' forms, loops and coroutines.

Run as: TALLY=…/tally python3 pytest_habits_test.py. Exit code 77: this interpreter has no pytest.
"""

import sys
import tempfile
from pathlib import Path

from pytest_projects import BENCHMARK, HERE, expect, record_of, run_checks, status_of, tally

COROUTINES = """
import asyncio, anyio, pytest, pytest_asyncio
async def work(n):
    for _ in range(n):
        await anyio.sleep(0)
    return n
@pytest_asyncio.fixture
async def made():
    await asyncio.sleep(0)
    yield 10
    await asyncio.sleep(0)
def test_plain(benchmark):
    assert benchmark(work, 10) == 10
@pytest.mark.asyncio
async def test_within(benchmark, made):
    assert benchmark(work, made) == 10
    assert await asyncio.create_task(work(3)) == 3
@pytest.mark.asyncio
async def test_tally(tally):
    tally(work, 10)
@pytest.mark.asyncio
async def test_no_coroutine(benchmark, made):
    assert benchmark(sorted, [made, 1]) == [1, 10]
@pytest.mark.asyncio
@pytest.mark.benchmark
async def test_marked(made):
    await work(made)
@pytest.mark.asyncio
async def test_of_the_other_loop(benchmark):
    future = asyncio.get_running_loop().create_future()
    async def wait():
        await future
    benchmark(wait)
@pytest.mark.anyio
async def test_within_anyio(benchmark, anyio_backend):
    assert benchmark(work, 10) == 10
@pytest.mark.anyio
@pytest.mark.benchmark
async def test_marked_anyio(anyio_backend):
    await work(10)
"""


def check_what_takes_the_place_of_output():
    replaced = "import io, sys\nsys.stdout, sys.stderr = io.StringIO(), None\n"
    found = status_of(replaced, BENCHMARK)
    expect(found["test_it"][0] == "ok", f"it is measured: {found}")


def check_a_fixture_that_hangs():
    hangs = """
import pytest, time
@pytest.fixture
def hangs():
    time.sleep(1000)
"""
    tests = BENCHMARK + BENCHMARK.replace("_it(", "_hangs(hangs, ")
    found = status_of(hangs, tests, "--timeout", "10", "--retries", "0", code=1)
    expect(found["test_it"][0] == "ok", f"another one goes on: {found}")
    status, case = found["test_hangs"]
    expect((status, case["failure"]["stage"]) == ("timeout", "setup"), f"it says where: {case}")


def check_threads_of_a_conftest():
    thread = """
import threading
threading.Thread(target=threading.Event().wait, name="waits", daemon=True).start()
"""
    status, case = status_of(thread, BENCHMARK)["test_it"]
    expect(status == "ok", f"it is measured: {case}")
    warned = "has threads and is not forked: waits" in str(case["warnings"])
    expect(warned, f"and says in which process: {case['warnings']}")


def check_threads_that_a_benchmark_waits_for():
    """A fork has none of them: what is forked to learn the size of a call would wait for ever."""
    pool = """
import concurrent.futures, pytest
@pytest.fixture
def pool():
    import termios  # a library of its own, which is not why processes differ
    with concurrent.futures.ThreadPoolExecutor(1) as made:
        made.submit(len, "").result()
        yield made
"""
    tests = """
def wait_for(pool, numbers):
    return pool.submit(sum, range(numbers)).result()
def test_it(pool, benchmark):
    assert benchmark(wait_for, pool, 1000) == 499500
def test_prepared(pool, benchmark):
    benchmark.pedantic(wait_for, setup=lambda: ((pool, 1000), {}), rounds=5)
"""
    for name, (status, case) in status_of(pool, tests, "--timeout", "60", "--retries", "0").items():
        expect(status == "ok", f"{name} is measured: {case}")
        expect(case["counts"]["per_iteration"] > 10_000, f"its thread's work is counted: {case}")
        differ = [one for one in case["warnings"] if one.startswith("processes differ")]
        expect(all("it has 2 threads" in one for one in differ), f"the reason is named: {differ}")


def check_a_thread_that_is_polled():
    """A fork that looks for its answer again and again is as stuck as one that waits for it."""
    fixture = """
import queue, threading, time, pytest
@pytest.fixture
def worker():
    given, made = queue.SimpleQueue(), []
    def work():
        while (number := given.get()) is not None:
            made.append(number + 1)
    thread = threading.Thread(target=work)
    thread.start()
    def call(number):
        given.put(number)
        while not made:
            time.sleep(0.0005)
        return made.pop()
    yield call
    given.put(None)
    thread.join()
"""
    tests = """
def test_it(worker, benchmark):
    assert benchmark(worker, 1) == 2
"""
    status, case = status_of(fixture, tests, "--timeout", "60", "--retries", "0")["test_it"]
    expect(status == "ok" and case["counts"]["per_iteration"] > 1_000, f"it is measured: {case}")


def check_what_a_conftest_leaves():
    """A folder that it has entered, files that it has open, and what it has made of signals."""
    conftest = """
import os, tempfile
os.chdir(os.path.dirname(os.path.abspath(__file__)))
OPEN = open(__file__, "rb")
OPEN.read(7)
NUMBER = OPEN.fileno()
"""
    tests = """
import os, shutil, conftest
def test_place(benchmark):
    benchmark(open("conftest.py").read)
def test_file(benchmark):
    assert os.fstat(conftest.NUMBER).st_size == os.stat("conftest.py").st_size
    assert conftest.OPEN.tell() == 7
    benchmark(conftest.OPEN.read, 10)
def test_file_again(benchmark):
    assert conftest.OPEN.tell() == 7, "another case has read"
    benchmark(conftest.OPEN.read, 10)
def write_to_closed_pipe():
    r, w = os.pipe()
    os.close(r)
    try:
        os.write(w, b"x")
    except BrokenPipeError:
        pass
    os.close(w)
def test_pipe(benchmark):
    benchmark(write_to_closed_pipe)
def test_safe_removal(benchmark):
    assert shutil.rmtree.avoids_symlink_attacks
    benchmark(int)
"""
    for option in ((), ("--wall-only",)):
        found = status_of(conftest, tests, *option)
        for name in (
            "test_place",
            "test_file",
            "test_file_again",
            "test_pipe",
            "test_safe_removal",
        ):
            expect(found[name][0] == "ok", f"{option}: {name}: {found[name][1]}")


def check_which_tests_benchmark():
    """A fixture may be requested by name, and what is called so may be something else."""
    conftest = """
import pytest
@pytest.fixture(name="bench")
def other_name(request):
    return request.getfixturevalue("benchmark")
@pytest.fixture
def over_it(bench):
    return bench
@pytest.fixture(autouse=True)
def of_all(request):
    if "benchmark" in request.fixturenames:
        request.getfixturevalue("benchmark")
"""
    tests = """
import pytest
def test_by_request(request):
    assert request.getfixturevalue("benchmark")(sum, [1, 2]) == 3
def test_by_fixture(over_it):
    over_it(sum, [1, 2])
@pytest.mark.benchmark
def test_marked(request):
    request.getfixturevalue("benchmark")(sum, [1, 2])
def test_maybe(request):
    if request.node.name == "another":
        request.getfixturevalue("benchmark")(sum, [1, 2])
def test_none():
    assert "benchmark"
class TestOwn:
    @pytest.fixture
    def benchmark(self):
        return [1, 2, 3]
    def test_index(self, benchmark):
        assert sum(benchmark) == 6
    def test_index_by_request(self, request):
        assert sum(request.getfixturevalue("benchmark")) == 6
    @pytest.mark.benchmark
    def test_marked_index(self, benchmark):
        assert sum(benchmark) == 6
class TestMore:
    @pytest.fixture
    def benchmark(self, benchmark):
        benchmark.extra_info["b"] = 2
        return benchmark
    def test_more(self, benchmark):
        assert benchmark(sum, [1, 2]) == 3
"""
    found = {name: status for name, (status, _) in status_of(conftest, tests).items()}
    names = "test_by_request", "test_by_fixture", "test_marked", "test_marked_index", "test_more"
    expect(found == {**dict.fromkeys(names, "ok"), "test_maybe": "skipped"}, f"{found}")


def check_what_codspeed_measures():
    tests = """
import unittest, pytest
def test_fixture(codspeed_benchmark):
    codspeed_benchmark(sorted, [3, 1])
@pytest.mark.benchmark
class TestCase(unittest.TestCase):
    def setUp(self):
        self.numbers = list(range(100))
    def test_method(self):
        self.assertEqual(sum(self.numbers), 4950)
    def test_failing(self):
        self.assertEqual(sum(self.numbers), 1)
"""
    found = status_of("", tests, code=1)
    for name in ("test_fixture", "test_method"):
        expect(found[name][0] == "ok", f"{name}: {found[name][1]}")
    expect("1" in found["test_failing"][1]["failure"]["message"], f"{found['test_failing']}")


def check_filters_of_warnings():
    conftest = """
import warnings
def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")
"""
    tests = """
import warnings, pytest
def old():
    warnings.warn("gone soon", DeprecationWarning)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old(benchmark):
    benchmark(old)
def test_strict(benchmark):
    benchmark(old)
"""
    found = status_of(conftest, tests, code=1)
    expect(found["test_old"][0] == "ok", f"its own filter holds: {found['test_old']}")
    expect("gone soon" in str(found["test_strict"][1]["failure"]), f"{found['test_strict']}")


# What is installed: as pytest-benchmark, as pytest-xdist and as pytest-cov have their options, each of which measures,
# forks or traces where it is not switched off.
INSTALLED = {
    "pytest_benchmark/plugin.py": """
import pytest
@pytest.fixture
def benchmark():
    raise RuntimeError("pytest-benchmark measures")
""",
    "xdist/plugin.py": """
import pytest
def pytest_addoption(parser):
    parser.getgroup("xdist")._addoption("-n", dest="numprocesses", type=int, default=None)
@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    assert config.option.numprocesses == 0, "pytest-xdist distributes"
""",
    "pytest_cov/plugin.py": """
import pytest
def pytest_addoption(parser):
    parser.addoption("--cov", action="append", default=[])
    parser.addoption("--no-cov", action="store_true", default=False)
@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    assert early_config.known_args_namespace.no_cov, "pytest-cov traces"
""",
    "installed-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: installed\nVersion: 1\n",
    "installed-1.dist-info/entry_points.txt": """[pytest11]
benchmark = pytest_benchmark.plugin
xdist = xdist.plugin
pytest_cov = pytest_cov.plugin
""",
}


def check_plugins_that_a_project_names():
    with tempfile.TemporaryDirectory() as place:
        installed, folder = Path(place) / "installed", Path(place) / "project"
        folder.mkdir()
        for name, text in INSTALLED.items():
            (installed / name).parent.mkdir(parents=True, exist_ok=True)
            (installed / name).write_text(text)
        (folder / "test_it.py").write_text(BENCHMARK)
        for options, conftest in (
            ("-n 4 --cov=src", ""),
            ("-p no:xdist -p no:pytest_cov", ""),
            ("-p no:xdist --cov=src", 'pytest_plugins = ["pytest_benchmark.plugin"]\n'),
            ("-n 4 -p pytest_benchmark.plugin", ""),
        ):
            (folder / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n")
            (folder / "conftest.py").write_text(conftest)
            cases, _, _ = record_of(
                "--pytest",
                folder,
                "--images",
                "off",
                "--keep-env",
                "PYTHONPATH",
                PYTHONPATH=str(installed),
            )
            status = [case["status"] for case in cases.values()]
            expect(status == ["ok"], f"{options}, {conftest}: {cases}")


def check_what_a_coroutine_leaves():
    """Its loop is closed: what is collected afterwards has nothing to warn of."""
    conftest = """
import gc, pytest
def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")
@pytest.fixture(autouse=True)
def collects():
    yield
    gc.collect()
"""
    tests = """
import asyncio, socket
async def work():
    await asyncio.sleep(0)
    return 3
def test_closes(benchmark):
    assert benchmark(work) == 3
def test_leaves_sockets(benchmark):
    socket.socketpair()
    benchmark(int)
"""
    found = status_of(conftest, tests, code=1)
    expect(found["test_closes"][0] == "ok", f"{found['test_closes']}")
    status, case = found["test_leaves_sockets"]
    said = case["failure"]["message"]
    expect(status == "failed" and "Warning: " in said.splitlines()[0], f"it says why: {said}")


def check_files_that_skip_themselves():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_one.py").write_text(BENCHMARK)
        skips = 'import pytest\npytest.importorskip("no_such_module")\n'
        (Path(folder) / "test_skipped.py").write_text(skips + BENCHMARK)
        (Path(folder) / "test_other.py").write_text(skips + "def test_it():\n    pass\n")
        cases, _, _ = record_of("--pytest", folder, "--images", "off")
    found = {name.rpartition("/")[2]: case for name, case in cases.items()}
    expect(
        sorted(found) == ["test_one.py::test_it", "test_skipped.py"], f"which are listed: {found}"
    )
    skipped = found["test_skipped.py"]
    expect(skipped["status"] == "skipped", f"{skipped}")
    expect("no_such_module" in str(skipped["warnings"]), f"and why: {skipped}")


def check_a_conftest_that_raises():
    """As one that wants a device which is not there."""
    words = "Found no NVIDIA driver on your system."
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "pytest.ini").write_text("[pytest]\n")
        for name in ("device", "other"):
            (folder / name).mkdir()
            (folder / name / f"test_{name}.py").write_text(BENCHMARK)
        (folder / "device/conftest.py").write_text(f"raise RuntimeError({words!r})\n")
        alone = tally(
            "list", "--python", sys.executable, "--pytest", "device", folder=folder, code=2
        )
        cases, _, _ = record_of("--pytest", ".", "--images", "off", folder=folder, code=1)
    said = alone.stderr
    expect(words in said and said.count("\n") == 1, f"one line says why nothing is there: {said}")
    status = {name: case["status"] for name, case in cases.items()}
    expect(status == {"device": "failed", "other/test_other.py::test_it": "ok"}, f"{status}")
    message = cases["device"]["failure"]["message"]
    expect(words in message, f"the folder's case says why: {message}")


def check_more_threads_than_can_be_counted():
    tests = """
import threading
def wait_together(number):
    end = threading.Event()
    threads = [threading.Thread(target=end.wait) for _ in range(number)]
    for one in threads:
        one.start()
    end.set()
    for one in threads:
        one.join()
def test_it(benchmark):
    benchmark.pedantic(wait_together, (500,))
"""
    status, case = status_of("", tests, code=1)["test_it"]
    words = "it begins its 500th thread, and has 499 at most where it is counted"
    expect(status == "failed" and words in case["failure"]["message"], f"it says why: {case}")


def check_a_loop_that_runs():
    """What a coroutine test gives to benchmark may ask for the loop that runs: in a fork, asyncio knows of none."""
    conftest = """
import asyncio, inspect, pytest
@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        asyncio.run(pyfuncitem.obj(**given))
        return True
"""
    tests = """
import asyncio
def ask():
    return asyncio.get_running_loop().time()
async def test_it(benchmark):
    assert benchmark(ask) > 0
async def test_prepared(benchmark):
    benchmark.pedantic(ask, setup=lambda: ((), {}), rounds=5)
"""
    for name, (status, case) in status_of(conftest, tests).items():
        expect(status == "ok", f"{name} is measured: {case}")


def check_coroutines():
    plugins = HERE.parents[1] / "build/python-coroutines"
    if not plugins.exists():
        print(f"without tests of coroutines: no {plugins}")
        return
    found = status_of("", COROUTINES, "--keep-env", "PYTHONPATH", code=1, PYTHONPATH=str(plugins))
    failed = {
        name: case["failure"]["message"] for name, (status, case) in found.items() if status != "ok"
    }
    expected = {
        "test_of_the_other_loop": "attached to a different loop",
        "test_within_anyio[trio]": "this test is run by trio",
    }
    expect(failed.keys() == expected.keys(), f"these fail: {failed}")
    for name, words in expected.items():
        expect(words in failed[name], f"{name} says {failed[name]}")
    size = {
        name: case["counts"]["per_iteration"] for name, (_, case) in found.items() if case["counts"]
    }
    for name in ("test_within", "test_tally", "test_within_anyio[asyncio]"):
        expect(
            abs(size[name] - size["test_plain"]) < 0.1 * size["test_plain"],
            f"{name} measures what test_plain does: {size}",
        )
    for name in ("test_marked", "test_marked_anyio[asyncio]", "test_marked_anyio[trio]"):
        expect(size[name] > size["test_plain"], f"{name} is measured with its loop: {size}")
    expect(size["test_no_coroutine"] < 0.1 * size["test_plain"], f"and a function without: {size}")


run_checks(
    check_what_takes_the_place_of_output,
    check_a_fixture_that_hangs,
    check_threads_of_a_conftest,
    check_threads_that_a_benchmark_waits_for,
    check_a_thread_that_is_polled,
    check_what_a_conftest_leaves,
    check_which_tests_benchmark,
    check_what_codspeed_measures,
    check_filters_of_warnings,
    check_plugins_that_a_project_names,
    check_what_a_coroutine_leaves,
    check_files_that_skip_themselves,
    check_a_conftest_that_raises,
    check_more_threads_than_can_be_counted,
    check_a_loop_that_runs,
    check_coroutines,
)
