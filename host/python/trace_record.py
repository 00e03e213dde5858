"""Records one statement with torch.profiler: run by a plain interpreter, told what to do by a JSON
job on stdin.

Job:    {"stmt", "setup", "runs", "context", "activities": ["cpu", "cuda"], "profiler": {...},
        "trace", "result"}
Result: written to the file "result": {"ok": true, "torch", "gpu", "activities", "notes", "runs",
        "unprofiled_s", "profiled_s"} or {"ok": false, "stage", "message"}.

Order: seed, setup, five warm-up runs, `runs` runs for the length, `runs` profiled ones; each group
is seeded again and ends with a synchronisation. Every profiled run is marked as a ProfilerStep. The
statement's own output goes where it goes: the result never mixes with it.
"""

import contextlib
import json
import random
import sys
import time
import traceback

WARM_UP_RUNS = 5
SEED = 0


def compiled(source, name):
    return compile(source, f"<{name}>", "exec")


def seed(torch):
    random.seed(SEED)
    torch.manual_seed(SEED)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(SEED)


def known_activities(torch, wanted, notes):
    from torch.profiler import ProfilerActivity

    out = []
    for name in wanted:
        activity = getattr(ProfilerActivity, name.upper(), None)
        if activity is None:
            raise ValueError(
                f"this torch knows no activity '{name}'; it knows "
                + ", ".join(a.lower() for a in dir(ProfilerActivity) if a.isupper())
            )
        if name == "cuda" and not torch.cuda.is_available():
            notes.append("no GPU: recorded the CPU only")
            continue
        out.append(activity)
    if not out:
        out.append(ProfilerActivity.CPU)
    return out


def record(job, result):
    result["stage"] = "import"
    import torch

    notes = result["notes"] = []
    activities = known_activities(torch, job["activities"], notes)
    gpu = torch.cuda.is_available()
    synchronise = torch.cuda.synchronize if gpu else (lambda: None)
    names = {"torch": torch, "__name__": "__main__"}
    seed(torch)
    result["stage"] = "setup"
    exec(compiled(job["setup"], "setup"), names)
    stmt = compiled(job["stmt"], "stmt")
    context = compile(job["context"], "<context>", "eval") if job["context"] else None

    def group(runs, mark):
        """Seconds for `runs` runs, to the end of the device's work."""
        seed(torch)
        with eval(context, names) if context else contextlib.nullcontext():
            synchronise()
            begin = time.perf_counter()
            for i in range(runs):
                with mark(i):
                    exec(stmt, names)
            synchronise()
            return time.perf_counter() - begin

    def unmarked(_):
        return contextlib.nullcontext()

    result["stage"] = "warm-up"
    group(WARM_UP_RUNS, unmarked)
    result["stage"] = "unprofiled runs"
    result["unprofiled_s"] = group(job["runs"], unmarked)
    result["stage"] = "profiled runs"
    with torch.profiler.profile(activities=activities, **job["profiler"]) as profiler:
        result["profiled_s"] = group(
            job["runs"], lambda i: torch.profiler.record_function(f"ProfilerStep#{i}")
        )
    result["stage"] = "export"
    profiler.export_chrome_trace(job["trace"])
    result.update(
        ok=True,
        torch=torch.__version__,
        gpu=torch.cuda.get_device_name() if gpu else None,
        runs=job["runs"],
        activities=[str(a).rsplit(".", 1)[-1].lower() for a in activities],
    )
    del result["stage"]


def main():
    job = json.load(sys.stdin)
    result = {"ok": False}
    try:
        record(job, result)
    except BaseException:  # The user's code may raise anything, SystemExit among it.
        kind, value, _ = sys.exc_info()
        result["message"] = "".join(traceback.format_exception_only(kind, value)).strip()
        result["traceback"] = traceback.format_exc()
    with open(job["result"], "w", encoding="utf-8") as file:
        json.dump(result, file)
    sys.stdout.flush()
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
