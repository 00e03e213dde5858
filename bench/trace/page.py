#!/usr/bin/env python3
"""How fast the page of a large trace opens, and how it moves, in Chromium.

    bench/trace/page.py [--tally build/release/tally] [--events 1000000] [--runs 3]

Makes a trace of so many events that are drawn (a third operators, a third launches, a third kernels
on four streams), writes its page and opens that without a window: the time from the navigation to
the first frame that is drawn, then the frames of two seconds of panning at several zooms. Needs
chromium (CHROMIUM names another) and npm, as the tests of pages do.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BROWSER = HERE.parent.parent / "tests" / "browser"


def event(category, name, process, thread, start, length, **args):
    return json.dumps(
        {
            "ph": "X",
            "cat": category,
            "name": name,
            "pid": process,
            "tid": thread,
            "ts": round(start, 3),
            "dur": round(length, 3),
            "args": args,
        }
    )


def write_trace(path, count):
    rng = random.Random(1)
    names = [
        "sgemm_64x64_tn",
        "vectorized_elementwise_kernel",
        "ncclKernel_AllReduce",
        "softmax_forward",
    ]
    operators = ["aten::linear", "aten::add_", "c10d::allreduce_", "aten::softmax"]
    at = 0.0
    free = [0.0] * 4
    with open(path, "w", encoding="ascii") as out:
        out.write('{"traceEvents":[\n')
        for i in range(count // 3):
            at += rng.uniform(6, 30)
            which, stream = rng.randrange(4), i % 4
            start = max(free[stream], at + 8)
            length = rng.uniform(2, 60)
            free[stream] = start + length
            events = [
                event("cpu_op", operators[which], 9, 9, at, 5.5),
                event("cuda_runtime", "cudaLaunchKernel", 9, 9, at + 1, 3.2, correlation=i + 1),
                event(
                    "kernel",
                    names[which],
                    0,
                    stream,
                    start,
                    length,
                    device=0,
                    stream=stream,
                    correlation=i + 1,
                ),
            ]
            out.write(",\n" * (i > 0) + ",\n".join(events))
        out.write("\n]}\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", default="build/release/tally")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not browser:
        parser.error("no chromium; apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        write_trace(f"{folder}/trace.json", options.events)
        tally = os.path.abspath(options.tally)
        subprocess.run(
            [tally, "trace", "trace.json", "--html", "trace.html"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        print(f"page: {os.path.getsize(folder + '/trace.html') / 1e6:.2f} MB", flush=True)
        for name in ("package.json", "package-lock.json", "browser.mjs"):
            shutil.copy(BROWSER / name, folder)
        shutil.copy(HERE / "page.mjs", folder)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
        subprocess.run(
            ["node", "page.mjs", str(options.runs)],
            cwd=folder,
            check=True,
            env={**os.environ, "CHROMIUM": browser},
        )


if __name__ == "__main__":
    main()
