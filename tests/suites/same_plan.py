"""Whatever surrounds it, a suite expands to the same bytes.

    same_plan.py TALLY WORK_FOLDER

`tally plan --json` of every suite that we ship, and of one that includes others: in other locales,
with other hash seeds and environments, from other folders, under another name, and from copies
whose files were made in another order.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def plan(command, suite, folder, **environment):
    base = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [command, "plan", suite, "--json"],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**base, **environment},
    ).stdout


def copied(source, target, backwards):
    """A copy whose files are made, and so mostly listed, in the order of their names or in the opposite one."""
    shutil.rmtree(target, ignore_errors=True)
    files = sorted(
        os.path.relpath(os.path.join(folder, name), source)
        for folder, _, names in os.walk(source)
        for name in names
        if name.endswith(".toml")
    )
    for name in reversed(files) if backwards else files:
        os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
        shutil.copyfile(os.path.join(source, name), os.path.join(target, name))
    return target


def locales(work):
    """A comma in numbers (German) and an i that has no dot (Turkish), made here where the machine can."""
    made = []
    for name in ("de_DE", "tr_TR"):
        path = os.path.join(work, name + ".UTF-8")
        if not os.path.isdir(path):
            subprocess.run(
                ["localedef", "-i", name, "-f", "UTF-8", path],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        if os.path.isdir(path):
            made.append(name + ".UTF-8")
    return made


def main():
    command, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(work, exist_ok=True)
    surroundings = [
        {"LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "12345"},
        {"MALLOC_PERTURB_": "90"},
        {"TZ": "Asia/Tokyo", "COLUMNS": "20", "PADDING": "x" * 5000},
    ]
    surroundings += [{"LC_ALL": name, "LOCPATH": work} for name in locales(work)]
    failed = plans = 0
    for folder in ("suites", "tests/golden/plan"):
        source = os.path.join(ROOT, folder)
        forwards = copied(source, os.path.join(work, "a", folder), backwards=False)
        backwards = copied(source, os.path.join(work, "z", folder), backwards=True)
        for name in sorted(name for name in os.listdir(source) if name.endswith(".toml")):
            expected = plan(command, os.path.join(folder, name), ROOT)
            others = [
                ("alone", plan(command, name, source)),
                ("absolute", plan(command, os.path.join(source, name), "/")),
                ("made forwards", plan(command, name, forwards)),
                ("made backwards", plan(command, name, backwards)),
            ]
            others += [
                (str(around)[:60], plan(command, os.path.join(folder, name), ROOT, **around))
                for around in surroundings
            ]
            plans += len(others)
            for what, bytes_ in others:
                if bytes_ != expected:
                    failed += 1
                    print(f"FAILED: {folder}/{name} differs: {what}")
    print(
        f"{plans} plans, {failed} of them differ; locales: {', '.join(locales(work)) or 'none but C'}"
    )
    return 1 if failed or plans < 50 else 0


sys.exit(main())
