#!/usr/bin/env python3
"""Times on a device as PyTorch takes them by itself: what Tallymark's figures are held to.

  bench/gpu/peers.py [--json FILE] [--device cpu] [--only LABEL]... [--rounds 3] [--processes 2]
                     [--min-run-time 0.5]

Measures the Python of workloads.toml, natively, and prints one line for each workload. Microseconds
per execution:

  timer_us           torch.utils.benchmark.Timer.blocked_autorange: elapsed, with the wait
  do_bench_cold_us   triton.testing.do_bench: the second-level cache is cleared before each execution
  do_bench_warm_us   the same without the clearing
  events_us          two events around n executions: time on the stream
  host_us            a loop without a wait, with too few launches to fill the queue
  kernels, kernel_us Kineto, over 100 executions: kernels and their own time
  copies, copy_us    and what it has besides: copies and fills

Each figure is the median over rounds, in processes one after the other (a process may be slower than
the next). `spread` has the least and the greatest, and is what a bound by the host is judged by. With
--device cpu nothing is on a device, and figures that need one are left out.
"""

import argparse
import collections
import json
import statistics
import subprocess
import sys
import time
import traceback

from workloads import SUITE, python_workloads

MICRO = 1e6
PROFILED = 100
QUEUE = 400  # launches; CUDA takes about a thousand before a launch waits


def compiled(setup, stmt):
    """A function that executes the statement once, after the setup."""
    lines = ["import torch", "def prepare():"]
    lines += [f"    {line}" for line in setup.splitlines()]
    lines += ["    def execute():"]
    lines += [f"        {line}" for line in stmt.splitlines()]
    scope = {}
    exec("\n".join([*lines, "    return execute"]), scope)
    return scope["prepare"]()


def timer_us(setup, stmt, min_run_time):
    from torch.utils.benchmark import Timer

    timer = Timer(stmt=stmt, setup=f"import torch\n{setup}", num_threads=1)
    return timer.blocked_autorange(min_run_time=min_run_time).median * MICRO


def do_bench_cold_us(execute):
    import triton.testing

    return triton.testing.do_bench(execute, return_mode="median") * 1e3


def do_bench_warm_us(execute, seconds=0.1):
    """do_bench, but for the cache: a pair of events for each execution, all in the queue."""
    import torch

    estimate = events_us(execute, 5) / MICRO
    n = max(10, min(10000, int(seconds / estimate)))
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(n)]
    for _ in range(max(1, n // 4)):
        execute()
    for begin, end in pairs:
        begin.record()
        execute()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) for begin, end in pairs) * 1e3


def events_us(execute, n):
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(n):
        execute()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e3 / n


def host_us(execute, n, wait, seconds=0.1):
    taken = []
    stop = time.perf_counter() + seconds
    while len(taken) < 5 or time.perf_counter() < stop:
        wait()
        begin = time.perf_counter()
        for _ in range(n):
            execute()
        taken.append((time.perf_counter() - begin) / n)
    wait()
    return statistics.median(taken) * MICRO


def kineto(execute):
    """Per execution, from Kineto's own events: nothing of the host is recorded."""
    import torch
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    def record(n):
        with profile(activities=[ProfilerActivity.CUDA]) as found:
            torch.cuda.synchronize()
            for _ in range(n):
                execute()
            torch.cuda.synchronize()
        return [
            event
            for event in found.profiler.kineto_results.events()
            if event.device_type() == DeviceType.CUDA
            and not event.name().startswith("ProfilerStep")
        ]

    record(10)  # the first use starts the profiler's own buffers
    names, times = collections.Counter(), collections.Counter()
    for event in record(PROFILED):
        names[event.name()] += 1
        times[event.name()] += event.duration_ns()
    copies = {name for name in names if name.startswith(("Memcpy", "Memset"))}
    kernels = names.keys() - copies
    return {
        "kernels": sum(names[name] for name in kernels) / PROFILED,
        "kernel_us": sum(times[name] for name in kernels) / PROFILED / 1e3,
        "copies": sum(names[name] for name in copies) / PROFILED,
        "copy_us": sum(times[name] for name in copies) / PROFILED / 1e3,
        "by_name": {
            name: [names[name] / PROFILED, nanoseconds / PROFILED / 1e3]
            for name, nanoseconds in times.most_common(8)
        },
    }


def measure(setup, stmt, options):
    """One round, and what does not vary between rounds. A peer that fails (do_bench wants a compiler
    and Python's headers) leaves its own figure out, and its reason in `failed`."""
    import torch

    on_device = options.device == "cuda"
    execute = compiled(setup, stmt)
    for _ in range(20):
        execute()
    figures, found = {"timer_us": timer_us(setup, stmt, options.min_run_time)}, {}
    n = max(100, min(1000, int(0.3 * MICRO / figures["timer_us"])))
    found["n"] = n

    def take(name, figure):
        try:
            figures[name] = figure()
        except Exception as error:
            traceback.print_exc()
            found.setdefault("failed", {})[name] = f"{type(error).__name__}: {error}".splitlines()[
                0
            ]

    def kernel_us():
        found.update(kineto(execute))
        return found["kernel_us"]

    launches = 1.0
    if on_device:
        take("kernel_us", kernel_us)
        # A replayed graph is one launch, whatever is in it.
        if "replay" not in stmt and "kernels" in found:
            launches = max(1.0, found["kernels"] + found["copies"])
        take("events_us", lambda: events_us(execute, n))
        take("do_bench_cold_us", lambda: do_bench_cold_us(execute))
        take("do_bench_warm_us", lambda: do_bench_warm_us(execute))
    wait = torch.cuda.synchronize if on_device else (lambda: None)
    few = min(100.0, QUEUE / launches, 0.02 * MICRO / figures["timer_us"])
    take("host_us", lambda: host_us(execute, max(1, int(few)), wait))
    return figures, found


def worker(options):
    """Prints one JSON line for each workload."""
    import torch

    torch.set_num_threads(1)  # as cases have it
    described = torch.cuda.get_device_name() if options.device == "cuda" else "cpu"
    print(json.dumps({"device": described, "torch": torch.__version__}), flush=True)
    for label, (setup, stmt) in python_workloads(
        options.suite, options.device, options.only
    ).items():
        try:
            torch.manual_seed(0)
            rounds = [measure(setup, stmt, options) for _ in range(options.rounds)]
            answer = {"rounds": [figures for figures, _ in rounds], "found": [f for _, f in rounds]}
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps({"label": label, **answer}), flush=True)


def joined(answers):
    rounds = [figures for answer in answers for figures in answer["rounds"]]
    found = [each for answer in answers for each in answer["found"]]
    names = [name for name in rounds[0] if all(name in each for each in rounds)]
    figures = {name: statistics.median(each[name] for each in rounds) for name in names}
    spread = {name: [f(each[name] for each in rounds) for f in (min, max)] for name in names}
    counted = sorted({each["kernels"] for each in found if "kernels" in each})
    if len(counted) > 1:
        spread["kernels"] = [counted[0], counted[-1]]
    return {**found[0], **figures, "spread": spread, "rounds": rounds}


def line_of(label, work):
    names = [
        "timer_us",
        "do_bench_cold_us",
        "do_bench_warm_us",
        "events_us",
        "host_us",
        "kernel_us",
    ]
    cells = [f"{work[name]:.2f}" if name in work else "-" for name in names]
    kernels = f"{work['kernels']:g}" if "kernels" in work else "-"
    return f"| {label} | {' | '.join(cells)} | {kernels} |"


def spawn(options):
    """The lines of one process; what it writes besides goes to our standard error."""
    command = [sys.executable, __file__, "--worker", "--suite", str(options.suite)]
    command += ["--device", options.device, "--rounds", str(options.rounds)]
    command += ["--min-run-time", str(options.min_run_time)]
    command += [part for label in options.only for part in ("--only", label)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or []:
            yield json.loads(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--suite", default=SUITE)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--only", action="append", default=[], metavar="LABEL")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--min-run-time", type=float, default=0.5)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options)
        return
    head, answers, failed, missing = {}, collections.defaultdict(list), {}, {}
    print("| workload | timer | do_bench cold | warm | events | host | kernel time | kernels |")
    print("|---|---|---|---|---|---|---|---|")
    for number in range(options.processes):
        for answer in spawn(options):
            label = answer.pop("label", None)
            if label is None:
                head = answer
            elif "error" in answer:
                failed[label] = answer["error"]
                print(f"| {label} | failed: {answer['error']} |", flush=True)
            else:
                answers[label].append(answer)
                missing.update(
                    (f"{label}: {name}", why)
                    for found in answer["found"]
                    for name, why in found.get("failed", {}).items()
                )
                if number == options.processes - 1:
                    print(line_of(label, joined(answers[label])), flush=True)
            record = {**head, "work": {name: joined(each) for name, each in answers.items()}}
            if failed:
                record["failed"] = failed
            if options.json:
                with open(options.json, "w") as file:
                    json.dump(record, file, indent=1)
    for figure, why in missing.items():
        print(f"without {figure}: {why}")
    if failed or missing or not answers:
        sys.exit(1)


if __name__ == "__main__":
    main()
