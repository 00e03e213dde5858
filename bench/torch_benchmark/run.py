#!/usr/bin/env python3
"""How long a count takes: PyTorch's Timer.collect_callgrind and the drop-in's, one after the other.

    PYTHONPATH=python TALLY=build/release/tally python3 bench/torch_benchmark/run.py [--theirs] [--ours] [--number N]

Run it with the interpreter whose PyTorch is meant. Prints for each statement the seconds of the first and of the second
call, and what they counted. PyTorch's method starts "python": this interpreter is put first on PATH.
"""

import argparse
import os
import sys
import tempfile
import time

STATEMENTS = [
    ("x += 1", "x = torch.ones((1,))"),
    ("y = torch.mm(a, a)", "a = torch.ones((64, 64))"),
    ("sorted(x)", "x = list(range(100))"),
]


def measure(name, benchmark, number):
    for stmt, setup in STATEMENTS:
        figures = []
        for _ in range(2):
            begin = time.perf_counter()
            counts = benchmark.Timer(stmt, setup).collect_callgrind(number).counts()
            figures.append(f"{time.perf_counter() - begin:6.2f} s {counts:>12,}")
        print(f"{name:<10} {stmt:<20} {figures[0]}   {figures[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--theirs", action="store_true")
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--number", type=int, default=100)
    args = parser.parse_args()
    import torch

    print(f"torch {torch.__version__}, {args.number} executions, load {os.getloadavg()[0]:.1f}")
    if args.ours or not args.theirs:
        from tallymark import benchmark

        measure("tallymark", benchmark, args.number)
    if args.theirs or not args.ours:
        from torch.utils import benchmark

        with tempfile.TemporaryDirectory() as folder:
            own = os.path.dirname(sys.executable)
            if not os.path.exists(
                os.path.join(own, "python")
            ):  # Debian's; that of an environment knows itself by its place
                os.symlink(sys.executable, os.path.join(folder, "python"))
                own = folder
            os.environ["PATH"] = own + os.pathsep + os.environ["PATH"]
            measure("torch", benchmark, args.number)


if __name__ == "__main__":
    main()
