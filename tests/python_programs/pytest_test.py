"""`tally run --pytest` on a project of ours with each form of a benchmark, and each way in which one fails.

Run as: TALLY=…/tally python3 pytest_test.py. Exit code 77: this interpreter has no pytest.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from pytest_projects import HERE, expect, record_of, run_checks, tally


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


def check_a_project_that_is_installed():
    with tempfile.TemporaryDirectory() as folder:
        top, site = Path(folder) / "project", Path(folder) / "site-packages"
        (top / "bench").mkdir(parents=True)
        (top / ".git").mkdir()
        (top / "pyproject.toml").write_text(
            '[project]\nversion = "1"\nname = "By_Name"\n[tool.x]\n'
        )
        (top / "bench/test_it.py").write_text(
            "import by_name, by_wheel, other\ndef test_it(benchmark):\n    benchmark(len, '')\n"
        )
        for name, url in (
            ("by_name", None),
            ("by_wheel", f"file://{top}/dist/by_wheel-1.0-py3-none-any.whl"),
            ("other", f"file://{folder}/other.whl"),
        ):
            (site / name).mkdir(parents=True)
            (site / name / "__init__.py").touch()
            about = site / f"{name}-1.0.dist-info"
            about.mkdir()
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            (about / "RECORD").write_text(f"{name}/__init__.py,,\n")
            if url is not None:
                (about / "direct_url.json").write_text(json.dumps({"url": url}))
        _, record, _ = record_of("--pytest", "bench", folder=top, PYTHONPATH=str(site))
    environment = next(iter(record["environments"].values()))
    own = [name for name in environment["subject"] if name.endswith("__init__.py")]
    expect(
        own == ["by_name/__init__.py", "by_wheel/__init__.py"],
        f"what is installed from the project is the subject: {environment['subject']}",
    )
    packages = [name for name in environment["facts"] if name.startswith("package.by_")]
    expect(not packages, f"and no part of the environment: {packages}")


def check_counts():
    cases = check_forms()
    check_that_nothing_else_moves_a_count(cases)
    check_against_suite(cases)


run_checks(
    check_list,
    check_what_stops_pytest,
    check_counts,
    check_a_project_that_is_installed,
    check_that_no_option_moves_what_is_imported,
    check_failures,
    check_bad_input,
    check_suite_file,
)
