"""Where no Valgrind is installed, tally's counter counts by itself, and the same.

Run as: TALLY=…/tally python3 without_valgrind_test.py
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TALLY = os.environ["TALLY"]
SKIPPED = 77

SUITE = """schema = 1
[[benchmark]]
label = "sort"
cpp = 'std::vector<int> w = v; std::sort(w.begin(), w.end()); tally::keep(w);'
py = 'sorted(v)'
[benchmark.setup]
cpp = 'std::vector<int> v(200); for (int i = 0; i < 200; ++i) v[i] = i * 7919 % 200;'
py = 'v = [i * 7919 % 200 for i in range(200)]'
[[benchmark]]
label = "text"
cpp = 'tally::keep(std::to_string(i * 7919));'
py = 'str(i * 7919)'
[benchmark.setup]
cpp = 'int i = 7;'
py = 'i = 7'
"""


def expect(good, what):
    if not good:
        sys.exit(f"without_valgrind_test: {what}")


def hides(folder):
    """Words that start a program for which no Valgrind is installed."""
    (folder / "file").touch()
    (folder / "empty").mkdir()
    places = [
        (folder / "file", Path("/usr/bin/valgrind")),
        (folder / "file", Path("/usr/bin/valgrind.bin")),
        (folder / "empty", Path("/usr/libexec/valgrind")),
    ]
    binds = "; ".join(f"mount --bind {own} {path}" for own, path in places if path.exists())
    return ["unshare", "-m", "sh", "-c", f'set -e; {binds}; exec "$@"', "sh"]


def run(*argv, code=0, **environment):
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )
    expect(done.returncode == code, f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hidden = hides(folder)
        if subprocess.run([*hidden, "true"], capture_output=True, check=False).returncode != 0:
            print("no namespace of mounts is to be had here")
            sys.exit(SKIPPED)
        (folder / "suite.toml").write_text(SUITE)
        options = ["--counts-only", "--server", "off", "--images", "off", "--json"]
        measured = [TALLY, "run", str(folder / "suite.toml"), *options]
        cache = {"XDG_CACHE_HOME": str(folder / "cache")}
        run(*measured, str(folder / "with.json"), **cache)
        run(*hidden, *measured, str(folder / "without.json"), **cache)
        same = run(TALLY, "same", str(folder / "with.json"), str(folder / "without.json")).stdout
        expect("4 of 4 equal" in same, same)
        facts = [json.loads((folder / f"{one}.json").read_text()) for one in ("with", "without")]
        facts = [[one["facts"] for one in record["environments"].values()] for record in facts]
        expect(facts[0] == facts[1], f"the environment is the same: {facts}")

        run(*hidden, *measured, str(folder / "p.json"), "--profiles", **cache)
        kept = {
            one.name: json.loads(one.read_text())
            for one in (folder / "p.json.profiles").glob("*.json")
        }
        own = [profile for name, profile in kept.items() if name.count(".") == 1]
        followed = [one["calls"] for one in own]
        expect(len(followed) == 4 and all(followed), f"who calls whom: {followed}")
        lines = [one["lines"]["lines"] for one in own if "lines" in one]
        expect(len(lines) == 2 and all(lines), f"source lines of both cases in C++: {lines}")
        functions = [
            one["functions"] for name, one in kept.items() if name.endswith(".python.json")
        ]
        expect(
            len(functions) == 2 and all(functions), f"Python functions of the others: {functions}"
        )
        said = run(
            *hidden, *measured, str(folder / "c.json"), "--cache-sim", code=1, **cache
        ).stderr
        expect("Valgrind is not installed" in said and "apt-get install valgrind" in said, said)
        doctor = subprocess.run(
            [*hidden, TALLY, "doctor"], capture_output=True, text=True, check=False
        ).stdout
        expect("counts by itself" in doctor, doctor)

        record = folder / "command.json"
        command = [TALLY, "command", "--counts-only", "--json", str(record), "--shell"]
        run(*hidden, *command, "env -i sh -c 'seq 1000 | sort -r'", **cache)
        case = json.loads(record.read_text())["cases"][0]
        programs = {Path(one["program"]).name for one in case["processes"]}
        expect({"env", "sh", "seq", "sort"} <= programs, f"each program is counted: {programs}")
        expect(case["counts"]["spread"] == 0, f"{case['counts']}")
    print("without Valgrind: passed")


main()
