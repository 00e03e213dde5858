"""The standard suite counts what PyTorch's own 181 cases count, to half a percent, with PyTorch 1.13.1.

    against_pytorch.py TALLY [--record FILE] [--list FILE] [--show N]

The list (../shared/peer/upstream_cases.jsonl beside the repository, where there is one) has a line for
each case: label, language, runtime, autograd, threads, instructions. A label's parts are a case's, to
the letter. Without the list, or with another PyTorch, exit code 77: nothing was tested.

The same code has several counts where the heap can lie in several ways, up to 1 % apart (TorchScript
from Python). So what is further off is counted again under the eight perturbations of --aa, and is
right when the list's count is within half a percent of that floor. In Python it may be 2 % off: which of
its states a host's heap is in depends on what the interpreter allocated before the case, and the
perturbations stay within one. training/simple [python torchscript] reads 73,146 on one machine and 72,528
on another. `x + y` reads 8,157 or 8,297, as memalign() cuts a piece off of a block and frees it, or need
not: 42 and 98 instructions. Each such case is named. With --record nothing is run, and the record's
floors serve.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUITE = os.path.join(ROOT, "suites/torch_standard.toml")
LIST = os.path.join(os.path.dirname(ROOT), "shared/peer/upstream_cases.jsonl")
TOLERANCE = 0.005
HEAP_STATES = 0.02
NOTHING_TESTED = 77
# Of C++ that calls TorchScript the list has the call with an rvalue, PyTorch makes it with an lvalue: a
# copy of the arguments, 235 instructions for one tensor, 500 for five.
LVALUE = 500


def facts(case):
    return tuple(case["label"]), *(
        case[key] for key in ("language", "runtime", "autograd", "threads")
    )


def count(tally, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.json")
        # Cases that fail are reported below, by name.
        subprocess.run(
            [tally, "run", SUITE, "--counts-only", "--quiet", "--json", record, *arguments],
            stdout=subprocess.DEVNULL,
        )
        with open(record, encoding="utf-8") as file:
            return json.load(file)["cases"]


def distance(low, high, case, listed):
    """How far the interval of counts is from what the list allows for, as a share of the list's count."""
    copy = LVALUE if (case["language"], case["runtime"]) == ("cpp", "torchscript") else 0
    if high < listed:
        return high / listed - 1
    return max(0.0, low - listed - copy) / listed


def of_count(case, listed):
    per_iteration = case["counts"]["per_iteration"]
    return distance(per_iteration, per_iteration, case, listed)


def of_floor(case, listed):
    floor = case["counts"].get("floor")
    return distance(floor["low"], floor["high"], case, listed) if floor else of_count(case, listed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tally")
    parser.add_argument("--record")
    parser.add_argument("--list", default=LIST)
    parser.add_argument("--show", type=int, default=15)
    args = parser.parse_args()
    if not os.path.exists(args.list):
        print(f"no list at {args.list}: nothing tested")
        return NOTHING_TESTED
    version = subprocess.run(
        ["/usr/bin/python3", "-c", "import torch; print(torch.__version__)"],
        capture_output=True,
        text=True,
    ).stdout
    # Debian's 1.13.1 calls itself 1.13.0a0.
    if not args.record and not version.startswith("1.13."):
        print(f"the list is of PyTorch 1.13.1, this is {version.strip() or 'none'}: nothing tested")
        return NOTHING_TESTED
    with open(args.list, encoding="utf-8") as file:
        listed = {facts(case): case["instructions"] for case in map(json.loads, file)}
    if args.record:
        with open(args.record, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
    else:
        cases = count(args.tally)

    faults = [f"{case['status']}: {case['id']}" for case in cases if case["status"] != "ok"]
    ours = {facts(case): case for case in cases if case["status"] == "ok"}
    faults += [f"not in the list: {ours[key]['id']}" for key in ours.keys() - listed.keys()]
    faults += [f"not measured: {key}" for key in listed.keys() - ours.keys()]
    both = ours.keys() & listed.keys()

    far = [key for key in both if abs(of_count(ours[key], listed[key])) > TOLERANCE]
    if far and not args.record:
        filters = [item for key in far for item in ("--filter", ours[key]["id"])]
        again = {facts(case): case for case in count(args.tally, "--aa", *filters)}
    else:
        again = ours
    for key in far:
        off = 100 * of_floor(again[key], listed[key])
        verdict = f"{off:+.2f} % from its floor" if off else "within its floor"
        allowed = HEAP_STATES if ours[key]["language"] == "python" else TOLERANCE
        if abs(off) > 100 * allowed:
            faults.append(f"{verdict}: {ours[key]['id']}")
        else:
            print(f"{verdict}: {ours[key]['id']}")
    print(f"{'list':>12} {'tally':>12} {'off':>8}  case")
    shown = sorted(
        both, key=lambda key: -abs(ours[key]["counts"]["per_iteration"] / listed[key] - 1)
    )
    for key in shown[: args.show]:
        measured = ours[key]["counts"]["per_iteration"]
        off = 100 * (measured / listed[key] - 1)
        print(f"{listed[key]:12,.2f} {measured:12,.2f} {off:+7.3f}%  {ours[key]['id']}")
    print(
        f"{len(both)} of {len(listed)} cases, {len(both) - len(far)} within {TOLERANCE:.1%}"
        f" (C++ that calls TorchScript: and up to {LVALUE} instructions more)"
    )
    for fault in faults:
        print("FAILED:", fault)
    return 1 if faults else 0


sys.exit(main())
