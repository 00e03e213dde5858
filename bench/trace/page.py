#!/usr/bin/env python3
"""How fast the page of a large trace opens, and how it moves, in Chromium.

    bench/trace/page.py [--tally build/release/tally] [--events 1000000] [--runs 3]

Makes a trace of so many events that are drawn (a third operators, a third launches, a third kernels
on four streams), writes its page and opens that without a window: the time from the navigation to
the first frame that is drawn, then the frames of two seconds of panning at several zooms. Needs
chromium (CHROMIUM names another) and npm, as the tests of pages do.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BROWSER = HERE.parent.parent / "tests" / "browser"


def write_trace(path, events):
    rng = random.Random(1)
    names = ["sgemm_64x64_tn", "vectorized_elementwise_kernel", "ncclKernel_AllReduce", "softmax_forward"]
    operators = ["aten::linear", "aten::add_", "c10d::allreduce_", "aten::softmax"]
    at = 0.0
    free = [0.0] * 4
    with open(path, "w", encoding="ascii") as out:
        out.write('{"traceEvents":[\n')
        for i in range(events // 3):
            at += rng.uniform(6, 30)
            which, stream = rng.randrange(4), i % 4
            start = max(free[stream], at + 8)
            length = rng.uniform(2, 60)
            free[stream] = start + length
            out.write(
                ",\n" * (i > 0)
                + f'{{"ph":"X","cat":"cpu_op","name":"{operators[which]}","pid":9,"tid":9,"ts":{at:.3f},"dur":5.5,"args":{{}}}},\n'
                f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{at + 1:.3f},"dur":3.2,'
                f'"args":{{"correlation":{i + 1}}}}},\n'
                f'{{"ph":"X","cat":"kernel","name":"{names[which]}","pid":0,"tid":{stream},"ts":{start:.3f},"dur":{length:.3f},'
                f'"args":{{"device":0,"stream":{stream},"correlation":{i + 1}}}}}'
            )
        out.write("\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
            [tally, "trace", "trace.json", "--html", "trace.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        print(f"page: {os.path.getsize(folder + '/trace.html') / 1e6:.2f} MB", flush=True)
        for name in ("package.json", "package-lock.json", "browser.mjs"):
            shutil.copy(BROWSER / name, folder)
        shutil.copy(HERE / "page.mjs", folder)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
        subprocess.run(
            ["node", "page.mjs", str(options.runs)], cwd=folder, check=True, env={**os.environ, "CHROMIUM": browser}
        )


if __name__ == "__main__":
    main()
