"""Runs what our pages show, so that whoever copies an example has one that works.

run_examples.py suites TALLY WORK_FOLDER    every suite of docs/suites.md and README.md, measured, in one run
run_examples.py commands TALLY WORK_FOLDER  every line of README.md that calls tally, in the page's order
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
    """Standard output; what goes wrong is told at once."""
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


def run_suites(command, work):
    build_mylib(work)
    blocks = re.findall(
        r"^```toml\n(.*?)^```$",
        read("docs/suites.md") + read("README.md"),
        re.DOTALL | re.MULTILINE,
    )
    expect(len(blocks) == 14, f"{len(blocks)} examples; a new one? count it here")
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
        for line in read("README.md").splitlines()
        if line.startswith("    build/release/tally ")
    ]
    expect(len(lines) >= 10, f"{len(lines)} commands")
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


def main():
    what, command, work = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    os.makedirs(work, exist_ok=True)
    {"suites": run_suites, "commands": run_commands}[what](command, work)
    return 1 if FAULTS else 0


sys.exit(main())
