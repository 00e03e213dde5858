"""Files with functions marked by @tallymark.bench, measured by `tally run --script` and by themselves.

TALLY=build/release/tally python3 tests/python_programs/script_test.py
"""

import json
import os
import sys
import tempfile

import all_tests
from runs import run_to_end

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "script_programs")
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "python")
TALLY = os.path.abspath(os.environ["TALLY"])
KEEP = ["--keep-env", "PYTHONPATH"]


def ran(*command, path=PACKAGE):
    environment = {**os.environ, "TALLY": TALLY, "PYTHONPATH": path}
    return run_to_end(command, PROGRAMS, environment)


def measured(*files, options=()):
    """Its cases by their ids."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.json")
        ended = ran(TALLY, "run", *KEEP, "--json", record, *options, "--script", *files)
        assert os.path.exists(record), ended.stderr
        with open(record) as file:
            return {case["id"]: case for case in json.load(file)["cases"]}


def count(case):
    assert case["status"] == "ok", case
    return case["counts"]["per_iteration"]


def text(case):
    return json.dumps(case, ensure_ascii=False)


def test_a_file_is_listed_by_its_functions():
    ended = ran(TALLY, "list", "--script", "bench.py")
    assert ended.stdout.splitlines() == [
        "plain",
        "arguments/n=10,kind=list",
        "arguments/n=10,kind=tuple",
        "arguments/n=1000,kind=list",
        "arguments/n=1000,kind=tuple",
        "sorting/reversed/n=10",
        "sorting/reversed/n=1000",
        "fresh",
        "empty",
        "skipped",
        "plain #2",
        "loopless",
        "twice",
        "left",
    ], ended


def test_functions_are_measured():
    cases = measured("bench.py", options=["--counts-only"])
    for kind in ("list", "tuple"):
        few, many = (count(cases[f"arguments/n={n},kind={kind}"]) for n in (10, 1000))
        assert many > 10 * few, (few, many)
    assert count(cases["sorting/reversed/n=1000"]) > 10 * count(cases["sorting/reversed/n=10"])
    assert count(cases["empty"]) == 0, cases["empty"]
    # A list that has been sorted once is sorted for a few comparisons, and a copy of it would be in the count.
    assert 10_000 < count(cases["fresh"]) < count(cases["sorting/reversed/n=1000"]), cases["fresh"]
    assert cases["skipped"]["status"] == "skipped" and "no such file" in text(cases["skipped"])
    for name, why in {
        "plain #2": "no such number",
        "loopless": "no measured loop",
        "twice": "this is its second",
        "left": "returned before its statement was measured",
    }.items():
        assert cases[name]["status"] == "failed" and why in text(cases[name]), cases[name]
    again = measured(
        "bench.py", options=["--counts-only", "--images", "off", "-f", "fresh", "-f", "plain"]
    )
    for name in ("fresh", "plain"):
        assert count(again[name]) == count(cases[name]), name


def test_counters_are_in_a_record_with_times():
    cases = measured("bench.py", options=["-f", "sorting", "--max-run-time", "0.1"])
    counters = cases["sorting/reversed/n=1000"]["counters"]
    assert counters["bytes"] == 8000, counters
    assert counters["items"] > 1000, counters


def test_a_file_that_fails_is_a_case():
    cases = measured("failing.py", "bench.py", options=["--counts-only", "-f", "failing"])
    assert count(cases["failing/fine"]) > 0
    assert "half-way" in text(cases["failing/failing.py"])


def test_what_lies_in_a_pause_is_not_counted():
    cases = measured("pausing.py", options=["--counts-only"])
    plain = count(cases["without"])
    assert plain > 5_000, plain
    # What is executed in a pause leaves the heap otherwise, and the interpreter tries now and then to do better.
    # Without what is taken off, a pause would read 1,800 or 2,100 instructions.
    for name, others, reach in (
        ("pauses/paused=0", plain, 200),
        ("pauses/paused=100000", plain, 200),
        ("resumes/paused=0", plain, 200),
        ("resumes/paused=100000", plain, 200),
        ("sleeps", plain, 10),
        ("each", count(cases["each_without"]), 200),
        ("now_and_then", count(cases["never"]), 10),
        ("often", count(cases["loops"]), 1_500),
    ):
        found = count(cases[name])
        assert abs(found - others) < reach, (name, found, others)
    assert abs(cases["nothing"]["counts"]["per_iteration"]) < 10, cases["nothing"]
    assert "in a pause" in text(cases["fails"])


def test_what_lies_in_a_pause_is_not_timed():
    cases = measured("pausing.py", options=["-f", "sleeps", "--wall-only"])
    assert cases["sleeps"]["wall"]["median_s"] < 0.0005, cases["sleeps"]["wall"]["median_s"]


def test_parameters_are_axes():
    cases = measured("pausing.py", options=["--counts-only", "-f", "pauses/*"])
    assert [case["params"] for case in cases.values()] == [{"paused": "0"}, {"paused": "100000"}]
    assert {tuple(case["label"]) for case in cases.values()} == {("pauses",)}


def test_a_coroutine_function_runs_to_its_end():
    cases = measured("coroutines.py", options=["--counts-only"])
    for name in ("whole", "body"):
        few, many = (count(cases[f"{name}/n={n}"]) for n in (10, 1000))
        # Each step goes through the event loop. Making a coroutine object takes some 500 instructions in all.
        assert many - few > 990 * 1000, (name, few, many)
    assert count(cases["called"]) > 10 * count(cases["whole/n=10"]), cases["called"]
    assert 1000 < count(cases["each"]) < count(cases["body/n=10"]), cases["each"]
    assert count(cases["empty"]) == 0, cases["empty"]
    again = measured("coroutines.py", options=["--counts-only", "--images", "off"])
    for name, case in cases.items():
        assert count(again[name]) == count(case), name


def test_a_generator_function_is_refused_where_it_is_marked():
    for name in ("plain", "looping", "asynchronous"):
        ended = ran(sys.executable, "generators.py", name)
        assert ended.returncode != 0 and "only makes a generator" in ended.stderr, (name, ended)


def test_a_file_measures_itself():
    ended = ran(sys.executable, "bench.py", "-f", "empty", "-f", "left", "--counts-only", "-q")
    assert ended.returncode == 1, ended
    assert "2 cases: 1 ok, 1 failed" in ended.stdout + ended.stderr, ended


def test_a_function_is_still_one():
    text = (
        "import tallymark, bench; bench.sort(tallymark.State({'n': 3})); print(bench.plain()[:2])"
    )
    ended = ran(sys.executable, "-c", text)
    assert ended.stdout == "[0, 1]\n", ended


def test_an_interpreter_without_the_package_is_named():
    ended = ran(TALLY, "list", "--script", "bench.py", path="")
    if ended.returncode == 0:
        return  # it is installed
    assert ended.returncode == 2 and "has no package tallymark" in ended.stderr, ended


all_tests.run(globals())
