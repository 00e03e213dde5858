"""A suite of asv's, asv_suite/, listed and counted without asv: which benchmarks there are, and what becomes of each.

TALLY=build/release/tally python3 tests/python_programs/asv_test.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from runs import run_to_end

HERE = Path(__file__).resolve().parent
SUITE = HERE / "asv_suite"
TALLY = str(Path(os.environ.get("TALLY", "tally")).absolute())
FAILED = {
    "broken": "it cannot be imported: ModuleNotFoundError: No module named 'a_package_that_",
    "inner.ends": "it cannot be imported: SystemExit: a module that ends",
    "names.Impossible.time_it": "it cannot be listed: OSError: no such thing",
    "caches.Fails.time_it": "setup_cache: KeyError: 'no cache'",
    "caches.Ends.time_it": "setup_cache: its process ended before it was done",
    "caches.NoPickle.time_it": "setup_cache: AttributeError: ",
    "caches.Writes.time_it": "a benchmark has changed the folder of setup_cache by an absolute path",
    "kinds.timeraw_fails": "ValueError: in the code",
    "kinds.timeraw_no_code": "SyntaxError: ",
    "kinds.TrackCamelCase.track_fails": "ValueError: no value",
    "kinds.track_no_number": "TypeError: it returns what is not a number: 'two'",
    "marks.time_not_implemented": "NotImplementedError: only a setup may say so",
    "marks.time_fails": "ValueError: it went wrong",
    "marks.time_fails_before": "ValueError: no setup",
    "marks.time_fails_after": "it was measured, and failed afterwards: teardown: ValueError: no t",
    "parameters.time_alike(<built-in function sum>)": "TypeError: ",
}
SKIPPED = {
    "kinds.TrackCamelCase.TrackNothing": "it returns no value",
    "kinds.track_nan": "its value is nan",
    "kinds.track_not_today": "not on this day",
    "marks.Marked.time_marked": "it is marked with skip_benchmark",
    "marks.time_some_sets(1, 'a')": "skip_params has these parameters",
    "marks.time_some_sets(2, 'b')": "skip_params has these parameters",
    "marks.time_skips_itself": "not on this day",
    "marks.SomeSets.time_it(1)": "not of 1",
    "parameters.time_alike(<object object>)": "its setup raises NotImplementedError",
    "parameters.time_alike(of two lines? )": "its setup raises NotImplementedError",
}
REPORTED = {  # value, unit; None: another one in each process
    "caches.Value.track_process": (None, "unit"),
    "caches.Inherits.track_process": (None, "unit"),
    "kinds.track_value": (42, "answers"),
    "kinds.Track.track_product(2, 'x')": (2, "x"),
    "kinds.Track.track_product(2, 'y')": (2, "y"),
    "kinds.Track.track_product(3, 'x')": (3, "x"),
    "kinds.Track.track_product(3, 'y')": (3, "y"),
}
PEAKS = {  # least MiB that it takes
    "kinds.MemCamelCase.PeakMemList": 1,
    "kinds.Peak.peakmem_mib(1)": 1,
    "kinds.Peak.peakmem_mib(64)": 64,
    "kinds.Peak.peakmem_setup(1)": 1,
    "kinds.Peak.peakmem_setup(64)": 64,
}
SIZES = {"kinds.mem_list(0)": 0, "kinds.mem_list(100)": 800}  # more bytes than the smallest
MEASURED = (
    "time_of_the_package",
    "A group.time_of_another_name",
    "caches.Value.time_first",
    "caches.Value.time_second",
    "caches.Inherits.time_first",
    "caches.Inherits.time_second",
    "caches.Inherits.time_with_parameter(10)",
    "caches.Reads.time_it",
    "caches.Left.time_by_its_path",
    "caches.Left.time_by_its_name",
    "caches.Left.time_write",
    "caches.OneParameter.time_it(1)",
    "caches.OneParameter.time_it(2)",
    "caches.time_of_nothing",
    "caches.time_of_files",
    "inner.deep.First.TimeMethod",
    "inner.deep.First.time_inherited",
    "inner.deep.First.time_of_the_class",
    "inner.deep.First.time_static",
    "inner.deep.time_deep",
    "kinds.timeraw_import",
    "kinds.timeraw_with_setup(100)",
    "kinds.timeraw_with_setup(10000)",
    "marks.time_imported",
    "marks.time_some_sets(1, 'b')",
    "marks.time_some_sets(2, 'a')",
    "marks.SomeSets.time_it(0)",
    "names.time_imported",
    "names.time_function",
    "names.TimeCamelCase",
    "names.First.TimeMethod",
    "names.First.time_inherited",
    "names.First.time_of_the_class",
    "names.First.time_static",
    "names.Second.time_inherited",
    "names.Alike.time_it",
    "names.Alike.time_it #2",
    "parameters.time_one(10)",
    "parameters.time_one(10000)",
    "parameters.Several.time_it(1, 'x', None)",
    "parameters.Several.time_it(1, 'it\\'s \"y\"', None)",
    "parameters.Several.time_it(1, ' ', None)",
    "parameters.Several.time_it(1.0, 'x', None)",
    "parameters.Several.time_it(1.0, 'it\\'s \"y\"', None)",
    "parameters.Several.time_it(1.0, ' ', None)",
    "parameters.time_alike(<function <lambda>> (0))",
    "parameters.time_alike(<function <lambda>> (1))",
    "preparations.Order.time_order",
    "preparations.Once.time_once",
    "preparations.OnceByItsSetup.time_once",
    "preparations.Often.time_often",
    "preparations.Slow.time_sort",
    "preparations.Seeded.time_seeded",
)


ASK_FOR_NUMBER = (  # of their process, in their setups
    "caches.Value.time_first",
    "caches.Value.time_second",
    "caches.Inherits.time_first",
    "caches.Inherits.time_second",
    "caches.Inherits.time_with_parameter(10)",
)


def check(is_true: bool, why: str) -> None:
    if not is_true:
        sys.exit(f"asv_test: {why}")


def tally(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"XDG_RUNTIME_DIR": "/nonexistent"}
    return run_to_end([TALLY, *arguments], HERE, environment, seconds=300)


def check_list() -> None:
    by_folder = tally("list", "--asv", "asv_suite")
    check(by_folder.returncode == 0, f"the suite is not listed: {by_folder.stderr}")
    for path in ("asv_suite/asv.conf.json", str(SUITE)):
        listed = tally("list", "--asv", path)
        check(listed.stdout == by_folder.stdout, f"{path} lists something else: {listed.stdout}")
    number = len(by_folder.stdout.splitlines())
    expected = sum(map(len, (MEASURED, FAILED, SKIPPED, REPORTED, PEAKS, SIZES)))
    check(number == expected, f"{number} are listed, not {expected}: {by_folder.stdout}")


def check_selection() -> None:
    broken = {"broken", "inner.ends", "names.Impossible.time_it"}
    for options, found in (
        (("--bench", r"names\.time_function$"), {"names.time_function"}),
        (("-b", "^time_", "--bench=deep.time"), {"time_of_the_package", "inner.deep.time_deep"}),
        ((r"-btime_one\(10\)",), {"parameters.time_one(10)"}),
    ):
        listed = tally("list", "--asv", "asv_suite", "--", *options)
        names = set(listed.stdout.splitlines())
        check(names == found | broken, f"{options} finds {sorted(names)}{listed.stderr}")


def check_refusals() -> None:
    for arguments, why in (
        (("asv_suite", "--", "--quick"), "unknown option --quick"),
        (("asv_suite", "--", "--bench"), "--bench needs a regular expression"),
        (("asv_suite", "--", "-b", "("), "--bench ( is not a regular expression"),
        ((".",), "there is no asv.conf.json in ."),
    ):
        refused = tally("list", "--asv", *arguments)
        check(refused.returncode == 2, f"{arguments}: ends with {refused.returncode}")
        check(why in refused.stderr, f"{arguments}: {refused.stderr}")


def run(folder: str) -> dict[str, dict[str, Any]]:
    """The cases of a record, by what they are called; what has parameters has them beside its label."""
    file = Path(folder) / "record.json"
    options = ("--counts-only", "--images", "off", "--json", str(file))
    ended = tally("run", "--asv", "asv_suite", *options)
    check(file.exists(), f"nothing was measured: {ended.stderr}")
    left = [name for name in os.listdir(folder) if name.startswith("tally-asv-")]
    check(not left, f"folders are left: {left}")
    cases = json.loads(file.read_text())["cases"]
    check(all(len(case["label"]) == 1 for case in cases), "a label has several parts")
    return {
        case["id"].replace("%27", "'").replace("%22", '"').replace("%5C", "\\"): case
        for case in cases
    }


def check_cases(cases: dict[str, dict[str, Any]]) -> None:
    for name in MEASURED:
        case = cases[name]
        check(case["status"] == "ok", f"{name} is {case['status']}: {case['failure']}")
        check(case["counts"]["per_iteration"] > 0, f"{name} has no instructions")
        check(case["counts"]["spread"] == 0, f"{name} has other counts in each replicate")
        asks = "number of its process" in str(case["warnings"])
        check(asks == (name in ASK_FOR_NUMBER), f"{name} warns of {case['warnings']}")
    for name, message in FAILED.items():
        case = cases[name]
        check(case["status"] == "failed", f"{name} is {case['status']}")
        said = case["failure"]["message"]
        check(message in said, f"{name} says {said}")
    for name, message in SKIPPED.items():
        case = cases[name]
        check(case["status"] == "skipped", f"{name} is {case['status']}: {case['failure']}")
        said = case["warnings"][0].removeprefix("skipped by itself: ")
        check(said.startswith(message), f"{name} says {said}")
    number = sum(map(len, (MEASURED, FAILED, SKIPPED, REPORTED, PEAKS, SIZES)))
    check(len(cases) == number, f"others too: {list(cases)}")


def check_reports(cases: dict[str, dict[str, Any]]) -> None:
    for name, (value, unit) in REPORTED.items():
        case = cases[name]
        check(case["status"] == "ok", f"{name} is {case['status']}: {case['failure']}")
        said = case["reported"]
        check(said["unit"] == unit and value in (None, said["value"]), f"{name} reports {said}")
        check(case["counts"] is None and case["wall"] is None, f"{name} was measured besides")
    for name, least in PEAKS.items():
        peak = cases[name]["used"]["peak_bytes"] / 2**20
        check(least < peak < least + 60, f"{name} had {peak} MiB")
    for small, large in (("mib(1)", "mib(64)"), ("setup(1)", "setup(64)")):
        less, more = (
            cases[f"kinds.Peak.peakmem_{one}"]["used"]["peak_bytes"] for one in (small, large)
        )
        check(60 < (more - less) / 2**20 < 66, f"{large} had {more}, and {small} {less}")
    listed = cases["kinds.mem_list(0)"]
    said = "reported" in listed or "pympler" in str(listed["warnings"])
    check(said, "mem_* is neither skipped nor reported")
    if "reported" in cases["kinds.mem_list(0)"]:
        sizes = [cases[name]["reported"]["value"] for name in SIZES]
        check(sizes[1] - sizes[0] == 800, f"the sizes are {sizes}")


def check_axes(cases: dict[str, dict[str, Any]]) -> None:
    case = cases["kinds.Track.track_product(3, 'x')"]
    check(case["label"] == ["kinds.Track.track_product"], f"its label is {case['label']}")
    check(
        case["params"] == {"number": "3", "threads_": "x"}, f"its parameters are {case['params']}"
    )
    unnamed = cases["parameters.time_one(10)"]["params"]
    check(list(unnamed.values()) == ["10"], f"its parameters are {unnamed}")


def check_times_of_first_executions() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.json"
        options = ("--wall-only", "-f", "kinds.timeraw*", "--json", str(file))
        tally("run", "--asv", "asv_suite", *options)
        cases = {case["id"]: case for case in json.loads(file.read_text())["cases"]}
    said = cases["kinds.timeraw_fails"]["failure"]["message"]
    check(said.startswith("ValueError: in the code"), f"it says {said}")
    few, many = (cases[f"kinds.timeraw_with_setup({n})"]["wall"] for n in (100, 10000))
    check(many["median_s"] > few["median_s"], f"its work is not timed: {few} {many}")
    note = cases["kinds.timeraw_import"].get("note")
    check(note == "the first execution in a process", f"its note is {note}")


def check_comparison(folder: str) -> None:
    """A value that is larger is worse, and a limit that nobody wrote is held against it."""
    file = Path(folder) / "record.json"
    record = json.loads(file.read_text())
    for case in record["cases"]:
        if case["id"] == "kinds.track_value":
            case["reported"]["value"] = 50
        if case["id"] == "kinds.Peak.peakmem_mib(1)":
            case["used"]["peak_bytes"] += 200 * 1024
        if case["id"] == "kinds.Peak.peakmem_mib(64)":
            case["used"]["peak_bytes"] *= 2
    other = Path(folder) / "other.json"
    other.write_text(json.dumps(record))
    compared = tally("compare", str(file), str(other), "--json")
    by_id = {one["id"]: one for one in json.loads(compared.stdout)["cases"]}
    value = by_id["kinds.track_value"]
    check(
        value["verdict"] == "slower" and value["value"]["unit"] == "answers",
        f"a larger value: {value}",
    )
    check(by_id["kinds.Peak.peakmem_mib(1)"]["verdict"] == "same", "a few pages are a change")
    check(by_id["kinds.Peak.peakmem_mib(64)"]["verdict"] == "slower", "twice the memory is none")
    for limits, found in (
        ((), ("value +19 % (42 → 50), limit value=+1%", "limit memory=+1%")),
        (("--limit", "value=+25%", "--limit", "memory=+5%"), ("limit memory=+5%",)),
        (("--limit", "value=45"), ("value +19 % (42 → 50), limit value=45",)),
    ):
        judged = tally("check", str(file), str(other), *limits)
        for text in found:
            check(text in judged.stdout, f"{limits} finds {judged.stdout}{judged.stderr}")
        check("limit value=+25%" not in judged.stdout.split("judged")[0], "below its limit")


def check_counts(cases: dict[str, dict[str, Any]]) -> None:
    counts = {name: case["counts"] for name, case in cases.items() if case["counts"]}

    def each(name: str) -> float:
        return float(counts[name]["per_iteration"])

    once = ("preparations.Once.time_once", "preparations.OnceByItsSetup.time_once")
    for name in (*once, "kinds.timeraw_import", "kinds.timeraw_with_setup(100)"):
        check(counts[name]["iterations"] == 1, f"{name}: {counts[name]['iterations']} in a region")
    # A thousand elements are taken from the list; without its setup it would be empty.
    check(each(once[0]) > 100_000, f"{once[0]}: {each(once[0])} instructions")
    check(counts["preparations.Often.time_often"]["iterations"] == 1, "executions share a setup")
    check(counts["parameters.time_one(10)"]["iterations"] > 1, "one execution without a setup")
    for small, large in (
        ("parameters.time_one(10)", "parameters.time_one(10000)"),
        ("kinds.timeraw_with_setup(100)", "kinds.timeraw_with_setup(10000)"),
        ("names.Alike.time_it", "names.Alike.time_it #2"),
    ):
        check(each(large) > 50 * each(small), f"{large} is no larger than {small}")
    same = ("names.First.time_inherited", "inner.deep.First.time_inherited")
    check(each(same[0]) == each(same[1]), "the same code has two counts")


def main() -> None:
    check_list()
    check_selection()
    check_refusals()
    check_times_of_first_executions()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        cases = run(folder)
        check_comparison(folder)
    check_cases(cases)
    check_counts(cases)
    check_reports(cases)
    check_axes(cases)
    print("ok")


if __name__ == "__main__":
    main()
