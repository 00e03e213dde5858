#!/usr/bin/env python3
"""A history that is killed, that finds the disk full, that two write at once, or that somebody has damaged.

    robustness_test.py TALLY RECORD [ROUNDS]

RECORD is any record; copies of it stand for commits of a generated repository. Nothing is measured. After every kill
the history must be readable, hold nothing but whole runs, and take the rest when the command is said again.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

TALLY, TEMPLATE = (os.path.abspath(one) for one in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
RUNS = 300  # Several batches of an import.


def git(folder, *arguments):
    done = subprocess.run(
        [
            "git",
            "-C",
            folder,
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(folder)},
    )
    return done.stdout.strip()


class Place:
    """A repository with RUNS commits, a record for each, and a remote."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.repository = self.folder / "repository"
        self.records = self.folder / "records"
        self.remote = self.folder / "remote"
        git(folder, "init", "-q", "--bare", str(self.remote))
        git(folder, "init", "-q", "-b", "main", str(self.repository))
        self.records.mkdir()
        template = json.loads(pathlib.Path(TEMPLATE).read_text())
        template["suite"] = "suite.toml"
        template.pop("part", None)
        model = template["cases"][0]
        template["cases"] = [{**model, "id": f"{model['id']} {i}"} for i in range(20)]
        commits = "".join(
            f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1700000000 + i} +0000\ndata 2\n{i % 10}\n\n"
            for i in range(RUNS)
        )
        subprocess.run(
            ["git", "-C", self.repository, "fast-import", "--quiet"],
            input=commits,
            text=True,
            check=True,
        )
        for i, commit in enumerate(git(self.repository, "rev-list", "--reverse", "main").split()):
            template["source"] = {
                "repository": "r",
                "commit": commit,
                "parents": [],
                "dirty": False,
            }
            (self.records / f"{i:03}.json").write_text(json.dumps(template))
        git(self.repository, "remote", "add", "origin", str(self.remote))

    def history(self, *arguments, store, path=os.environ["PATH"]):
        """Started, not waited for."""
        return subprocess.Popen(
            [TALLY, "history", *arguments, "--store", store, "--repository", self.repository],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={
                "PATH": path,
                "HOME": str(self.folder),
                "GIT_CONFIG_GLOBAL": "/dev/null",
            },
        )

    def output_of(self, *arguments, store, code=0):
        process = self.history(*arguments, store=store)
        out, err = process.communicate(timeout=600)
        if process.returncode != code:
            sys.exit(
                f"history {' '.join(map(str, arguments))}: exit {process.returncode}, not {code}\n{out}{err}"
            )
        return out, err

    def runs(self, store):
        """How many commits are measured; reads every file again, so that a half one would be found."""
        self.output_of("rebuild", store=store)
        process = self.history("log", "--json", store=store)
        out, err = process.communicate(timeout=600)
        if process.returncode == 2 and "there is no history" in err:
            return 0
        if process.returncode != 0:
            sys.exit(f"log: exit {process.returncode}\n{err}")
        return len(json.loads(out)["commits"])


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def kills(place, store, fresh):
    """`fresh()` takes the store away."""
    rng = random.Random(1)
    fresh()
    begin = time.monotonic()
    place.output_of("import", place.records, store=store)
    took = time.monotonic() - begin
    expect(place.runs(store) == RUNS, "an import has every run")
    hits = 0
    for _ in range(ROUNDS):
        fresh()
        process = place.history("import", place.records, store=store)
        time.sleep(rng.uniform(0, 0.8 * took))
        process.kill()
        process.communicate()
        hits += process.returncode == -9
        before = place.runs(store)
        expect(0 <= before <= RUNS, "a killed import has no more than there is")
        place.output_of("import", place.records, store=store)
        expect(
            place.runs(store) == RUNS,
            f"what a kill left ({before}) is completed by saying it again",
        )
    expect(hits > 0, "no kill came before the end")
    print(f"  {store}: {hits} of {ROUNDS} imports killed in the middle, nothing lost")


def killed_while_git_writes(place):
    """A git that ends after its tally was killed: it must not die with its lock of the branch taken."""
    tools = place.folder / "tools"
    tools.mkdir()
    git_itself = shutil.which("git")
    (tools / "git").write_text(f"""#!/bin/sh
case "$*" in *fast-import*)
  touch {tools}/lock.taken {place.repository}/.git/refs/heads/slow.lock; sleep 1
  rm {place.repository}/.git/refs/heads/slow.lock;;
esac
exec {git_itself} "$@"
""")
    (tools / "git").chmod(0o755)
    process = place.history(
        "import", place.records, store="git:slow", path=f"{tools}:{os.environ['PATH']}"
    )
    while not (tools / "lock.taken").exists():
        expect(process.poll() is None, "an import asks git")
        time.sleep(0.01)
    process.kill()
    process.communicate()
    place.output_of("import", place.records, store="git:slow")
    expect(place.runs("git:slow") == RUNS, "a killed import's git gives its lock back")

    left = place.repository / ".git/refs/heads/left.lock"
    left.touch()
    _, err = place.output_of("import", place.records, store="git:left", code=1)
    expect("left the lock: remove it" in err, f"a lock that stays is said: {err}")
    print("  a killed import's git: ends its work; a lock that stays: said")


def push_kills(place):
    rng = random.Random(2)
    store = "git:pushed"
    place.output_of("import", place.records, store=store)
    begin = time.monotonic()
    place.output_of("push", store=store)
    took = time.monotonic() - begin
    for _ in range(ROUNDS):
        git(place.remote, "update-ref", "-d", "refs/heads/pushed")
        process = place.history("push", store=store)
        time.sleep(rng.uniform(0, 0.8 * took))
        process.kill()
        process.communicate()
        place.output_of("push", store=store)
        expect(place.runs(store) == RUNS, "a killed push loses nothing here")
        expect(
            git(place.remote, "rev-parse", "pushed")
            == git(place.repository, "rev-parse", "pushed"),
            "a push that is said again arrives",
        )
    print(f"  {ROUNDS} pushes killed")


def site_kills(place):
    rng = random.Random(3)
    store = "history"
    place.output_of("import", place.records, store=store)
    site = place.folder / "site"
    begin = time.monotonic()
    place.output_of("site", "-o", site, store=store)
    took = time.monotonic() - begin
    page = (site / "index.html").read_text()
    for _ in range(ROUNDS):
        process = place.history("site", "-o", site, store=store)
        time.sleep(rng.uniform(0, 0.8 * took))
        process.kill()
        process.communicate()
        expect((site / "index.html").read_text() == page, "the page is whole at every moment")
        place.output_of("site", "-o", site, store=store)
    print(f"  {ROUNDS} sites killed")


def two_writers(place):
    for store in ("twice", "git:twice"):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(
                pool.map(
                    lambda _, s=store: place.output_of("import", place.records, store=s), range(3)
                )
            )
        expect(place.runs(store) == RUNS, f"three writers at once into {store}")
    print("  three writers at once: every run once")


def full_disk(place):
    small = place.folder / "small"
    small.mkdir()
    if (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small], capture_output=True
        ).returncode
        != 0
    ):
        print("  full disk: SKIPPED, mount is not permitted")
        return
    try:
        store = str(small / "store")
        _, err = place.output_of("import", place.records, store=store, code=1)
        expect("No space left" in err, f"a full disk is said to be full: {err}")
        kept = place.runs(store)
        expect(kept < RUNS, "the disk is too small for all")
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        place.output_of("import", place.records, store=store)
        expect(place.runs(store) == RUNS, "with room again, the rest is taken")
    finally:
        subprocess.run(["umount", small], check=True)
    print(f"  full disk: {kept} of {RUNS} kept, the others taken with room")


def damage(place):
    store = "damaged"
    place.output_of("import", place.records, store=store)
    first = sorted((place.folder / store / "runs").rglob("*.json"))[0]
    whole = first.read_bytes()
    first.write_bytes(whole[: len(whole) // 2])
    _, err = place.output_of("rebuild", store=store, code=2)
    expect("not what was stored" in err and first.name in err, f"a truncated file is named: {err}")
    first.write_bytes(whole)
    expect(place.runs(store) == RUNS, "the file put back, all is well")

    later = json.loads((place.records / "000.json").read_text())
    known = later["schema"]
    later["schema"] = 99
    path = place.folder / "later.json"
    path.write_text(json.dumps(later))
    _, err = place.output_of("add", path, store=store, code=2)
    expect("99" in err, f"a record of a later version is refused: {err}")
    later["schema"] = known
    later["suite"] = "another.toml"
    path.write_text(json.dumps(later))
    place.output_of("add", path, store=store)
    _, err = place.output_of("log", store=store, code=2)
    expect(
        "several suites" in err and "another.toml" in err,
        f"another suite is another history: {err}",
    )
    print("  truncated file, unknown version, another suite: said")


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        kills(place, "history", lambda: shutil.rmtree(place.folder / "history", ignore_errors=True))

        def no_branch():
            subprocess.run(
                ["git", "-C", place.repository, "update-ref", "-d", "refs/heads/kept"], check=True
            )
            shutil.rmtree(place.repository / ".git" / "tally", ignore_errors=True)

        kills(place, "git:kept", no_branch)
        killed_while_git_writes(place)
        push_kills(place)
        site_kills(place)
        two_writers(place)
        full_disk(place)
        damage(place)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
