"""Runs what our pages show, so that whoever copies an example has one that works.

run_examples.py suites TALLY WORK_FOLDER    every suite of the pages suites.md and measure.md, in one run
run_examples.py commands TALLY WORK_FOLDER  every line of docs/guides/measure.md that calls tally, in its order
run_examples.py bindings TALLY WORK_FOLDER  examples/bindings: both languages measure the same library, rebuilt or not
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAULTS = []


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def expect(right, what):
    if not right:
        FAULTS.append(what)
        print("FAILED:", what)


def tally(command, *arguments):
    """Standard output; what goes wrong is reported at once."""
    ran = subprocess.run([command, *arguments], capture_output=True, text=True)
    expect(
        ran.returncode == 0,
        f"exit {ran.returncode} of tally {shlex.join(arguments)}\n{ran.stderr[-3000:]}",
    )
    return ran.stdout


def build_mylib(folder):
    """The library that the page's own toolchain measures, with its files where the suite looks for them."""
    shutil.copytree(
        os.path.join(ROOT, "examples/mylib"),
        folder,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("build"),
    )
    for step in (["cmake", "-S", ".", "-B", "build"], ["cmake", "--build", "build"]):
        subprocess.run(step, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def build_program(command, folder):
    """examples/program, where the page's suite looks for it, with the library beside this tally."""
    source = os.path.join(ROOT, "examples/program")
    flags = ["-std=c++17", "-O2", f"-I{ROOT}/include", f"-I{source}/include", "-Wl,-z,now"]
    files = [f"{source}/bench/words_bench.cc", f"{source}/src/words.cc"]
    library = os.path.join(os.path.dirname(command), "host/embedded/libtallymark_bench.a")
    target = os.path.join(folder, "build/words_bench")
    subprocess.run(["c++", *flags, *files, library, "-o", target], check=True)


def run_suites(command, work):
    build_mylib(work)
    build_program(command, work)
    blocks = re.findall(
        r"^```toml\n(.*?)^```$",
        read("docs/reference/suites.md") + read("docs/guides/measure.md"),
        re.DOTALL | re.MULTILINE,
    )
    expect(len(blocks) == 17, f"{len(blocks)} examples; a new one? count it here")
    names = []
    for i, block in enumerate(blocks):
        # A block that begins with "# NAME.toml" is what later ones include by that name.
        own = re.match(r"# (\S+\.toml)\n", block)
        names.append(own.group(1) if own else f"example_{i + 1}.toml")
        with open(os.path.join(work, names[-1]), "w", encoding="utf-8") as file:
            file.write(block)
    # One suite of all, so that each host starts once.
    everything = os.path.join(work, "everything.toml")
    with open(everything, "w", encoding="utf-8") as file:
        file.write(f"schema = 1\ninclude = {json.dumps(names)}\n")
    record = os.path.join(work, "record.json")
    tally(command, "run", everything, "--counts-only", "--json", record)
    with open(record, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    expect(len(cases) >= 40, f"{len(cases)} cases")
    for case in cases:
        expect(case["status"] == "ok", f"{case['status']}: {case['id']}")
        expect("optimised_away" not in case["flags"], f"optimised away: {case['id']}")


def run_commands(command, work):
    lines = [
        line[4:]
        for line in read("docs/guides/measure.md").splitlines()
        if line.startswith("    build/release/tally ")
    ]
    expect(len(lines) >= 10, f"{len(lines)} commands")
    # What `tally init` of an earlier run has made.
    shutil.rmtree(os.path.join(work, "benchmarks"), ignore_errors=True)
    for name in ("suites", "trace.json.gz"):
        if os.path.lexists(os.path.join(work, name)):
            os.remove(os.path.join(work, name))
    os.symlink(os.path.join(ROOT, "suites"), os.path.join(work, "suites"))
    shutil.copy(
        os.path.join(ROOT, "tests/trace/corpus/packed.json.gz"), os.path.join(work, "trace.json.gz")
    )
    os.chdir(work)
    tally(
        command,
        "run",
        "suites/torch_quick.toml",
        "--filter",
        "Pointwise*",
        "--json",
        "old.json",
        "--profiles",
    )
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        if "--aa" in arguments:
            arguments += ["--filter", "Strings/find*"]  # Nine runs of 39 cases would take minutes.
        expect(
            tally(command, *arguments) != "" or "report" in arguments, "nothing printed by " + line
        )
    expect(os.path.getsize("report.html") > 10000, "report.html is small")


def build_bindings(work):
    shutil.rmtree(work, ignore_errors=True)  # an earlier run has changed a source there
    shutil.copytree(os.path.join(ROOT, "examples/bindings"), work)
    for step in (["cmake", "-S", ".", "-B", "build"], ["cmake", "--build", "build"]):
        subprocess.run(step, cwd=work, check=True, stdout=subprocess.DEVNULL)


def measure_bindings(command, work, name):
    """The library that each language measured, by content."""
    record = os.path.join(work, name)
    tally(command, "run", os.path.join(work, "suite.toml"), "--counts-only", "--json", record)
    with open(record, encoding="utf-8") as file:
        read = json.load(file)
    for case in read["cases"]:
        expect(case["status"] == "ok", f"{case['status']}: {case['id']}")
    expect(len(read["cases"]) == 6, f"{len(read['cases'])} cases")
    return [
        read["environments"][f"grid [{one}]"]["subject"]["libgridcore.so"]
        for one in ("cpp", "python")
    ]


def run_bindings(command, work):
    build_bindings(work)
    os.environ["PYTHONPATH"] = os.path.join(work, "build")
    cpp, python = measure_bindings(command, work, "first.json")
    expect(cpp == python, "C++ and Python measured two libraries")
    source = os.path.join(work, "src/grid.cc")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace("next_ = cells_;", "next_ = cells_;\n  next_ = cells_;"))
    build_bindings_again = ["cmake", "--build", os.path.join(work, "build")]
    subprocess.run(build_bindings_again, check=True, stdout=subprocess.DEVNULL)
    again = measure_bindings(command, work, "second.json")
    expect(again[0] == again[1] != cpp, "the rebuilt library was not seen")
    checked = subprocess.run(
        [command, "check", os.path.join(work, "first.json"), os.path.join(work, "second.json")],
        capture_output=True,
        text=True,
    )
    expect(checked.returncode == 3, f"exit {checked.returncode} of tally check: {checked.stdout}")
    for language in ("cpp", "python"):
        expect(f"Grid/diffuse [{language} size=64]" in checked.stdout, checked.stdout)


def main():
    what, command, work = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    os.makedirs(work, exist_ok=True)
    runs = {"suites": run_suites, "commands": run_commands, "bindings": run_bindings}
    runs[what](command, work)
    return 1 if FAULTS else 0


sys.exit(main())
