"""What public bug reports of other tools are about: ../shared/cases/public."""

from run import check, expect, none_with


@check("public/17-python-star-import-empty-comment")
def star_import_empty_comment(case):
    lines = case.python("cases.py")
    counts = dict(line.split(maxsplit=1) for line in lines if not line.startswith("   "))
    expect(counts["star"] == counts["plain"], f"star {counts['star']}, plain {counts['plain']}")
    for name in ("empty", "blank", "comment", "docstring"):
        expect(float(counts[name]) == 0, f"{name} {counts[name]}")
    for name in ("indented", "tabs", "continued", "unicode", "fstring", "text", "nested", "class"):
        expect(counts[name].replace(".", "").isdigit(), f"{name} {counts[name]}")


@check("public/18-python-names-assigned-and-captured")
def names_assigned_and_captured(case):
    lines = case.python("cases.py")
    expect(lines[-1] == "grown 0 kept 5", lines[-1])
    for line in lines[:-1]:
        name, how, rest = line.split(maxsplit=2)
        if rest.replace(".", "").isdigit():
            continue
        expect(how == "globals" and name in ("rebound", "augmented"), line)
        variable = "b" if name == "rebound" else "total"
        expect(f"the statement assigns {variable}" in rest or "make it in the setup" in rest, line)


@check("public/19-python-return-break-yield-await")
def return_break_yield_await(case):
    lines = case.python("cases.py")
    found = {tuple(line.split()[:2]): line.split(maxsplit=2)[2] for line in lines}
    work = float(found["work", "stmt"])
    for (name, where), rest in found.items():
        if not rest.replace(".", "").isdigit():
            continue
        expect(name in ("pass", "work", "twice_nested"), f"{name} {where} was counted: {rest}")
        expect(where == "setup" or name == "pass" or float(rest) >= work / 2, f"{name}: {rest}")
    text, _ = case.tally("run", "suite.toml", "--counts-only")
    expect(" ok " not in text.split("label")[0], text)


@check("public/23-timer-tiny-snippets")
def timer_tiny_snippets(case):
    lines = case.python("tiny.py")
    none_with(lines, "0.00 s", "ZeroDivisionError", "TypeError", "OverflowError")
    expect(len(lines) == 16, f"{len(lines)} lines")
    for line in lines:
        expect(" ok " in line or "optimised away" in line, line)


def pytest_twice(case, file):
    """What the run that makes a baseline and the one that is judged by it print, with the second one's exit code."""
    begin = (
        case.tests_python,
        "-m",
        "pytest",
        "-p",
        "no:benchmark",
        "-p",
        "tallymark.pytest_plugin",
        "-q",
    )
    first, code = case.run(*begin, "--tally-update", file)
    expect(code == 0, first[-3000:])
    second, code = case.run(*begin, "--tally-limit", "instructions=+1%", file)
    return second, code


@check("public/20-pytest-pedantic-setup-teardown")
def pedantic(case):
    text, code = pytest_twice(case, "test_pedantic.py")
    expect(code == 0 and "6 passed" in text, text[-3000:])
    expect("judged 7 of 7 cases by 1 limits" in text, text[-3000:])  # test_twice has two


@check("public/21-pytest-async-and-odd-ids")
def odd_ids(case):
    text, code = pytest_twice(case, "test_odd.py")
    # An id with an address in it never meets its baseline again.
    expect(code == 2 and "test_address" in text, f"{code}: {text[-3000:]}")
    expect("judged 12 of 13 cases" in text, text[-3000:])


@check("public/22-python-thread-pool-at-import")
def thread_pool_at_import(case):
    for more in ((), ("--isolation", "fork")):
        text, code = case.tally("run", "suite.toml", "--counts-only", *more)
        expect(code in (0, 1), text)
        expect("2 ok" in text or "3 ok" in text, text)
        expect("ThreadPoolExecu" in text or "3 ok" in text, f"the threads are not named: {text}")
