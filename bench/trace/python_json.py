#!/usr/bin/env python3
"""What one writes in Python for the main figures of a trace: json.load, then sweeps. The yardstick
of run.py.

Times are doubles here, as json gives them, so that its figures can be off by some nanoseconds.
Prints one JSON object per device: busy, compute, comm, memory, exposed ones, idle, window, and the
kernel table.
"""

import gzip
import json
import sys
from collections import defaultdict

KERNEL = {"kernel", "Kernel"}
MEMORY = {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"}


def length(spans):
    total, until = 0, float("-inf")
    for start, end in spans:
        if end > until:
            total += end - max(start, until)
            until = end
    return total


def main():
    path = sys.argv[1]
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        document = json.load(file)
    events = document["traceEvents"] if isinstance(document, dict) else document
    devices = defaultdict(lambda: ([], [], []))
    names = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for event in events:
        if event.get("ph") != "X":
            continue
        category = event.get("cat")
        if category not in KERNEL and category not in MEMORY:
            continue
        device = str((event.get("args") or {}).get("device", event.get("pid")))
        start = round(event["ts"] * 1000)
        span = (start, start + round(event.get("dur", 0) * 1000))
        if category in MEMORY:
            devices[device][2].append(span)
            continue
        name = event.get("name", "")
        low = name.lower()
        devices[device][1 if "nccl" in low or "rccl" in low else 0].append(span)
        entry = names[device][name]
        entry[0] += 1
        entry[1] += span[1] - span[0]
    out = []
    for device, (compute, comm, memory) in sorted(devices.items()):
        for spans in (compute, comm, memory):
            spans.sort()
        kernels, everything = sorted(compute + comm), sorted(compute + comm + memory)
        window = max(end for _, end in everything) - everything[0][0]
        busy, compute_ns, both = length(everything), length(compute), length(kernels)
        out.append(
            {
                "device": device,
                "busy_ns": busy,
                "compute_ns": compute_ns,
                "comm_ns": length(comm),
                "memory_ns": length(memory),
                "exposed_comm_ns": both - compute_ns,
                "exposed_memory_ns": busy - both,
                "idle_ns": window - busy,
                "window_ns": window,
                "kernel_names": len(names[device]),
            }
        )
    print(json.dumps({"events": len(events), "devices": out}))


if __name__ == "__main__":
    main()
