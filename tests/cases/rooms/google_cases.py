"""What public bug reports of Google Benchmark are about: ../shared/cases/public, 10 to 16. By our header; names built
already, too. (Of 10 and 11 Debian's own library lists none.)
"""

import json
import re
import sys

from cpp_cases import build, counts_of, each_build, near

from run import Wrong, check, expect


def no_number(word):
    raise Wrong(f"the record has {word}")


def header_builds(case):
    """A program of our header by each compiler and level."""
    return each_build(case, doors=("header",))


def lines_of(case, *argv, timeout=60):
    """What it prints, where it must succeed."""
    text, code = case.run(*argv, timeout=timeout)
    expect(code == 0, f"{argv}: exit {code}: {text[-2000:]}")
    return text.splitlines()


def each_selects_itself(case, program, what):
    """Each id of a program, given to --filter, keeps that id alone."""
    ids = case.tally("list", "--program", program)[0].splitlines()
    expect(len(set(ids)) == len(ids), f"{what}: {ids}")
    for one in ids:
        pattern = re.sub(r"([*?[])", r"[\1]", one)
        kept, code = case.tally("list", "--program", program, "--filter", pattern)
        expect(code == 0 and kept.splitlines() == [one], f"{what}: {pattern} keeps {kept!r}")
    return ids


@check("public/10-gbench-range-multiplier-one")
def range_multiplier_one(case):
    for program, what in header_builds(case):
        alone, code = case.run(program, "--benchmark_list_tests", timeout=5)
        expect(code != 0 and "one" in alone and "1" in alone, f"{what}: exit {code}: {alone}")
        listed, code = case.tally("list", "--program", program)
        reason = alone.strip().splitlines()[-1]
        expect(code != 0 and reason in " ".join(listed.split()), f"{what}: exit {code}: {listed}")


@check("public/11-gbench-extreme-ranges")
def extreme_ranges(case):
    most = 2**63
    for program, what in header_builds(case):
        names = lines_of(case, program, "--benchmark_list_tests", timeout=5)
        values = {}
        for name in names:
            values.setdefault(name.split("/")[0], []).append(int(name.split("/")[1]))
        expect(values["cross"] == [-64, -8, -1, 0, 1, 8, 64], f"{what}: {values['cross']}")
        expect(values["zero"] == [0], f"{what}: {values['zero']}")
        expect(values["top"] == [most - 2, most - 1], f"{what}: {values['top']}")
        expect(values["bottom"] == [-most], f"{what}: {values['bottom']}")
        huge = values["huge"]
        expect({-most, most - 1} <= set(huge) and len(huge) < 60, f"{what}: {huge}")
        bottom = f"bench/bottom [[]cpp arg0={-most}]"
        kept, _ = case.tally("list", "--program", program, "--filter", bottom)
        expect(len(kept.splitlines()) == 1, f"{what}: {kept}")
        case.tally("run", "--program", program, "--counts-only", "--json", "r.json")
        cases = json.loads((case.folder / "r.json").read_text())["cases"]
        for one in cases:
            expect(f"arg0={one['note']}]" in one["id"], f"{what}: {one['id']} reads {one['note']}")
        expect(len(cases) == len(names), f"{what}: {len(cases)} of {len(names)}")
        text, code = case.tally("table", "r.json")
        expect(code == 0 and "nan" not in text and "inf" not in text, f"{what}: {text}")


@check("public/12-gbench-template-commas")
def template_commas(case):
    for program, what in header_builds(case):
        expect(len(each_selects_itself(case, program, what)) == 5, what)
        case.tally("run", "--program", program, "--counts-only", "--json", "r.json")
        text, code = case.tally("compare", "r.json", "r.json")
        expect(code == 0 and "5 same" in text, f"{what}: {text}")


@check("public/13-gbench-manual-time-next-to-nothing")
def manual_time(case):
    for level in ("-O2", "-O3"):
        program = build(case, "header", level=level)
        lines_of(case, program, "--benchmark_min_time=0.2s", timeout=120)
        arguments = ("--iterations", "2", "--json", "r.json")
        text, code = case.tally("run", "--program", program, *arguments)
        expect(code == 0, f"{level}: {text}")
        record = (case.folder / "r.json").read_text()
        for one in json.loads(record, parse_constant=no_number)["cases"]:
            expect(one["counts"]["per_iteration"] > 0, f"{level}: {one['id']}")


@check("public/14-gbench-rates-in-threads")
def rates_in_threads(case):
    for program, what in header_builds(case):
        text = "\n".join(lines_of(case, program, "--benchmark_format=json"))
        rows = json.loads(text[text.index("{") :])["benchmarks"]
        one, four = ({row["threads"]: row for row in rows}[threads] for threads in (1, 4))
        for row in (one, four):
            threads = row["threads"]
            near(row["plain"], 5 * threads, 0, f"{what}: plain")
            near(row["share"], 5, 0, f"{what}: share")
            near(row["kb"], 2048 * threads, 0, f"{what}: kb")
            # Sleeping takes 20 ms or more: no rate is higher, and all three say the same.
            expect(row["rate"] <= 50.5 * threads, f"{what}: rate {row['rate']}")
            near(row["each"] * threads, row["rate"], 1e-6 * row["rate"], f"{what}: each")
            near(row["inverse"] * row["rate"], 1, 1e-6, f"{what}: inverse")
        expect(four["rate"] > 2 * one["rate"], f"{what}: {one['rate']} and {four['rate']}")


@check("public/15-gbench-names-labels-errors-escaped")
def names_escaped(case):
    for program, what in header_builds(case):
        case.run(program, "--benchmark_out=own.json", "--benchmark_out_format=json")
        text, code = case.run("sh", "-c", f"{sys.executable} check.py <own.json")
        expect(code == 0, f"{what}: {text}")
        kept = lines_of(case, program, "--benchmark_filter=-v1[.]0", "--benchmark_list_tests")
        expect(len(kept) == 1, f"{what}: {kept}")
        each_selects_itself(case, program, what)
    each_selects_itself(case, build(case, "built"), "built")


@check("public/16-gbench-donotoptimize")
def do_not_optimize(case):
    for program, what in header_builds(case):
        counts = counts_of(case, program, "--iterations", "10")
        for name in ("big", "constant"):
            near(counts[name], 10, 10, f"{what}: {name}")
        expect(counts["writes"] >= 65536, f"{what}: writes {counts['writes']}")
        expect(counts["lookup"] >= 256, f"{what}: lookup {counts['lookup']}")
