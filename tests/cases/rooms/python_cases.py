"""What users write in Python: ../shared/cases/python."""

from run import check, expect, none_with


def last_number(line):
    return float(line.split()[-1])


@check("python/01-main-is-the-hosts")
def main_is_the_hosts(case):
    lines = case.python("repro.py")
    right = last_number(lines[-1])
    for line in lines[:2]:
        expect(last_number(line) == right, f"{line}; right is {right}")
    # A function of the caller's __main__, and a list.
    expect(last_number(lines[2]) < 1000, lines[2])
    expect(last_number(lines[3]) < 1000, lines[3])


@check("python/02-torch-local")
def torch_local(case):
    lines = case.python("repro.py", torch=True)
    none_with([line for line in lines if "No module named 'numpy'" not in line], "FAIL")
    expect(len(lines) >= 11, f"{len(lines)} lines")
    text, code = case.tally("run", "suite.toml", "--counts-only")
    expect(code == 0 and "1 ok" in text, text)


@check("python/03-hooks-in-users-globals")
def hooks_in_users_globals(case):
    none_with(case.python("repro.py", torch=True), "FAIL")


@check("python/04-names-of-the-loading-text")
def names_of_the_loading_text(case):
    none_with(case.python("repro.py"), "FAIL")
    none_with(case.python("drop_in.py"), "FAIL")


@check("python/10-statements-that-make-no-label")
def statements_that_make_no_label(case):
    lines = case.python("repro.py")
    none_with(lines, "FAIL", "%27")
    expect("', '.join(x) [python]" in lines, "the heading is not what was written")
