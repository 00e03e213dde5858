"""Scripts for pyperf, measured by `tally run --pyperf`: which benchmarks they have, and what each of them gives.

TALLY=build/release/tally python3 tests/python_programs/pyperf_test.py
"""

import json
import os
import sys
import tempfile

import all_tests
from runs import run_to_end

try:
    import pyperf  # noqa: F401
except ImportError:
    print("skipped: no pyperf")
    sys.exit(77)

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyperf_programs")
TALLY = os.environ["TALLY"]
METHODS = ["func", "inner", "async", "time", "timeit", "[n for n in range(9)]"]
COMMANDS = ["command [command]", "fails [command]"]


def tally(*arguments):
    return run_to_end([os.path.abspath(TALLY), *arguments], PROGRAMS)


def listed(*scripts, behind=()):
    ended = tally("list", "--pyperf", *scripts, *behind)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def measured(*scripts, options=(), behind=()):
    """Its cases by their ids."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.json")
        ended = tally(
            "run", "--pyperf", *scripts, "--counts-only", "--json", record, *options, *behind
        )
        assert os.path.exists(record), ended.stderr
        with open(record) as file:
            cases = json.load(file)["cases"]
    return {case["id"]: case for case in cases}


def status(case):
    return case["status"]


def count(case):
    assert status(case) == "ok", case
    return case["counts"]["per_iteration"]


def text(case):
    return json.dumps(case, ensure_ascii=False)


def test_a_script_is_listed_by_its_benchmarks():
    assert listed("methods.py") == METHODS + COMMANDS, listed("methods.py")


def test_several_scripts_are_distinguished():
    assert listed("one/bench.py", "two/bench.py") == [
        "one/bench/same name",
        "two/bench/same name",
    ]
    names = listed("changing.py", "failing.py")
    assert names[-3:] == ["failing/raises", "failing/fine", "failing/failing.py"], names


def test_each_method_is_measured():
    cases = measured("methods.py")
    assert [status(cases[name]) for name in METHODS] == ["ok"] * 6, cases
    assert cases["inner"]["note"] == "20 inner loops in one execution", cases["inner"]
    assert cases["[n for n in range(9)]"]["note"] == "10 inner loops in one execution"
    again = measured("methods.py", options=["-f", "func", "-f", "timeit", "--images", "off"])
    assert {name: count(case) for name, case in again.items()} == {
        name: count(cases[name]) for name in again
    }


def test_a_command_is_measured_as_one():
    cases = measured("methods.py", options=["-f", "command*", "-f", "fails*"])
    command = cases["command [command]"]
    assert command["language"] == "command" and command["label"] == ["command"], command
    # The start of an interpreter, and no share of ours.
    assert 10**6 < count(command) < 10**9, command
    assert [one["place"] for one in command["processes"]] == ["1"], command
    assert status(cases["fails [command]"]) == "failed" and "3" in text(cases["fails [command]"])


def test_arguments_are_the_scripts():
    small = measured("methods.py", options=["-f", "func"], behind=["--", "--size", "3", "--fast"])
    large = measured("methods.py", options=["-f", "func"], behind=["--", "--size", "3000"])
    assert count(large["func"]) > 10 * count(small["func"]), (small, large)
    wrong = measured("methods.py", behind=["--", "--unknown"])
    assert "unrecognized arguments: --unknown" in text(wrong["methods.py"]), wrong


def test_a_benchmark_finds_what_the_script_had_made_by_then():
    cases = measured("changing.py")
    assert count(cases["late 1000"]) > 10 * count(cases["late 10"]), cases
    assert status(cases["listed"]) == "ok", cases["listed"]


def test_modules_of_the_same_name_are_each_scripts_own():
    cases = measured("one/bench.py", "two/bench.py")
    one, two = count(cases["one/bench/same name"]), count(cases["two/bench/same name"])
    assert two > 10 * one, (one, two)


def test_a_script_that_ends_as_it_begins_leaves_the_others():
    cases = measured("ends.py", "changing.py")
    assert status(cases["ends/ends.py"]) == "failed", cases
    assert "ends.py needs no_such_module" in text(cases["ends/ends.py"]), cases["ends/ends.py"]
    assert status(cases["changing/late 10"]) == "ok", cases


def test_what_fails_says_why():
    cases = measured("failing.py", "changing.py", options=["-f", "failing", "-f", "late"])
    assert "no such number" in text(cases["failing/raises"])
    assert "it was measured, and failed afterwards" in text(cases["failing/fine"])
    assert "half-way" in text(cases["failing/failing.py"])
    failed = [name for name, case in cases.items() if status(case) == "failed"]
    assert failed == ["failing/raises", "failing/fine", "failing/failing.py"], failed
    assert status(cases["changing/late 10"]) == "ok"


all_tests.run(globals())
