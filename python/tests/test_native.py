"""What people call, end to end: with tally, its server, Valgrind and this interpreter."""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from html import escape
from pathlib import Path
from typing import Any

import pytest
import tallymark
from conftest import MakeModule

pytestmark = pytest.mark.end_to_end

STATEMENT = "sorted(v, key=abs)"
SETUP = "v = list(range(-40, 40))"


def tally(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [os.environ["TALLY"], *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )


def test_a_suite_a_call_and_a_timer_count_the_same(
    engine: tallymark.Engine, tmp_path: Path
) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_text(
        f'schema = 1\n[[timer]]\nlabel = "sort"\nlanguage = "python"\nstmt = "{STATEMENT}"\nsetup = "{SETUP}"\n'
    )
    record = tmp_path / "record.json"
    command = [
        "run",
        str(suite),
        "--json",
        str(record),
        "--counts-only",
        "--python",
        sys.executable,
    ]
    done = tally(*command, "--server", "off", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    cold = json.loads(record.read_text())["cases"][0]["counts"]["replicates"]
    called = tallymark.count(STATEMENT, setup=SETUP, engine=engine)
    built = tallymark.Suite()
    built.benchmark("sort", py=STATEMENT, setup={"py": SETUP})
    results = [
        called,
        tallymark.count(STATEMENT, setup=SETUP, engine=engine),
        tallymark.run(suite, times=False, engine=engine)["sort"],
        built.run(times=False, engine=engine)["sort"],
    ]
    assert [list(one.counts.replicates) for one in results if one.counts] == [cold] * 4


def test_threads_that_count_have_their_own_functions(engine: tallymark.Engine) -> None:
    statements = [f"sorted(range({n}))" for n in range(1, 9)]
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda one: tallymark.count(one, engine=engine), statements))
    for statement, result in zip(statements, results):
        assert result.label == statement
        assert result.functions is not None


def test_a_result_shows_itself(engine: tallymark.Engine, tmp_path: Path) -> None:
    result = tallymark.measure(
        STATEMENT, setup=SETUP, profile="calls", engine=engine, max_run_time=0.2
    )
    assert result.counts is not None and result.wall is not None
    assert result.counts.spread == 0
    costliest = result.functions[0]  # its name depends on whether the interpreter is stripped
    text, html = repr(result), result._repr_html_()
    for shown in ("sorted(v, key=abs) [python]", f"{result.instructions:,.0f}", costliest.name):
        assert shown in text
        assert shown in html
    assert html.count("<circle") == len(result.wall.samples_s)
    assert result.tree is not None and result.instructions is not None
    (root,) = result.tree.roots
    assert root.inclusive == pytest.approx(result.instructions, abs=150)  # and the empty loop's
    assert root.children
    assert "flame graph" in html and f"<title>{escape(root.name)}: " in html
    assert sum(one.exclusive for one in result.functions) == pytest.approx(
        result.instructions, rel=0.05
    )
    assert (result.functions[0].inclusive or 0) >= result.functions[0].exclusive
    result.save(tmp_path / "a.json")
    done = tally("compare", "a.json", "a.json", "--all", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 same" in done.stdout


def test_functions_have_their_own_instructions_whoever_counts(engine: tallymark.Engine) -> None:
    alone = tallymark.count(STATEMENT, setup=SETUP, engine=engine)
    with_calls = tallymark.count(STATEMENT, setup=SETUP, profile="calls", engine=engine)
    assert alone.record["settings"]["counted_with"] == "tally-counter"
    assert with_calls.record["settings"]["counted_with"] == "tally-counter"
    assert alone.instructions == with_calls.instructions
    assert {one.name: one.exclusive for one in alone.functions} == {
        one.name: one.exclusive for one in with_calls.functions
    }
    assert alone.tree is None and "flame graph" not in alone._repr_html_()
    assert {one.inclusive for one in alone.functions} == {None}
    assert all(one.inclusive is not None for one in with_calls.functions)


def test_a_profile_is_one_of_three(engine: tallymark.Engine) -> None:
    with pytest.raises(tallymark.Error, match="profile must be True, False or 'calls', not 'call'"):
        tallymark.count("1", profile="call", engine=engine)  # type: ignore[arg-type]


def test_html_shows_text_as_text(engine: tallymark.Engine) -> None:
    result = tallymark.count("x == '<script>&'", setup="x = 1", label="<b>", engine=engine)
    assert "<script>" not in result._repr_html_()
    assert "<b> [" not in result._repr_html_()


def test_results_as_a_table(engine: tallymark.Engine) -> None:
    pandas = pytest.importorskip("pandas")
    suite = tallymark.Suite(tags=["quick"])
    suite.benchmark(
        ["sort", "${n}"],
        py="sorted(v)",
        setup={"py": "v = list(range(${n}))"},
        params={"n": [8, 64]},
    )
    suite.add(helper, 3, label="helper")
    results = suite.run(times=False, engine=engine)
    table = results.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table["label"]) == ["sort/8", "sort/64", "helper"]
    assert table["instructions"].iloc[0] < table["instructions"].iloc[1]
    assert [one.name for one in results["helper"].captured.data] == ["x"]


def helper(x: int) -> int:
    return x * 2


def test_a_benchmark_program_counts_as_by_the_command(
    engine: tallymark.Engine, tmp_path: Path
) -> None:
    compiler = shutil.which("c++")
    archive = Path(os.environ["TALLY"]).parent / "host/embedded/libtallymark_bench.a"
    root = Path(__file__).resolve().parents[2]
    if compiler is None or not archive.exists():
        pytest.skip("needs a C++ compiler and a build of tallymark::bench")
    program = tmp_path / "bench"
    source = root / "tests/programs/two_versions.cc"
    flags = ["-std=c++17", "-O2", f"-I{root}/include", "-Wl,-z,now"]
    subprocess.run([compiler, *flags, str(source), str(archive), "-o", str(program)], check=True)
    toml = tmp_path / "suite.toml"
    toml.write_text('schema = 1\n[[program]]\npath = "bench"\nargs = "3"\nfilter = "common"\n')
    built = tallymark.Suite(tags=["compiled"])
    built.program(program, args=["3"], filter="common", timeout=60)
    built.benchmark("join", py="' '.join(v)", setup={"py": "v = ['a']"})
    in_file = tallymark.run(toml, times=False, engine=engine)
    in_python = built.run(times=False, profile=True, engine=engine)
    assert [one.id for one in in_python] == ["join [python]", "bench/common [cpp]"]
    one = in_python["bench/common"]
    assert one.counts is not None and in_file[0].counts is not None
    assert one.counts.replicates == in_file[0].counts.replicates
    assert 3003 < one.counts.per_iteration < 3050
    wrong = tallymark.Suite()
    wrong.program("/bin/true")
    with pytest.raises(tallymark.Error, match="is not a benchmark program"):
        wrong.run(engine=engine)


def test_comparing_names_what_moved(engine: tallymark.Engine) -> None:
    x = list(range(100))
    found = tallymark.compare("sorted(x)", "x[::-1]", globals={"x": x}, times=False, engine=engine)
    assert found.verdict == "faster"
    assert found.instructions_ratio is not None and found.instructions_ratio < 0.5
    assert found.functions[0].change < 0
    assert "functions that moved" in repr(found)
    assert found.notes == ()  # that the two are other definitions is what was requested
    again = tallymark.compare(found.a, found.a, engine=engine)
    assert (again.verdict, again.functions) == ("same", ())


def test_two_cpp_statements_have_the_same_functions(engine: tallymark.Engine) -> None:
    """Each is compiled under a name and into a library of its own."""
    found = tallymark.compare(
        "m[3] = 4; m[5] = 6;",
        "m[3] = 4; m[5] = 7;",
        setup="std::map<int, int> m;",
        global_setup="#include <map>",
        language="cpp",
        times=False,
        engine=engine,
    )
    assert (found.verdict, found.functions) == ("same", ())
    assert found.a.functions


def test_a_failure_has_the_traceback_of_the_measured_process(engine: tallymark.Engine) -> None:
    with pytest.raises(tallymark.CaseFailed, match=r"globals=globals\(\)") as caught:
        tallymark.count("sorted(nothing)", engine=engine)
    assert "NameError: name 'nothing' is not defined" in str(caught.value)
    assert caught.value.case["status"] == "failed"


def test_an_edited_module_is_refused_then_counted(
    engine: tallymark.Engine, make_module: MakeModule
) -> None:
    import importlib

    module: Any = make_module("ours_edited", "def f(n):\n    return sum(range(n))\n")
    first = tallymark.count(module.f, 10, engine=engine).instructions
    time.sleep(1.1)  # compiled files are distinguished by seconds
    Path(module.__file__).write_text("def f(n):\n    return sum(range(100 * n))\n")
    with pytest.raises(tallymark.CaseFailed, match=r"importlib\.reload\(ours_edited\)"):
        tallymark.count(module.f, 10, engine=engine)
    importlib.reload(module)
    second = tallymark.count(module.f, 10, engine=engine).instructions
    assert first is not None and second is not None and second > 5 * first


def test_a_killed_server_is_reported_and_replaced(engine: tallymark.Engine) -> None:
    tallymark.count("1 + 1", engine=engine)
    assert engine._connection is not None
    pid = int(engine._connection.hello["pid"])
    killer = threading.Timer(1.5, os.kill, [pid, signal.SIGKILL])
    killer.start()
    with pytest.raises(tallymark.ServerLost):
        tallymark.count("time.sleep(3600)", setup="import time", iterations=1, engine=engine)
    assert tallymark.count("1 + 1", engine=engine).ok


def test_an_interrupt_stops_and_the_next_call_works(engine: tallymark.Engine) -> None:
    # A shell that starts us in the background has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    begin = time.monotonic()
    with pytest.raises(tallymark.Interrupted):
        tallymark.count("time.sleep(3600)", setup="import time", iterations=1, engine=engine)
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 600
    assert tallymark.count("1 + 1", engine=engine).ok


def test_profiles_of_an_interrupted_run_are_read(engine: tallymark.Engine) -> None:
    several = [
        tallymark.Definition(STATEMENT, setup=SETUP),
        tallymark.Definition("time.sleep(3600)", setup="import time", options={"timeout": "5 s"}),
    ]

    def interrupt_behind_the_first(event: dict[str, Any]) -> None:
        if event["event"] == "case":
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(tallymark.Interrupted) as caught:
        engine.measure(
            several,
            settings={"wall": False, "iterations": 1},
            profiles=True,
            calls=False,
            on_event=interrupt_behind_the_first,
        )
    signal.signal(signal.SIGINT, before)
    run = caught.value.run
    assert run is not None
    first = run.cases[0]
    assert first["status"] == "ok"
    assert sum(count for count, _ in run.profile(first["id"])["statement"]["exclusive"]) > 100
    assert tallymark.count("1 + 1", engine=engine).ok


def test_a_function_that_forks(engine: tallymark.Engine) -> None:
    """Its children are its own business; what they leave behind is ended."""
    marker = "7364" + str(os.getpid())
    with pytest.raises(tallymark.CaseFailed) as caught:
        tallymark.count(
            functools.partial(fork_and_stay, marker), iterations=1, timeout=10, engine=engine
        )
    assert caught.value.case["status"] in ("failed", "timeout", "crashed")
    assert not sleeping(marker)


def fork_and_stay(marker: str) -> None:
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", marker])
    raise RuntimeError("the parent continues")


def sleeping(marker: str) -> list[str]:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        found = [
            pid
            for pid in os.listdir("/proc")
            if pid.isdigit() and command_of(pid) == ["sleep", marker]
        ]
        if not found:
            return []
        time.sleep(0.1)
    return found


def command_of(pid: str) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0").split("\0")
    except OSError:
        return []


def test_a_client_that_dies_leaves_nothing(engine: tallymark.Engine, tmp_path: Path) -> None:
    marker = "8364" + str(os.getpid())
    program = (
        "import tallymark\n"
        f"tallymark.count(\"subprocess.run(['sleep', '{marker}'])\", setup='import subprocess', iterations=1)\n"
    )
    tallymark.count("1 + 1", engine=engine)  # the server runs
    client = subprocess.Popen([sys.executable, "-c", program], env=environment())
    try:
        deadline = time.monotonic() + 60
        while not any(
            command_of(pid) == ["sleep", marker] for pid in os.listdir("/proc") if pid.isdigit()
        ):
            assert time.monotonic() < deadline and client.poll() is None
            time.sleep(0.1)
    finally:
        client.kill()
        client.wait()
    assert not sleeping(marker)
    assert tallymark.count("1 + 1", engine=engine).ok


def test_two_clients_at_once(engine: tallymark.Engine) -> None:
    program = (
        "import tallymark\n"
        f"for _ in range(3): print(tallymark.count({STATEMENT!r}, setup={SETUP!r}).instructions)\n"
    )
    expected = tallymark.count(STATEMENT, setup=SETUP, engine=engine).instructions
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", program], env=environment(), stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for client in clients:
        output, _ = client.communicate(timeout=200)
        assert output.split() == [str(expected)] * 3


def environment() -> dict[str, str]:
    package = str(Path(tallymark.__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": package}


def test_the_examples_of_the_documentation_strings(engine: tallymark.Engine) -> None:
    import doctest

    for name in ("_api", "_compare", "_suite"):
        module = sys.modules[f"tallymark.{name}"]
        assert doctest.testmod(module).failed == 0


def test_doctor(engine: tallymark.Engine) -> None:
    diagnosis = tallymark.doctor(engine=engine)
    assert diagnosis.ok, diagnosis
    assert {"tally", "server", "valgrind", "cloudpickle"} <= {one.what for one in diagnosis.checks}


def test_a_whole_command_is_a_case(engine: tallymark.Engine, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("b\na\n")
    built = tallymark.Suite()
    built.command("sort", ["sort", "data"], folder=str(tmp_path), tags=["quick"])
    built.command("fails", shell="exit 3", expect_status=[0, 3])
    results = built.run(engine=engine)
    assert [one.id for one in results] == ["sort [command]", "fails [command]"]
    assert all(one.ok for one in results), results
    sort = results["sort"].case
    assert [one["program"] for one in sort["processes"]] == ["sort"]
    assert sort["processes"][0]["instructions"] == results["sort"].instructions
    assert sort["used"]["peak_bytes"] > 0
