"""What users write in Python: ../shared/cases/python."""

from run import Skipped, check, expect, none_with


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


@check("python/08-patched-packages")
def patched_packages(case):
    text, _ = case.run(case.torch_python, "repro.py")
    # The original is never counted under the name of what this process has in its place.
    expect("before" in text and "\nafter" not in text, text)
    expect("fractions.Fraction.__add__: this process has replaced it" in text, text)


@check("python/09-modes-of-the-process")
def modes_of_the_process(case):
    found = {line.split(":")[0].strip(): line for line in case.python("repro.py", torch=True)}
    carried = last_number(found["decimal, prec 2000 in this process"])
    expect(abs(carried / last_number(found["in the setup"]) - 1) < 0.02, f"decimal: {found}")
    figures = {line.split()[0]: last_number(line) for line in found.values()}
    expect(figures["no_grad"] < 0.9 * figures["plain"], f"no_grad: {figures}")
    expect(figures["inference_mode"] < 0.9 * figures["plain"], f"inference_mode: {figures}")
    expect(figures["autocast"] != figures["plain"], f"autocast: {figures}")


@check("python/11-open-files")
def open_files(case):
    lines = case.python("repro.py")
    expect("fh: cannot pickle an open file" in lines[0], lines[0])


@check("python/13-numpy-is-not-seeded")
def numpy_is_not_seeded(case):
    # Debian's interpreter has NumPy.
    lines = case.python("repro.py", torch=True)
    if any("No module named 'numpy'" in line for line in lines):
        raise Skipped("this interpreter has no NumPy")
    expect(len({line.split()[0] for line in lines[:3]}) == 1, f"three counts differ: {lines[:3]}")
    expect(len(set(lines[3:])) == 1, f"another number each time: {lines[3:]}")
    expect(
        len({str(line) for line in case.python("entropy.py") if "instructions" in line}) == 1,
        "entropy",
    )


@check("python/14-jax-says-equal")
def jax_says_equal(case):
    _, code = case.run(case.torch_python, "-c", "import jax")
    if code != 0:
        raise Skipped("this interpreter has no JAX")
    lines = case.python("repro.py", torch=True)
    shown = [line for line in lines if "replicates" in line]
    expect(shown and all("two processes" in line or "spread" in line for line in shown), f"{shown}")
