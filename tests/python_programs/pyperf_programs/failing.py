"""Fails between two benchmarks, and one of them by itself."""

import pyperf

runner = pyperf.Runner()


def raises():
    raise ValueError("no such number")


runner.bench_func("raises", raises)
runner.bench_func("fine", abs, -1)
raise RuntimeError("half-way")
