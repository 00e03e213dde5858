"""`tally run --pytest` on a project of ours with each form of a benchmark, and each way in which one fails.

Run as: TALLY=…/tally python3 pytest_test.py. Exit code 77: this interpreter has no pytest.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from runs import run_to_end

HERE = Path(__file__).resolve().parent
TALLY = os.environ.get("TALLY") or str(HERE.parents[1] / "build/release/tally")


def tally(*arguments, folder=HERE / "pytest_project", code=None, **environment):
    command = [TALLY, *map(str, arguments)]
    done = run_to_end(command, folder, {**os.environ, **environment}, seconds=600)
    if code is not None:
        expect(
            done.returncode == code,
            f"{command}: code {done.returncode}\n{done.stdout}{done.stderr}",
        )
    return done


def expect(good, what):
    if not good:
        sys.exit(f"pytest_test: {what}")


def record_of(*arguments, code=0, **how):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.json"
        done = tally(
            "run",
            "--python",
            sys.executable,
            *(() if "--wall-only" in arguments else ("--counts-only",)),
            "--server",
            "off",
            "--json",
            file,
            *arguments,
            code=code,
            **how,
        )
        record = json.loads(file.read_text())
    return {case["id"]: case for case in record["cases"]}, record, done


def counts(cases):
    return {
        name: (case["counts"]["per_iteration"], case["counts"]["iterations"])
        for name, case in cases.items()
        if case.get("counts")
    }


def check_list():
    listed = tally(
        "list", "--python", sys.executable, "--pytest", "bench/test_forms.py", code=0
    ).stdout.splitlines()
    expect("bench/test_forms.py::test_sizes[10]" in listed, f"ids are pytest's own: {listed}")
    expect("bench/test_forms.py::TestClass::test_method" in listed, f"a class is in them: {listed}")
    expect(not any("test_no_benchmark" in one for one in listed), f"only benchmarks: {listed}")


def check_what_stops_pytest():
    """A project's own error is said, and not what pytest says after it."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pytest.ini").write_text(
            "[pytest]\nno_such_option = 1\nfilterwarnings = error\n"
        )
        (Path(folder) / "test_it.py").write_text(
            "def test_it(benchmark):\n    benchmark(len, '')\n"
        )
        said = tally("list", "--python", sys.executable, "--pytest", folder, folder=folder, code=2)
    expect("Unknown config option: no_such_option" in said.stderr, said.stderr)


BENCHMARK = "def test_it(benchmark):\n    benchmark(len, '')\n"


def status_of(conftest, tests, *options, code=0, **how):
    """{test: (status, its case)} of a project with these two files."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "conftest.py").write_text(conftest)
        (Path(folder) / "test_project.py").write_text(tests)
        cases, _, _ = record_of("--pytest", folder, "--images", "off", *options, code=code, **how)
    return {name.rpartition("::")[2]: (case["status"], case) for name, case in cases.items()}


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


def check_forms():
    cases, record, _ = record_of("--pytest", "bench/test_forms.py", "--images", "off")
    expect(
        all(case["status"] == "ok" for case in cases.values()),
        f"all are measured: { {i: c['status'] for i, c in cases.items()} }",
    )
    own = {name.rpartition("::")[2]: case for name, case in cases.items()}
    got = {name: case["counts"] for name, case in own.items()}
    expect(got["test_call"]["per_iteration"] > 1000, "it is the call that is counted")
    expect(got["test_call"]["iterations"] == 100, "as often as a suite's statement")
    expect(
        got["test_heavy"]["iterations"] < 20,
        f"a heavy one less often: {got['test_heavy']['iterations']}",
    )
    expect(
        got["test_sizes[1000]"]["per_iteration"] > 20 * got["test_sizes[10]"]["per_iteration"],
        "parameters reach it",
    )
    expect(own["test_sizes[1000]"]["params"] == {"n": "1000"}, "a parameter is an axis")
    expect(
        own["test_sizes[10]"]["label"] == ["bench", "test_forms.py::test_sizes"],
        f"which its label leaves out: {own['test_sizes[10]']['label']}",
    )
    axes = [
        case["params"] for name, case in own.items() if name.startswith(("test_axes", "test_equal"))
    ]
    expected = [
        {"text": text, "how": how, "items": items}
        for text, how in (("text0", "sorted"), ("b", "max"))
        for items in ("items0", "items1")
    ]
    expected += [{"n": "1"}, {"n": "n1"}]
    expect(axes == expected, f"values say what they are, or their places: {axes}")
    woven = got["test_weave"]["per_iteration"]
    expect(
        abs(woven - got["test_call"]["per_iteration"]) < 0.01 * woven,
        f"a call that is woven is a call: {woven}",
    )
    call, marked = got["test_call"]["per_iteration"], got["test_marked"]["per_iteration"]
    expect(call < marked < 1.2 * call, f"a marked test is measured itself: {marked}, a call {call}")
    expect(
        got["test_coroutine"]["per_iteration"] > got["test_sizes[10]"]["per_iteration"],
        "a coroutine runs to its end",
    )
    expect(
        got["test_pedantic_setup_elsewhere"]["iterations"] == 1,
        "a setup that gives nothing comes before each execution",
    )
    sort = got["test_pedantic_setup"]
    expect(
        sort["per_iteration"] < 5000,
        f"neither setup nor teardown is counted: {sort['per_iteration']}",
    )
    expect(all(case["counts"]["spread"] == 0 for case in cases.values()), "replicates agree")
    asks = [name for name, case in own.items() if "number of its process" in str(case["warnings"])]
    # Neither pytest's folders nor event loops are the test's own.
    expect(asks == ["test_asks_for_its_number"], f"these ask for their number: {asks}")
    subject = next(iter(record["environments"].values()))["subject"]
    expect(
        "src/work.py" in subject and "bench/test_forms.py" in subject,
        f"the project is the subject: {subject}",
    )
    return cases


def check_that_nothing_else_moves_a_count(cases):
    whole = counts(cases)
    some, _, _ = record_of(
        "--pytest", "bench/test_forms.py", "--images", "off", "--", "-k", "sizes or pedantic"
    )
    expect(len(some) == 4, f"-k chooses: {list(some)}")
    more, _, _ = record_of(
        "--pytest",
        "bench/test_forms.py",
        "--images",
        "off",
        "--keep-env",
        "ONE_MORE",
        ONE_MORE="x" * 3000,
    )
    image, _, _ = record_of("--pytest", "bench/test_forms.py")
    again, _, _ = record_of("--pytest", "bench/test_forms.py")
    for what, other in (
        ("-k", some),
        ("a variable", more),
        ("an image's making", image),
        ("an image", again),
    ):
        moved = {
            name: (whole[name], now) for name, now in counts(other).items() if whole[name] != now
        }
        expect(not moved, f"{what} moves {moved}")


# Its count says where the first object of a module lies.
PLACE = """
PLACE = object()
def spin(n):
    for _ in range(n):
        pass
def test_place(benchmark):
    benchmark(spin, id(PLACE) // 16 % 10000)
"""


def check_that_no_option_moves_what_is_imported():
    """Nor does what pytest has kept of earlier runs in its folder, to which counting adds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "tests"
        tests.mkdir()
        (Path(folder) / "pytest.ini").write_text("[pytest]\n")
        (tests / "conftest.py").write_text("PLACES = [object() for _ in range(100)]\n")
        (tests / "test_place.py").write_text(PLACE)

        def count(*options):
            cases, _, _ = record_of("--pytest", "tests", "--images", "off", *options, folder=folder)
            return counts(cases)

        plain = count()
        kept = Path(folder) / ".pytest_cache"
        expect(not kept.exists(), "the project's folder stays as it is")
        (kept / "v/cache").mkdir(parents=True)
        known = [f"tests/test_place.py::test_{number}" for number in range(3000)]
        (kept / "v/cache/nodeids").write_text(json.dumps(known))
        (kept / "v/cache/lastfailed").write_text(json.dumps(dict.fromkeys(known, True)))
        more = count("--", "-k", "place and not " + "x" * 3000, "--durations=3", "-o", "addopts=-v")
        expect(plain == more, f"it lies elsewhere: {plain}, {more}")


# With what pytest-asyncio and anyio run: fixtures, tests, and what a test measures.
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


def check_against_suite(cases):
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite.toml"
        suite.write_text(
            'schema = 1\n[[timer]]\nlabel = "same"\nlanguage = "python"\nstmt = "spin(n)"\n'
            'setup = "from work import spin; n = 1000"\n'
        )
        found, _, _ = record_of(
            suite, "--keep-env", "PYTHONPATH", PYTHONPATH=str(HERE / "pytest_project/src")
        )
    ours = cases["bench/test_forms.py::test_call"]["counts"]["per_iteration"]
    theirs = found["same [python]"]["counts"]["per_iteration"]
    expect(abs(ours - theirs) <= 0.01 * theirs, f"a suite reads {theirs}, the test {ours}")


def check_failures():
    cases, _, done = record_of(
        "--pytest", "bench", "-f", "failures", "-f", "uncollected", "-f", "test_call", code=1
    )
    said = {}
    for name, case in cases.items():
        failure = (case.get("failure") or {}).get("message") or " ".join(case["warnings"])
        said[name.rpartition("::")[2] or name] = (case["status"], failure.split("\n")[0])
    expect(said["test_call"][0] == "ok", f"others continue: {said}")
    for name, status, words in (
        ("test_fails_before", "failed", "before it is measured"),
        ("test_fails_in", "failed", "TypeError"),
        ("test_fails_after", "failed", "it was measured, and failed afterwards"),
        ("test_skips", "skipped", "not on this machine"),
        ("test_never_calls", "failed", "without a measurement"),
        ("test_twice", "failed", "second"),
        ("test_exits", "failed", "exited with code 7"),
        ("test_fixture", "failed", "no such server"),
    ):
        expect(said[name][0] == status, f"{name} is {said[name]}, and should be {status}")
        expect(words in said[name][1], f"{name} says {said[name][1]}, without '{words}'")
    broken = said["bench/test_uncollected.py"]
    expect(
        broken[0] == "failed" and "no_such_module_anywhere" in broken[1],
        f"what cannot be collected says so: {broken}",
    )
    expect("--pytest bench" in done.stdout, "it says how to see a failure again")


def check_bad_input():
    for arguments, words in (
        (("--pytest", "no/such"), "no such file or folder"),
        (("--pytest", "src"), "has no benchmarks"),
        (("--pytest", "bench", "--", "--no-such-option"), "--no-such-option"),
        (("--pytest", "bench", "--program", "x"), "a suite and a program"),
        (("--pytest", "bench", "--asv", "x"), "programs of two kinds"),
    ):
        done = tally("run", "--python", sys.executable, *arguments, code=2)
        expect(words in done.stderr and done.stderr.count("\n") == 1, f"{arguments}: {done.stderr}")


def check_suite_file():
    with tempfile.TemporaryDirectory() as folder:
        project = HERE / "pytest_project"
        for name in ("bench", "src", "conftest.py", "pyproject.toml"):
            os.symlink(project / name, Path(folder) / name)
        suite = Path(folder) / "suite.toml"
        suite.write_text(
            'schema = 1\n[[program]]\npytest = "bench/test_forms.py"\nargs = ["-k", "sizes"]\nfilter = "10"\n'
            'tags = ["quick"]\n'
        )
        cases, _, _ = record_of(suite, folder="/")
    expect(
        [*cases]
        == ["bench/test_forms.py::test_sizes[10]", "bench/test_forms.py::test_sizes[1000]"],
        f"{[*cases]}",
    )
    expect(
        all(case["tags"] == ["quick"] for case in cases.values()), "a program's table has options"
    )


def main():
    try:
        import pytest  # noqa: F401
    except ImportError:
        print("skipped: no pytest")
        sys.exit(77)
    check_list()
    check_what_stops_pytest()
    check_what_takes_the_place_of_output()
    check_a_fixture_that_hangs()
    check_threads_of_a_conftest()
    check_threads_that_a_benchmark_waits_for()
    check_what_a_conftest_leaves()
    check_rounds()
    check_what_codspeed_measures()
    check_filters_of_warnings()
    check_files_that_skip_themselves()
    check_a_conftest_that_raises()
    check_more_threads_than_can_be_counted()
    cases = check_forms()
    check_that_nothing_else_moves_a_count(cases)
    check_that_no_option_moves_what_is_imported()
    check_a_loop_that_runs()
    check_coroutines()
    check_against_suite(cases)
    check_failures()
    check_bad_input()
    check_suite_file()
    print("ok")


main()
