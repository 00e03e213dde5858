"""One side of the comparison: cases run as PyTorch's own instruction-count worker runs them.

Reads a JSON list of {"id", "language", "stmt", "setup", "global_setup"} on standard input and
prints one JSON line for each: seconds, and the counts of each Callgrind repeat. Needs an
interpreter with torch, valgrind, and a compiler (CXX).
"""

import json
import os
import sys
import tempfile
import time
import timeit

# Timer starts its child under the name "python", whatever this interpreter is called.
names = tempfile.mkdtemp(prefix="peer_")
os.symlink(sys.executable, os.path.join(names, "python"))
os.environ["PATH"] = names + os.pathsep + os.environ["PATH"]

from torch.utils.benchmark import Timer  # noqa: E402
from torch.utils.benchmark.utils import cpp_jit  # noqa: E402

# Valgrind 3.19 cannot read split or version 5 DWARF.
cpp_jit.CXX_FLAGS = [flag for flag in cpp_jit.CXX_FLAGS if not flag.startswith("-g")] + [
    "-gdwarf-4"
]


def measure(case, min_run_time):
    start = time.monotonic()
    timer = Timer(
        stmt=case["stmt"],
        setup=case["setup"] or "pass",
        global_setup=case["global_setup"],
        timer=timeit.default_timer,
        num_threads=1,
        language=case["language"],
    )
    wall = timer.blocked_autorange(min_run_time=min_run_time)
    counted = timer.collect_callgrind(number=100, repeats=5, collect_baseline=False)
    return {
        "id": case["id"],
        "seconds": time.monotonic() - start,
        "median_s": wall.median,
        "counts": [int(stats.counts(denoise=False)) for stats in counted],
    }


for case in json.load(sys.stdin):
    try:
        answer = measure(case, float(sys.argv[1]))
    except Exception as error:
        # Its parser gives up on some of Callgrind's files; the other cases are still worth having.
        answer = {"id": case["id"], "error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(answer), flush=True)
