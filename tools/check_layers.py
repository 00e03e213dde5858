#!/usr/bin/env python3
"""Holds every #include to the layers of the design, and headers and files to their habits.

    tools/check_layers.py [--root FOLDER]       includes, header comments, file lengths; seconds
    tools/check_layers.py --headers COMPILER    besides, every header compiles alone
        --touched FILE                          only those that a file reaches which FILE names

Prints one line for each violation, "FILE:LINE: what", and exits with 1 when there is one.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

# What a folder under src/ may include, besides itself and base.
LAYERS = {
    "base": [],
    "json": [],
    "definition": [],
    "expansion": ["definition"],
    "plan": ["definition", "expansion", "json"],
    "process": [],
    "git": ["process"],
    "protocol": [],
    "build": ["definition", "expansion", "json", "process"],
    "measurement": [],
    # protocol: what our counter adds to Callgrind's format.
    "profile": ["json", "protocol"],
    # Which CPUs work may go to, among all runs of a machine.
    "cpu": ["measurement", "process"],
    # The dialogue with one case child. measurement: its stopping rules drive the dialogues; profile: the totals of
    # Callgrind's dumps.
    "session": [
        "build",
        "cpu",
        "definition",
        "expansion",
        "measurement",
        "process",
        "profile",
        "protocol",
    ],
    # What hosts are started with, and made of.
    "hosts": [
        "build",
        "cpu",
        "definition",
        "expansion",
        "json",
        "measurement",
        "process",
        "protocol",
        "session",
    ],
    # Which session runs when, on which host.
    "engine": [
        "build",
        "cpu",
        "expansion",
        "hosts",
        "json",
        "measurement",
        "plan",
        "process",
        "profile",
        "protocol",
        "session",
    ],
    # expansion: ids that older records hold are made anew from the facts of their cases; plan: what a part says of it.
    "record": ["expansion", "json", "measurement", "plan", "profile"],
    # A plan's toolchains and programs on this machine.
    "discovery": [
        "build",
        "definition",
        "hosts",
        "json",
        "measurement",
        "plan",
        "process",
        "protocol",
        "record",
    ],
    # Names and source lines of what was counted.
    "symbols": ["build", "expansion", "profile"],
    # What counts follow from, and which earlier ones stand.
    "reuse": ["build", "discovery", "engine", "expansion", "hosts", "record", "session"],
    # From a plan to a record: everything below it.
    "run": [
        "build",
        "cpu",
        "definition",
        "discovery",
        "engine",
        "expansion",
        "git",
        "hosts",
        "json",
        "measurement",
        "plan",
        "process",
        "profile",
        "protocol",
        "record",
        "reuse",
        "session",
        "symbols",
        # What a device does of a case is in a profiler's trace.
        "trace",
    ],
    # One commit after another, each built in a work tree.
    "commits": [
        "build",
        "comparison",
        "definition",
        "discovery",
        "engine",
        "git",
        "history",
        "plan",
        "process",
        "record",
        "records",
        "run",
    ],
    # process, engine: the loop that serves is the one that measures, and hosts live between runs.
    "serve": [
        "build",
        "comparison",
        "cpu",
        "definition",
        "discovery",
        "engine",
        "hosts",
        "json",
        "measurement",
        "plan",
        "process",
        "profile",
        "record",
        "records",
        # What it answers of two records is what the command prints of them.
        "report/json",
        "run",
        "session",
    ],
    # definition: its door to TOML, for what was acknowledged; the words for known noise.
    "comparison": ["definition", "profile", "record"],
    # Records and what lies beside them, by path. run: the files of its probes.
    "records": ["build", "comparison", "git", "history", "process", "profile", "record", "run"],
    # git: a store may be one of its refs.
    "history": ["comparison", "git", "json", "measurement", "process", "profile", "record"],
    # Results of other tools, from and to records.
    "exchange": ["expansion", "json", "measurement", "record"],
    "slurm": [],
    "trace": [],
    # The pages as text.
    "web": [],
    # measurement: the words of a record (counts, wall) are its types.
    "report/text": ["comparison", "history", "json", "measurement", "profile", "record"],
    "report/json": ["comparison", "json", "measurement", "profile", "record", "report/text"],
    "report/html": ["comparison", "json", "profile", "record", "report/json", "report/text", "web"],
    "report/history": [
        "comparison",
        "history",
        "json",
        "profile",
        "record",
        "report/html",
        "report/text",
        "web",
    ],
    # Statements under torch.profiler, each in a process of its own.
    "recording": [
        "build",
        "definition",
        "expansion",
        "json",
        "plan",
        "process",
        "report/trace",
        "trace",
    ],
    "report/trace": ["json", "report/html", "report/text", "trace", "web"],
}
LAYERS["cli"] = [name for name in LAYERS if name != "cli"]
HOST = ["base", "protocol"]
# The supervisor is the far end of the process layer: no case ever runs in it.
SUPERVISOR = ["base", "process"]
# The host of commands ends trees of processes as the supervisor does.
COMMAND_HOST = [*HOST, "process"]

ANY_INCLUDE = re.compile(r'^\s*#\s*include\s+["<](?:\.\.?/)*([^">]+)[">]', re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
LONG = 450
TOP_FOLDERS = ["src", "host", "include"]


def sources(root, *suffixes):
    for top in TOP_FOLDERS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in suffixes:
                yield path.relative_to(root)


def layer_of(name):
    """The layer of a file by its name below src/: "report/text/table.h" is of "report/text"."""
    parts = name.split("/")
    return next((layer for layer in ("/".join(parts[:2]), parts[0]) if layer in LAYERS), None)


def allowed_for(path):
    """(the folder's name, what it may include), or None where no rule applies."""
    top = path.parts[0]
    if top == "host":
        own = {"supervisor": SUPERVISOR, "command": COMMAND_HOST}.get(path.parts[1])
        return (f"host/{path.parts[1]}", own) if own else ("host", HOST)
    if top != "src":
        return None
    layer = layer_of("/".join(path.parts[1:]))
    if layer is None:
        return path.parts[1], None
    return layer, [layer, "base", *LAYERS[layer]]


def check_includes(root):
    for path in sources(root, ".h", ".cc"):
        rule = allowed_for(path)
        if rule is None:
            continue
        name, allowed = rule
        if allowed is None:
            yield f"{path}:1: src/{name} is no layer of the design: tools/check_layers.py lists them"
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            if ".." in match[1].split("/"):
                yield f'{path}:{number}: includes "{match[1]}": write it from src/ on'
                continue
            target = layer_of(match[1])
            if "/" in match[1] and target and target not in allowed:
                may = ", ".join(sorted(allowed))
                yield f'{path}:{number}: {name} includes "{match[1]}", and may include only: {may}'


def check_header_comments(root):
    for path in sources(root, ".h"):
        text = (root / path).read_text()
        if not text.startswith(("///", "/*")):
            yield f"{path}:1: a header opens with a comment on what it owns"
        elif "#pragma once" not in text and "#ifndef" not in text:
            yield f"{path}:1: a header needs #pragma once"


def long_files(root):
    for path in sources(root, ".h", ".cc"):
        lines = len((root / path).read_text().splitlines())
        if lines > LONG:
            yield f"{path}: {lines} lines; question anything over {LONG}"


# What Valgrind's headers ask for: the platform, and that their folder is looked through.
VALGRIND = [
    "-isystem/usr/include/valgrind",
    *(
        f"-D{name}=1"
        for name in ("VGA_amd64", "VGO_linux", "VGP_amd64_linux", "VGPV_amd64_linux_vanilla")
    ),
]


# Debian's, whichever interpreter runs this.
PYTHON = [f"-isystem{folder}" for folder in sorted(pathlib.Path("/usr/include").glob("python3.*"))]


def compile_alone(compiler, root, path, build):
    folders = [
        "src",
        "include",
        "include/tallymark/google",
        "host/common",
        "host/embedded",
        f"{build}/src/cli",
    ]
    command = [
        compiler,
        "-std=c++23",
        '-DTALLY_SOURCE_DIR=""',
        "-fsyntax-only",
        "-x",
        "c++-header",
        "-Wno-pragma-once-outside-header",
        *[f"-I{root / folder}" for folder in folders],
        *(VALGRIND if path.parts[:2] == ("host", "counter") else []),
        *(PYTHON if path.parts[:2] == ("host", "python") else []),
        str(root / path),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return None
    why = next((line for line in result.stderr.splitlines() if "error" in line), "?")
    return f"{path}:1: does not compile alone: {why}"


# In C, or read after or before a header of another project.
NOT_ALONE = [
    pathlib.Path("include/tallymark/bench_c.h"),
    pathlib.Path("include/tallymark/catch2.h"),
    pathlib.Path("include/tallymark/nanobench.h"),
    pathlib.Path("include/tallymark/nanobench/nanobench.h"),
]


# Where one of these is touched, every header is compiled: they say beside which packages.
OF_ALL_HEADERS = ["packages.txt", "packages-test.txt"]


def reached_by(root, touched):
    """Those of the files `touched`, and the headers that include one of them, directly or through others.

    Whether any other header compiles has not changed. A name in an #include is any path that ends so.
    """
    includers = {}
    for path in sources(root, ".h"):
        for name in ANY_INCLUDE.findall((root / path).read_text()):
            includers.setdefault(name, []).append(path)
    reached = set()
    ahead = [pathlib.PurePath(path) for path in touched]
    while ahead:
        path = ahead.pop()
        if path in reached:
            continue
        reached.add(path)
        for start in range(len(path.parts)):
            ahead += includers.get("/".join(path.parts[start:]), [])
    return reached


def check_headers(root, compiler, jobs, build, touched):
    alone = [path for path in sources(root, ".h") if path not in NOT_ALONE]
    if touched is not None and not set(touched) & set(OF_ALL_HEADERS):
        reached = reached_by(root, touched)
        alone = [path for path in alone if path in reached]
    print(f"layers: {len(alone)} headers are compiled alone")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from filter(
            None,
            pool.map(lambda path: compile_alone(compiler, root, path, build), alone),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent
    )
    parser.add_argument("--headers", metavar="COMPILER", help="compile each header alone")
    parser.add_argument(
        "--touched",
        metavar="FILE",
        type=pathlib.Path,
        help="a file that names one path a line: compile only the headers that one of them reaches",
    )
    parser.add_argument("--build", default="build/release", help="where generated headers are")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for text in long_files(options.root):
        print(f"warning: {text}")
    problems = [*check_includes(options.root), *check_header_comments(options.root)]
    if options.headers:
        touched = options.touched.read_text().splitlines() if options.touched else None
        problems += check_headers(
            options.root, options.headers, options.jobs, options.build, touched
        )
    for text in problems:
        print(text, file=sys.stderr)
    print(f"layers: {'in order' if not problems else f'{len(problems)} violations'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
