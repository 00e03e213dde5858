#!/usr/bin/env python3
"""Do counts repeat? The same suite again and again, each time in other surroundings, compared
replicate by replicate.

  bench/exactness/run.py [--suite suites/torch_standard.toml] [--filter GLOB]...
                         [--only NAME]... [--alone] [--json FILE]

Prints a table in Markdown: for each surrounding, how many cases read what the first run read (its
baseline and every replicate, to the instruction), by language and number of threads, and the
largest difference among those that did not. --only names the surroundings to try (see --list),
--alone adds one in which every C++ statement is compiled by itself (it builds each in a run of its
own first: minutes). Exit code 1 when a single-threaded case moved: C++ at all, Python by more than
0.1 %.

A run of the standard suite takes a third of a minute, and there are twenty: no test may take that.
"""

import argparse
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = "a/folder/whose/name/is/much/longer/than/the/one/that/the/first/run/was/made/in"


class Surroundings:
    """What a run is made in. All else is as in the first run."""

    def __init__(
        self,
        name,
        environment=None,
        folder="w",
        cache="cache",
        arguments=(),
        load=False,
        user=None,
        install=None,
        every=1,
        images=False,
        start=(),
        at_once=1,
        before=0,
    ):
        self.name, self.environment, self.folder, self.cache = (
            name,
            environment or {},
            folder,
            cache,
        )
        self.arguments, self.load, self.user = list(arguments), load, user
        self.install, self.every = install, every  # a folder to copy tally to; one case in so many
        self.images = images  # hosts are made of images where there are any, and not all started
        self.start = list(start)  # the command that starts tally
        self.at_once = at_once  # runs
        self.before = before  # runs of the same server


def all_surroundings():
    path = os.environ["PATH"]
    yield Surroundings("empty cache")
    for run in range(2, 6):
        yield Surroundings(f"run {run}, warm cache")
    yield Surroundings("started, leaving images", images=True)
    for run in ("first", "second"):
        yield Surroundings(f"made of images, {run} run", images=True)
    yield Surroundings("made of images, both processors loaded", images=True, load=True)
    yield Surroundings("made of images, every third case", images=True, every=3)
    yield Surroundings(
        "made of images, another PATH and VIRTUAL_ENV",
        {"PATH": path + (":/" + "x" * 98) * 30, "VIRTUAL_ENV": "/" + "v" * 59},
        images=True,
    )
    yield Surroundings("made of images, with --aa", images=True, arguments=["--aa"])
    yield Surroundings(
        "made of images, 256 descriptors", images=True, start=["prlimit", "--nofile=256"]
    )
    yield Surroundings("made of images, twenty runs at once", images=True, at_once=20)
    yield Surroundings("made of images, the seventh run of one server", images=True, before=6)
    yield Surroundings("PATH 23 letters longer", {"PATH": path + ":" + "/" + "x" * 21})
    yield Surroundings("PATH 3,000 letters longer", {"PATH": path + (":/" + "x" * 98) * 30})
    yield Surroundings(
        "VIRTUAL_ENV of 60 letters",
        {"VIRTUAL_ENV": "/" + "v" * 59},
        arguments=["--keep-env", "VIRTUAL_ENV"],
    )
    yield Surroundings(
        "3,000 bytes more environment",
        {"BENCH_PADDING": "x" * 3000},
        arguments=["--keep-env", "BENCH_PADDING"],
    )
    yield Surroundings("longer working folder", folder=LONG)
    yield Surroundings("longer path of the cache, empty", cache=LONG + "/cache")
    yield Surroundings("tally in another folder", install="t")
    yield Surroundings("tally in a longer folder", install=LONG + "/tally")
    yield Surroundings("every third case", every=3)
    yield Surroundings("every tenth case", every=10)
    yield Surroundings("both processors loaded", load=True)
    yield Surroundings("counted with Callgrind", arguments=["--profiles"])
    if os.geteuid() == 0:
        yield Surroundings("another user, empty cache", cache="cache of another", user="nobody")


def busy():
    return [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)
    ]


def installed(tally, folder):
    """A copy of tally, with the hosts that lie beside it."""
    folder.mkdir(parents=True)
    shutil.copy2(tally, folder)
    shutil.copytree(pathlib.Path(tally).parent / "libexec", folder / "libexec")
    return str(folder / "tally")


def serving(tally, environment, folder):
    """A server of this run's own, and its socket."""
    socket = folder / "serve.sock"
    server = subprocess.Popen(
        [tally, "serve", "--socket", str(socket)], env=environment, stderr=subprocess.DEVNULL
    )
    while not socket.exists() and server.poll() is None:
        time.sleep(0.05)
    return server, str(socket)


def run(args, work, it, cases=()):
    """The cases by id of each run that was made at once, and the seconds of all. `cases`: the ids to choose from where
    the run takes a part."""
    folder, cache, out = work / it.folder, work / it.cache, work / "out"
    shutil.rmtree(out, ignore_errors=True)
    for place in (folder, cache, out):
        place.mkdir(parents=True, exist_ok=True)
    if it.user:
        for place in (cache, out):
            shutil.chown(place, it.user)
    environment = {
        **os.environ,
        "TALLY_IMAGES": "" if it.images else "off",
        **it.environment,
        "XDG_CACHE_HOME": str(cache),
        "XDG_STATE_HOME": str(out),
    }
    chosen = args.filter if it.every == 1 else list(cases)[:: it.every]
    filters = [item for one in chosen for item in ("--filter", one)]
    tally = installed(args.tally, work / it.install) if it.install else args.tally
    server, socket = serving(tally, environment, out) if it.before else (None, "off")
    command = [
        *it.start,
        tally,
        "run",
        args.suite,
        "--counts-only",
        "--quiet",
        "--python",
        args.python,
        "--server",
        socket,
        *filters,
        *it.arguments,
    ]
    records = [out / f"record-{number}.json" for number in range(it.before + it.at_once)]

    def started(record):
        return subprocess.Popen(
            [*command, "--json", str(record)],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            user=it.user,
        )

    load = busy() if it.load else []
    start = time.monotonic()
    errors = [started(record).communicate()[1] for record in records[: it.before]]
    last = [started(record) for record in records[it.before :]]
    errors += [process.communicate()[1] for process in last]
    seconds = time.monotonic() - start
    for process in load:
        process.kill()
    if server:
        server.terminate()
        server.wait()
    for record, error in zip(records, errors):
        if not record.exists():
            sys.exit(f"{it.name}: tally failed: {error}")
    read = [json.loads(record.read_text())["cases"] for record in records[it.before :]]
    return [{case["id"]: case for case in one} for one in read], seconds


def build_alone(args, work, cache, cases):
    """Fills a cache with the C++ statements of these cases, each compiled in a run of its own."""
    chosen = [name for name, case in cases.items() if case["language"] == "cpp"]
    shortest = ["--min-run-time", "0.001", "--max-run-time", "0.001", "--precision", "100"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(work / cache), "XDG_STATE_HOME": str(work)}
    (work / cache).mkdir(exist_ok=True)
    for number, name in enumerate(chosen, 1):
        print(f"\rcompiling {number} of {len(chosen)} alone", end="", file=sys.stderr)
        subprocess.run(
            [
                args.tally,
                "run",
                args.suite,
                "--wall-only",
                "--quiet",
                "--python",
                args.python,
                "--filter",
                name,
                *shortest,
            ],
            env=environment,
            cwd=work,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    print(file=sys.stderr)


def reading(case):
    """Each total once: how many replicates there are depends on what ran before, not on what is counted."""
    counts = case.get("counts")
    if counts is None:
        return None
    return tuple(sorted(set(counts[name])) for name in ("baseline_replicates", "replicates"))


def kind(case):
    language = {"cpp": "C++", "python": "Python"}[case["language"]]
    return f"{language}, {'one thread' if case['threads'] == 1 else 'threads'}"


def compare(first, others):
    """By kind: (how many agree, how many there are), and the largest relative difference with its case."""
    tally, worst = {}, (0.0, "")
    moved = False
    for other, (name, case) in itertools.product(others, first.items()):
        same, all_ = tally.get(kind(case), (0, 0))
        equal = (
            name in other and reading(case) is not None and reading(case) == reading(other[name])
        )
        tally[kind(case)] = (same + equal, all_ + 1)
        if equal:
            continue
        there = other.get(name)
        if there is None or reading(case) is None or reading(there) is None:
            print(f"not measured: {name}", file=sys.stderr)
            moved = True
            continue
        before, after = case["counts"]["per_iteration"], there["counts"]["per_iteration"]
        difference = abs(after - before) / before if before else abs(after - before)
        print(
            f"differs by {difference:.4%}: {name}: {reading(case)} {reading(there)}",
            file=sys.stderr,
        )
        worst = max(worst, (difference, name))
        least = 0 if case["language"] == "cpp" else 0.001
        moved = moved or (case["threads"] == 1 and difference > least)
    return tally, worst, moved


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", default=str(ROOT / "build/release/tally"))
    parser.add_argument("--suite", default=str(ROOT / "suites/torch_standard.toml"))
    parser.add_argument(
        "--python", default="/usr/bin/python3", help="one that every user may run (%(default)s)"
    )
    parser.add_argument("--filter", action="append", default=[])
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--list", action="store_true", help="print the names of the surroundings")
    parser.add_argument("--json", help="keep what was read in this file")
    args = parser.parse_args()
    args.tally, args.suite = os.path.abspath(args.tally), os.path.abspath(args.suite)
    chosen = [it for it in all_surroundings() if not args.only or it.name in args.only]
    if args.list:
        print(*(it.name for it in chosen), sep="\n")
        return 0
    if len(chosen) < len(args.only):
        parser.error("no such surrounding: --list prints them")

    work = pathlib.Path(tempfile.mkdtemp(prefix="exact"))
    work.chmod(0o755)
    (first,), seconds = run(args, work, Surroundings("first"))
    varying = [
        case["id"]
        for case in first.values()
        if case.get("counts") and len(set(case["counts"]["replicates"])) > 1
    ]
    print(
        f"first run: {len(first)} cases, {seconds:.0f} s; replicates differ in {len(varying)}: {', '.join(varying)}",
        file=sys.stderr,
    )
    if args.alone:
        build_alone(args, work, "alone", first)
        chosen.append(Surroundings("every C++ statement compiled alone", cache="alone"))
    if any(it.name == "empty cache" for it in chosen):
        shutil.rmtree(work / "cache")
    kinds = sorted({kind(case) for case in first.values()})
    print("| surroundings | " + " | ".join(kinds) + " | largest difference |")
    print("|---" * (len(kinds) + 2) + "|")
    kept, failed = {"first": [first]}, False
    for it in chosen:
        kept[it.name], seconds = run(args, work, it, first)
        print(f"{it.name}: {seconds:.0f} s", file=sys.stderr)
        by_kind, worst, moved = compare(dict(list(first.items())[:: it.every]), kept[it.name])
        failed = failed or moved
        cells = ["{} of {}".format(*by_kind.get(k, (0, 0))) for k in kinds]
        print(
            f"| {it.name} | "
            + " | ".join(cells)
            + f" | {f'{worst[0]:.4%} ({worst[1]})' if worst[1] else '0'} |",
            flush=True,
        )
    if args.json:
        pathlib.Path(args.json).write_text(
            json.dumps(
                {
                    name: [{i: reading(c) for i, c in cases.items()} for cases in runs]
                    for name, runs in kept.items()
                }
            )
        )
    shutil.rmtree(work)
    return 1 if failed else 0


sys.exit(main())
