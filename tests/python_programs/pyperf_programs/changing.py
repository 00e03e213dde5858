"""What a benchmark works on changes as the script continues, and is removed at its end."""

import os
import shutil
import sys
import tempfile

import pyperf

runner = pyperf.Runner(metadata={"of": "ours"})
folder = tempfile.mkdtemp()
try:
    for size in (10, 1000):
        data = list(range(size))
        runner.bench_func(f"late {size}", lambda: sorted(data))  # noqa: B023
    runner.bench_func("listed", lambda: os.listdir(folder))
finally:
    shutil.rmtree(folder)
sys.exit(0)
