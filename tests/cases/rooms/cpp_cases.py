"""Google Benchmark's programs, by our header and built already: ../shared/cases/cpp."""

import itertools
import json
import os
import pathlib
import re
import shutil

from run import ROOT, Skipped, check, expect

COMPILERS = ("g++", "clang++-19")
LEVELS = ("-O2", "-O3")
DOORS = ("header", "built")


def library(name):
    """An archive of the build that TALLY is of."""
    return str(pathlib.Path(os.environ["TALLY"]).parent / "host" / "facade" / name)


def build(case, door, compiler="g++", level="-O2", source="bench.cc", program="bench", more=()):
    """Compiles one source by a door: our header and archives, or Google's of this system."""
    has_main = "main(" in (case.folder / source).read_text().lower().replace("_main(", "main(")
    if not shutil.which(compiler):
        raise Skipped(f"needs {compiler}")
    if door == "header":
        by_door = [
            f"-I{ROOT}/include/tallymark/google",
            f"-I{ROOT}/include",
            *([] if has_main else [library("libtallymark_benchmark_main.a")]),
            library("libtallymark_benchmark.a"),
        ]
    else:
        if not pathlib.Path("/usr/include/benchmark/benchmark.h").exists():
            raise Skipped("needs libbenchmark-dev")
        by_door = ["-lbenchmark"] if has_main else ["-lbenchmark_main", "-lbenchmark"]
    flags = ["-std=c++17", "-pthread", "-Wl,-z,now", "-o", program]
    text, code = case.run(compiler, level, source, *more, *by_door, *flags)
    expect(code == 0, f"{compiler} {level} {door}: {text[-2000:]}")
    return f"./{program}"


def record_of(case, *arguments):
    """The cases of a record by their names within the program, whatever the exit code."""
    text, code = case.tally("run", *arguments, "--counts-only", "--json", "record.json")
    written = case.folder / "record.json"
    expect(written.exists(), f"no record, exit {code}: {text[-2000:]}")
    cases = json.loads(written.read_text())["cases"]
    written.unlink()
    return {one["id"].split("/", 1)[1].replace(" [cpp]", ""): one for one in cases}


def counts_of(case, program, *more):
    """What each of its cases reads for one execution; None where it has no count."""
    cases = record_of(case, "--program", program, *more)
    return {
        name: one["counts"]["per_iteration"] if one.get("counts") else None
        for name, one in cases.items()
    }


def each_build(case, doors=DOORS, compilers=COMPILERS, levels=LEVELS, **how):
    """A program by each door, compiler and level, and what it is."""
    for door in doors:
        for compiler in compilers:
            for level in levels:
                program = build(case, door, compiler, level, **how)
                yield program, f"{door}, {compiler} {level}"


def half_of_builds(doors=DOORS):
    """Door, compiler and level, so that each door has both compilers and both levels, and both doors have all pairs.

    For what a compiler cannot change by itself, such as names and arguments: half the time of each_build.
    """
    for number, door in enumerate(doors):
        for place, compiler in enumerate(COMPILERS):
            yield door, compiler, LEVELS[(number + place) % len(LEVELS)]


def within_control(door, within):
    """A program that is built already counts its loop's control, 2 to 5 instructions, besides."""
    return within + (5 if door == "built" else 0)


def near(found, right, within, what):
    expect(found is not None, f"{what}: no count")
    expect(abs(found - right) <= within, f"{what}: {found}, right is {right} ± {within}")


@check("cpp/01-prebuilt-counter-crash")
def counter_crash(case):
    for program, what in each_build(case):
        for name, found in counts_of(case, program).items():
            near(found, 2, 3, f"{what}: {name}")


@check("cpp/02-prebuilt-batch")
def batch(case):
    for program, what in each_build(case):
        counts = counts_of(case, program)
        expect(len(counts) == 4, f"{what}: {counts}")
        for name, found in counts.items():
            near(found, 1002, 5, f"{what}: {name}")


@check("cpp/03-prebuilt-iterations")
def iterations(case):
    for program, what in each_build(case):
        counts = {name.split("/")[0]: found for name, found in counts_of(case, program).items()}
        near(counts["grows"], 2510, 12, f"{what}: grows")
        near(counts["drains"], 1000, 20, f"{what}: drains")
        near(counts["says"], 1000, 20, f"{what}: says")


@check("cpp/04-cases-of-one-program-at-once")
def cases_at_once(case):
    """The cases disturb each other by files, at any level of optimisation."""
    for program, what in each_build(case, levels=("-O2",)):
        alone = counts_of(case, program, "--cores", "0")
        expect(len(alone) == 4 and None not in alone.values(), f"{what}: {alone}")
        beside = counts_of(case, program)
        expect(alone == beside, f"{what}: {beside}, alone {alone}")


@check("cpp/05-pause-now-and-then")
def pause_now_and_then(case):
    for program, what in each_build(case):
        counts = counts_of(case, program)
        # A pause of a program that is built goes through its library.
        near(counts["twice"], 10, 8 if "built" in what else 1, f"{what}: twice")
        for name, found in counts.items():
            # 10 nops; of a program that is built also its loop, 4, and i++ % 10, which is 10 of g++ 12's.
            near(found, 17, 8, f"{what}: {name}, with what counts to ten or two")


@check("cpp/06-random-seed")
def random_seed(case):
    for program, what in each_build(case):
        for number in "12":
            case.tally("run", "--program", program, "--counts-only", "--json", f"{number}.json")
        text, _ = case.tally("compare", "1.json", "2.json")
        expect("cause: code" not in text, f"{what}: {text}")
        records = [json.loads((case.folder / f"{n}.json").read_text())["cases"] for n in "12"]
        for one, other in zip(*records):
            same = one["counts"]["per_iteration"] == other["counts"]["per_iteration"]
            said = bool(one.get("warnings")) or bool(one.get("flags"))
            expect(same or said, f"{what}: {one['id']} differs, and nothing is said")


@check("cpp/07-names")
def names(case):
    """The names are strings, which no compiler and no level changes: all four builds take turns."""
    expected = {"": 3, "-DBLANKS": 2, "-DTWICE": 2}
    builds = itertools.cycle(itertools.product(COMPILERS, LEVELS))
    for door in DOORS:
        for flag, cases in expected.items():
            compiler, level = next(builds)
            program = build(case, door, compiler, level, more=[flag] if flag else [])
            counts = counts_of(case, program)
            what = f"{door}, {compiler} {level} {flag}"
            expect(len(counts) == cases, f"{what}: {list(counts)}")
            for name, found in counts.items():
                near(found, 1, within_control(door, 1), f"{what}: {name}")


@check("cpp/08-own-arguments")
def own_arguments(case):
    for door, compiler, level in half_of_builds():
        suite = {"header": "suite.toml", "built": "s2.toml"}[door]
        program = {"header": "bench", "built": "prebuilt"}[door]
        build(case, door, compiler, level, program=program)
        found = record_of(case, suite)["f"]["counts"]["per_iteration"]
        near(found, 1, within_control(door, 1), f"{door}, {compiler} {level}")


@check("cpp/09-prebuilt-threads-1")
def threads_1(case):
    for program, what in each_build(case):
        for name, found in counts_of(case, program).items():
            near(found, 2, 3, f"{what}: {name}")


@check("cpp/10-rep-instructions")
def rep_instructions(case):
    """Counted byte by byte, as the documentation and the record say.

    The program calls glibc's memset and memcpy by a pointer that no compiler sees through.
    """
    for door, compiler, level in half_of_builds():
        program = build(case, door, compiler, level)
        filters = ("--filter", "*65536*", "--filter", "*1048576*")
        cases = record_of(case, "--program", program, *filters)
        expect(len(cases) == 3, f"{door}, {compiler} {level}: {list(cases)}")
        for name, one in cases.items():
            size = int(re.split("[/=]", name.rstrip("]"))[-1])
            repeats_for_each_byte(one, size, f"{door}, {compiler} {level}: {name}")
    text = (ROOT / "docs" / "reference" / "exactness.md").read_text()
    expect("rep stos" in text, "docs/reference/exactness.md does not say it")


def repeats_for_each_byte(one, size, what):
    """A case whose instructions are repetitions of a string instruction, and little else."""
    expect(one.get("counts"), f"{what}: no count")
    for figure in ("per_iteration", "string_repetitions"):
        near(one["counts"][figure], size, 100, f"{what}: {figure}")
    expect("string_repetitions" in one["flags"], f"{what}: {one['flags']}")


@check("cpp/11-prebuilt-first-execution")
def first_execution(case):
    for program, what in each_build(case):
        counts = {name.split("/")[-1]: found for name, found in counts_of(case, program).items()}
        near(counts["first_costs"], 1001, 12, f"{what}: first_costs")
        near(counts["set_up_appends"], 1011, 12, f"{what}: set_up_appends")


@check("cpp/12-origin-run-path")
def origin_run_path(case):
    (case.folder / "lib").mkdir()
    (case.folder / "bin").mkdir()
    case.run("g++", "-O2", "-shared", "-fPIC", "lib.cc", "-o", "lib/libw.so")
    linked = ["-Llib", "-lw", "-Wl,-rpath,$ORIGIN/../lib"]
    for door, compiler, level in half_of_builds():
        program = build(case, door, compiler, level, source="b.cc", program="bin/b", more=linked)
        counts = counts_of(case, program)
        what = f"{door}, {compiler} {level}"
        expect(None not in counts.values() and counts, f"{what}: {counts}")


@check("cpp/13-versioned-namespace")
def versioned_namespace(case):
    for door, compiler, level in half_of_builds():
        options = {"old": ["-DVERSION=v1", "-DEXTRA=100"], "new": ["-DVERSION=v2", "-DEXTRA=110"]}
        old, new = (
            build(case, door, compiler, level, program=program, more=more)
            for program, more in options.items()
        )
        programs = ["--a-program", old, "--b-program", new]
        text, _ = case.tally("ab", *programs, "--counts-only", "--functions")
        what = f"{door}, {compiler} {level}"
        expect("changed" in text, f"{what}: {text}")
        for line in text.splitlines():
            expect("::same" not in line, f"{what}: {line}")


@check("cpp/15-old-standard")
def old_standard(case):
    include = [f"-I{ROOT}/include/tallymark/google", f"-I{ROOT}/include"]
    for compiler in COMPILERS:
        for standard in ("-std=c++14", "-std=c++11"):
            text, code = case.run(compiler, standard, *include, "-c", "bench.cc")
            expect(code != 0 and "C++17" in text, text)
            errors = [line for line in text.splitlines() if "error:" in line]
            expect(len(errors) <= 2, f"{compiler} {standard}: {len(errors)} errors")


@check("cpp/16-archive-replaces-libstdcxx")
def archive_replaces_libstdcxx(case):
    """What clang puts into the program itself is in Google Benchmark's, too."""
    for compiler, level in itertools.product(COMPILERS, LEVELS):
        by_us, by_google = (
            strings_defined(case, build(case, door, compiler, level)) for door in DOORS
        )
        expect(
            by_us <= by_google, f"{compiler} {level}: only with our archive: {by_us - by_google}"
        )


def strings_defined(case, program):
    """Members of std::string that a program defines for itself and its shared libraries."""
    text, code = case.run("nm", "-DC", "--defined-only", program)
    expect(code == 0, text)
    names = {line.split(maxsplit=2)[2] for line in text.splitlines()}
    return {name for name in names if "std::" in name and "basic_string" in name}


@check("cpp/17-awkward-names")
def awkward_names(case):
    listed = {}
    for door, compiler, level in half_of_builds():
        program = build(case, door, compiler, level)
        counts = counts_of(case, program)
        what = f"{door}, {compiler} {level}"
        expect(len(counts) >= 33, f"{what}: {len(counts)} cases")
        for name, found in counts.items():
            # g++ drops the store of a constant before DoNotOptimize, here and with Google's own header.
            near(found, 6.5, within_control(door, 6.5), f"{what}: {name}")
        names, _ = case.tally("list", "--program", program)
        if door not in listed:
            filters_keep_one(case, program, names.splitlines())
        expect(names == listed.setdefault(door, names), f"{what}: other names: {names}")


def filters_keep_one(case, program, names):
    """A filter that is a whole name keeps that case alone."""
    for name in names:
        kept, code = case.tally("list", "--program", program, "--filter", name)
        expect(code == 0 and kept.splitlines() == [name], f"{program}: {name} keeps {kept!r}")


@check("cpp/18-counters-and-threads")
def counters_and_threads(case):
    for program, what in each_build(case, doors=("header",)):
        counters_of(record_of(case, "--program", program), what)


def counters_of(cases, what):
    by_start = {name.split("/")[0].split(" ")[0]: one for name, one in cases.items()}
    for name, threads in (("t1", 1), ("t2", 2), ("it5", 1), ("it5t2", 2)):
        one = by_start[name]
        counters = one["counters"]
        near(counters["fixed"], 7 * threads, 0, f"{what}: {name}: fixed")
        near(counters["share"] * threads, counters["plain"], 1e-9, f"{what}: {name}: share")
        expect("lab" in (one.get("note") or ""), f"{what}: {name}: {one.get('note')}")
        if name.startswith("it5"):
            near(counters["share"], 5, 0, f"{what}: {name}: n")
