"""A release as packages have it, stripped of most symbols: it counts and explains what the build does."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = sys.argv[1]
SUITE = """
schema = 1
[[benchmark]]
label = ["sorted"]
setup.py = '''
def inner(n):
    return sorted(range(n))[0]
def outer(n):
    return sum(inner(i) for i in range(1, n))
'''
setup.cpp_global = "#include <vector>"
py = "outer(10)"
cpp = "std::vector<int> v; for (int i = 0; i < 20; ++i) v.push_back(i); tally::keep(v);"
"""


def run(*argv, **environment):
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        sys.exit(f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def profiles(record):
    folder = pathlib.Path(f"{record}.profiles")
    return {one.name: json.loads(one.read_text()) for one in folder.glob("*.json")}


def known(name, profile):
    """All of it; of native functions no names, for a release has none of the host's own, and no places."""
    if name.endswith(".python.json"):
        return profile
    if name.endswith(".allocations.json"):
        return [one[1:3] for one in profile["sites"]]
    return profile["totals"], profile.get("lines", {}).get("lines")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "suite.toml").write_text(SUITE)
        prefix = str(folder / "prefix")
        run(str(ROOT / "tools/install_release.sh"), BUILD, prefix, "--component", "Unspecified")
        records = []
        for side, tally in (("build", f"{BUILD}/tally"), ("installed", f"{prefix}/bin/tally")):
            records.append(str(folder / f"{side}.json"))
            measured = ["run", str(folder / "suite.toml"), "--counts-only", "--profiles"]
            cache = {"XDG_CACHE_HOME": str(folder / side)}
            run(tally, *measured, "--server", "off", "--json", records[-1], **cache)
        same = run(f"{BUILD}/tally", "same", *records)
        assert "2 of 2 equal" in same, same
        built, installed = map(profiles, records)
        kinds = sorted(one.partition(".")[2] for one in built)
        expected = ["allocations.json", "allocations.json", "json", "json", "python.json"]
        assert kinds == expected, f"{kinds}"
        assert built.keys() == installed.keys(), f"{sorted(built)} and {sorted(installed)}"
        for one in built:
            assert known(one, built[one]) == known(one, installed[one]), one
    print("ok")


main()
