#!/usr/bin/env python3
"""How fast `tally trace` reads a large trace on one core, against Python's json on the same file in
the same run.

    bench/trace/run.py --tally build/release/tally [--trace FILE.json[.gz]] [--size 1e9] [--runs 5] [--no-python]

Makes the large trace by repeating a real one (or one made here, without --trace) with shifted
times, reads it once so that it lies in the page cache, then runs each reader on one core. Reports
the best and the median wall time, processor time, GB/s and peak memory as the kernel counted it,
and compares the figures of the two.
"""

import argparse
import gzip
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def made_trace(events=40000):
    """A plain training loop: operators, launches, flow arrows and kernels in Kineto's layout and proportions."""
    rng, lines, ts, gpu = random.Random(1), [], 1_000_000.0, 1_000_000.0
    names = [
        "volta_sgemm_64x64_tn",
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
        "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
    ]
    for i in range(events // 5):
        ts += rng.uniform(5, 40)
        gpu = max(gpu, ts + 6) + rng.uniform(0, 3)
        dur = rng.uniform(2, 30)
        name = names[rng.randrange(3)]
        head = (
            '{{\n    "ph": "{}", "cat": "{}", "name": "{}", "pid": {}, "tid": {},\n'
            '    "ts": {:.3f}, "dur": {:.3f},\n    "args": {{\n      {}\n    }}\n  }}'
        )
        lines.append(
            head.format(
                "X",
                "cpu_op",
                "aten::mm",
                9,
                9,
                ts,
                12,
                f'"External id": {i}, "Input Dims": [[64, 64], [64, 64]], "Ev Idx": {i}',
            )
        )
        lines.append(
            head.format(
                "X",
                "cuda_runtime",
                "cudaLaunchKernel",
                9,
                9,
                ts + 2,
                5,
                f'"External id": {i}, "cbid": 211, "correlation": {i + 1}',
            )
        )
        lines.append(
            f'{{\n    "ph": "s", "id": {i + 1}, "pid": 9, "tid": 9, "ts": {ts + 2:.3f},\n'
            '    "cat": "ac2g", "name": "ac2g"\n  }'
        )
        lines.append(
            head.format(
                "X",
                "kernel",
                name,
                0,
                7,
                gpu,
                dur,
                f'"External id": {i}, "queued": 0, "device": 0, "context": 1, "stream": 7, '
                f'"correlation": {i + 1}, "blocks per SM": 1.5, "warps per SM": 12.0, '
                '"grid": [64, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 40',
            )
        )
        lines.append(
            f'{{\n    "ph": "f", "id": {i + 1}, "pid": 0, "tid": 7, "ts": {gpu:.3f},\n'
            '    "cat": "ac2g", "name": "ac2g", "bp": "e"\n  }'
        )
        gpu += dur
    return ('{"schemaVersion": 1, "traceEvents": [\n  ' + ",\n  ".join(lines) + "\n  ]}").encode()


def repeat(text, size, path):
    """Writes at least `size` bytes: the events of `text` repeated, each time later by the trace's length."""
    begin = text.index(b"[", text.index(b'"traceEvents"')) + 1
    in_string, depth, end = False, 1, begin
    for match in re.finditer(rb'\\.|["\[\]]', text[begin:], re.S):
        token = match.group()
        if token == b'"':
            in_string = not in_string
        elif not in_string and token in (b"[", b"]"):
            depth += 1 if token == b"[" else -1
            if depth == 0:
                end = begin + match.start()
                break
    body = text[begin:end].rstrip()
    pieces = re.split(rb'("ts": ?)(\d+)', body)
    times = [int(pieces[i]) for i in range(2, len(pieces), 3)]
    span = max(times) - min(times) + 1_000_000
    copies = max(1, -(-int(size) // len(body)))
    with open(path, "wb") as file:
        file.write(text[:begin])
        for copy in range(copies):
            shifted = list(pieces)
            for place, value in zip(range(2, len(pieces), 3), times):
                shifted[place] = b"%d" % (value + copy * span)
            file.write((b"," if copy else b"") + b"".join(shifted))
        file.write(text[end:])
    return copies


def write_large(options, path):
    """In a process of its own: a child's reported peak memory starts at that of the process that forks it."""
    pid = os.fork()
    if pid == 0:
        if options.trace:
            with open(options.trace, "rb") as file:
                text = file.read()
            text = gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text
        else:
            text = made_trace()
        copies = repeat(text, options.size, path)
        with open(path + ".copies", "w") as file:
            file.write(str(copies))
        os._exit(0)
    if os.waitpid(pid, 0)[1] != 0:
        sys.exit("the large trace could not be made")
    with open(path + ".copies") as file:
        return int(file.read())


def measure(argv, core):
    """Runs on one core; wall and processor seconds, peak kilobytes and the output."""
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        pid = os.fork()
        if pid == 0:
            os.sched_setaffinity(0, {core})
            os.dup2(out.fileno(), 1)
            os.execvp(argv[0], argv)
        _, status, usage = os.wait4(pid, 0)
        wall = time.monotonic() - begin
        if status != 0:
            sys.exit(f"{argv[0]} ended with status {status}")
        out.seek(0)
        return {
            "wall": wall,
            "cpu": usage.ru_utime + usage.ru_stime,
            "kb": usage.ru_maxrss,
            "out": json.loads(out.read()),
        }


def report(label, runs, size):
    best = min(r["wall"] for r in runs)
    cpu = min(r["cpu"] for r in runs)
    print(
        f"{label:34} best {best:7.3f} s  median {statistics.median(r['wall'] for r in runs):7.3f} s  "
        f"processor {cpu:7.3f} s  {size / best / 1e9:6.2f} GB/s  peak {max(r['kb'] for r in runs) / 1024:8.1f} MB",
        flush=True,
    )
    return best


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", required=True)
    parser.add_argument("--trace", help="the trace to repeat; default: one made here")
    parser.add_argument("--size", type=float, default=1e9)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument(
        "--no-python",
        action="store_true",
        help="without the yardstick (it needs 6 bytes of memory per byte)",
    )
    parser.add_argument(
        "--gzip", action="store_true", help="also the same file gzipped, on two threads and on one"
    )
    options = parser.parse_args()
    command = (
        [options.tally, "trace"] if os.path.basename(options.tally) == "tally" else [options.tally]
    )
    folder = tempfile.mkdtemp(prefix="tally-bench-trace-")
    try:
        path = os.path.join(folder, "large.json")
        copies = write_large(options, path)
        size = os.path.getsize(path)
        with open(path, "rb") as file:  # Into the page cache.
            while file.read(1 << 20):
                pass
        print(
            f"{os.path.basename(options.trace or 'made here')} x {copies}: {size / 1e9:.3f} GB; core {options.core}; "
            f"load average {os.getloadavg()[0]:.1f}"
        )
        one = command + [path, "--json", "--threads", "1"]
        linked = [measure(one, options.core) for _ in range(options.runs)]
        plain = [measure(one + ["--no-operators"], options.core) for _ in range(options.runs)]
        report("tally, operators linked", linked, size)
        report("tally, --no-operators", plain, size)
        rows = sum(
            d["kernels"] + d["memory_events"] + d["launches"]["linked"]
            for d in plain[0]["out"]["devices"]
        )
        print(
            f"{'':34} at least {rows} device events and calls kept: limit {16 + 32 * rows / 2**20:.1f} MB"
        )
        if options.gzip:
            packed = path + ".gz"
            subprocess.run(["gzip", "-1", "-k", path], check=True)
            report(
                "tally, gzipped",
                [
                    measure(command + [packed, "--json", "--threads", "1"], options.core)
                    for _ in range(2)
                ],
                size,
            )
            begin = time.monotonic()
            subprocess.run(["gzip", "-dc", packed], stdout=subprocess.DEVNULL, check=True)
            print(f"{'':34} gzip -dc alone: {time.monotonic() - begin:.3f} s")
            os.unlink(packed)
        if not options.no_python:
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_json.py")
            slow = measure([sys.executable, script, path], options.core)
            seconds = report("Python json, main figures only", [slow], size)
            for label, runs in (("operators linked", linked), ("--no-operators", plain)):
                print(
                    f"{'':34} ratio, {label}: {seconds / min(r['wall'] for r in runs):.1f} by wall time, "
                    f"{slow['cpu'] / min(r['cpu'] for r in runs):.1f} by processor time"
                )
            for ours, theirs in zip(linked[0]["out"]["devices"], slow["out"]["devices"]):
                worst = max(abs(ours[k] - v) for k, v in theirs.items() if k.endswith("_ns"))
                print(
                    f"{'':34} device {ours['device']}: largest difference {worst} ns of {ours['window_ns']} "
                    "(Python's times are doubles)"
                )
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
