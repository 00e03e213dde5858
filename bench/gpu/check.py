#!/usr/bin/env python3
"""Judges the records that tools/try_gpu.sh takes; each prints a table or a few lines.

  bench/gpu/check.py times RECORD [AGAIN] [--peers FILE] [--expect cuda|cpu]
  bench/gpu/check.py cold RECORD [--peers FILE] [--expect cuda|cpu]
  bench/gpu/check.py card RECORD [--expect cuda|cpu]
  bench/gpu/check.py counts RECORD AGAIN
  bench/gpu/check.py cpu RECORD
  bench/gpu/check.py devices RECORD... [--expect cuda|cpu]
  bench/gpu/check.py faults RECORD...

times: Tallymark beside the peers of peers.py. What the device bounds has to be within 2 % (--within),
and kernels have to be equal. What the host bounds is stated: its ratio, and whether it lies within
the peer's own spread. On a CPU (--expect cpu) no time is judged. cold: the time on the stream with a
cold cache has to be within 2 % of do_bench's spread. card: the record has the card before and after,
and settings of PyTorch. Exit code 1 when something is not as it should be.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

DEVICE_BOUND = ("add 2^24", "matmul 4096 bf16", "graph of 20 adds 2^24")
# Of a case's record: what it is, its peer, and whether it is the device's own.
FIGURES = [
    ("elapsed", ("wall", "median_s"), "timer_us", True),
    ("on the stream", ("on_device", "time", "median_s"), "events_us", True),
    ("kernels' time", ("on_device", "work", "kernel_time_s"), "kernel_us", True),
    ("launch", ("on_device", "launch", "median_s"), "host_us", False),
]
FAULTS = {
    "out of memory": r"out of memory|can't allocate memory",
    "assert": r"assert|out of bounds",
    "hang": r"timed out|time-?out",
    "no device": r"no (\S+ )?(device|GPU|CUDA|NVIDIA)|not compiled with CUDA"
    r"|not (available|visible)|CUDA_VISIBLE_DEVICES",
}


def at(value, path):
    """None where a key is absent."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def cases_of(file):
    try:
        return json.loads(pathlib.Path(file).read_text())["cases"]
    except (OSError, ValueError, KeyError) as error:
        print(f"{file}: no record: {error}")
        return []


def first_line(case):
    return (at(case, ("failure", "message")) or "no message").strip().splitlines()[0]


def cell(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |")


def report_failed(cases):
    failed = [case for case in cases if case["status"] != "ok"]
    for case in failed:
        print(f"{case['status']}: {case['id']}: {first_line(case)}")
    return not failed and bool(cases)


def verdict_of(label, language, figure, ratio, inside, of_device, within):
    """The text, and whether it is wrong."""
    if of_device and label in DEVICE_BOUND:
        good = abs(ratio - 1) <= within
        return "" if within == float("inf") else (
            "" if good else "NOT "
        ) + f"within {within:.0%}", not good
    if language == "cpp":
        return "the peer is Python", False
    if inside is None:
        return "", False
    return f"{'in' if inside else 'outside'} the peer's spread", False


def times_of_case(case, work, within):
    """Prints a row for each figure; whether all were right."""
    label, language, good = "/".join(case["label"]), case["language"], True
    for name, path, peer_name, of_device in FIGURES:
        own, peer = at(case, path), work.get(peer_name)
        own = None if own is None else own * 1e6
        spread = at(work, ("spread", peer_name))
        said, ratio = "", None
        if own is not None and peer:
            ratio = own / peer
            inside = None if spread is None else spread[0] <= own <= spread[1]
            said, wrong = verdict_of(label, language, name, ratio, inside, of_device, within)
            good = good and not wrong
        shown = "-" if spread is None else f"{spread[0]:.2f} to {spread[1]:.2f}"
        row(label, language, name, cell(own), cell(peer), shown, cell(ratio, "{:.3f}"), said)
    own, peer = at(case, ("on_device", "work", "kernels")), work.get("kernels")
    both = None if own is None else own + (at(case, ("on_device", "work", "copies")) or 0)
    said = ""
    if own is not None and peer is not None:
        equal = own == peer or both == peer + work.get("copies", 0)
        said, good = "equal" if equal else "DIFFERENT", good and equal
    row(label, language, "kernels", cell(own, "{:g}"), cell(peer, "{:g}"), "-", "-", said)
    return good


def two_runs_agree(first, second):
    again = {case["id"]: case for case in second}
    good = True
    for case in first:
        other = again.get(case["id"])
        if other is None or case["status"] != "ok":
            continue
        one, two = (at(each, ("on_device", "time")) for each in (case, other))
        if (
            one
            and two
            and (
                one["interval_s"][0] > two["interval_s"][1]
                or two["interval_s"][0] > one["interval_s"][1]
            )
        ):
            change = two["median_s"] / one["median_s"] - 1
            print(f"two runs: {case['id']}: intervals on the stream are apart ({change:+.2%})")
            good = good and "/".join(case["label"]) not in DEVICE_BOUND
        kernels = [at(each, ("on_device", "work", "kernels")) for each in (case, other)]
        if kernels[0] != kernels[1]:
            print(f"two runs: {case['id']}: kernels {kernels[0]} and {kernels[1]}")
            good = False
    print(f"two runs: {'agree' if good else 'DO NOT AGREE'}")
    return good


def check_times(options):
    work = {}
    if options.peers and pathlib.Path(options.peers).exists():
        work = json.loads(pathlib.Path(options.peers).read_text())["work"]
    cases = cases_of(options.records[0])
    row("workload", "", "figure", "tally µs", "peer µs", "peer's spread", "ratio", "")
    row(*["---"] * 8)
    good = True
    for case in cases:
        if case["status"] == "ok":
            figures = work.get("/".join(case["label"]), {})
            within = options.within if options.expect != "cpu" else float("inf")
            good = times_of_case(case, figures, within) and good
    alone = {"/".join(case["label"]) for case in cases} - work.keys()
    if alone:
        print("no peer was measured of: " + ", ".join(sorted(alone)))
        good = good and options.expect == "cpu"
    idle = {case["id"]: at(case, ("on_device", "work", "idle_share")) for case in cases}
    print("idle: " + ", ".join(f"{name} {cell(share, '{:.0%}')}" for name, share in idle.items()))
    for case in cases:
        if case["flags"] or case["warnings"]:
            print(f"{case['id']}: {', '.join([*case['flags'], *case['warnings']])}")
    good = report_failed(cases) and good
    if options.expect != "cpu" and not any(case.get("on_device") for case in cases):
        print("no case of the record was on a device")
        good = False
    if len(options.records) > 1:
        good = two_runs_agree(cases, cases_of(options.records[1])) and good
    return good


def check_cold(options):
    work = {}
    if options.peers and pathlib.Path(options.peers).exists():
        work = json.loads(pathlib.Path(options.peers).read_text())["work"]
    cases = cases_of(options.records[0])
    row("workload", "elapsed", "on the stream", "do_bench", "its spread", "")
    row(*["---"] * 6)
    good = report_failed(cases)
    for case in cases:
        peer = work.get("/".join(case["label"]), {})
        spread = at(peer, ("spread", "do_bench_cold_us"))
        elapsed, own = at(case, ("wall", "median_s")), at(case, ("on_device", "time", "median_s"))
        own = own and own * 1e6
        said = ""
        if options.expect != "cpu":
            flushed = at(case, ("on_device", "flush")) == "l2"
            inside = bool(own and spread) and (
                spread[0] * (1 - options.within) <= own <= spread[1] * (1 + options.within)
            )
            said = "within do_bench's spread" if inside else "NOT within do_bench's spread"
            said = said if flushed else "NOT of a cold cache"
            good = good and flushed and inside
        shown = "-" if spread is None else f"{spread[0]:.2f} to {spread[1]:.2f}"
        cells = (elapsed and elapsed * 1e6, own, peer.get("do_bench_cold_us"))
        row("/".join(case["label"]), *map(cell, cells), shown, said)
    return good


def check_card(options):
    cases = cases_of(options.records[0])
    good = report_failed(cases)
    for case in cases:
        cards = at(case, ("on_device", "cards")) or []
        settings = at(case, ("on_device", "settings"))
        if options.expect != "cpu" and not cards:
            print(f"{case['id']}: no card in the record: nvidia-smi lists none, or is not there")
            good = False
        print(f"{case['id']}: worked on {json.dumps(at(case, ('on_device', 'work', 'devices')))}")
        for card in cards:
            name = f"{case['id']}: {card['uuid']} ({card.get('number', '?')})"
            for moment in ("before", "after"):
                print(f"{name}: {moment}: {json.dumps(card[moment])}")
                good = good and (options.expect == "cpu" or "sm_mhz" in card[moment])
            print(f"{name}: slowed down for {json.dumps(card.get('slowed_s'))}")
        print(f"{case['id']}: settings {json.dumps(settings)}")
        asked = "cuda.matmul.allow_tf32" in (settings or {})
        good = good and (options.expect == "cpu" or asked)
    return good


def check_counts(options):
    first, second = (cases_of(file) for file in options.records)
    again = {case["id"]: case for case in second}
    good = report_failed(first) and report_failed(second)
    row("case", "first", "again", "difference", "spread", "spread again", "")
    row(*["---"] * 7)
    for case in first:
        one, two = case.get("counts"), again.get(case["id"], {}).get("counts")
        if not one or not two:
            continue
        change = two["per_iteration"] / one["per_iteration"] - 1
        agree = abs(change) <= max(0.005, one["spread"], two["spread"])
        good = good and agree
        counts = [f"{each['per_iteration']:,.1f}" for each in (one, two)]
        spreads = [f"{each['spread']:.3%}" for each in (one, two)]
        row(case["id"], *counts, f"{change:+.3%}", *spreads, "agree" if agree else "DIFFERENT")
    return good


def check_cpu(options):
    record = options.records[0]
    cases = cases_of(record)
    states = collections.Counter(case["status"] for case in cases)
    moved = [case for case in cases if at(case, ("counts", "spread"))]
    print(", ".join(f"{count} {state}" for state, count in states.items()) or "no case")
    if cases:
        print(f"{json.loads(pathlib.Path(record).read_text())['seconds']:.1f} s")
    messages = collections.Counter(first_line(case) for case in cases if case["status"] != "ok")
    for message, count in messages.most_common(8):
        print(f"{count} failed: {message}")
    print(f"{len(moved)} with a spread other than 0")
    for case in sorted(moved, key=lambda case: -case["counts"]["spread"])[:12]:
        print(f"  {case['id']}: {case['counts']['spread']:.4%}")
    warnings = collections.Counter(text for case in cases for text in case["warnings"])
    for text, count in warnings.most_common(5):
        print(f"{count} warned: {text}")
    limit = 0.001  # what Python's cases may differ by
    return states.keys() == {"ok"} and all(case["counts"]["spread"] <= limit for case in moved)


def check_devices(options):
    good = True
    for file in options.records:
        cases = cases_of(file)
        good = report_failed(cases) and good
        for case in cases:
            name = at(case, ("on_device", "name")) or "cpu"
            kernels = cell(at(case, ("on_device", "work", "kernels")), "{:g}")
            count = cell(at(case, ("counts", "per_iteration")), "{:,.0f}")
            time = at(case, ("wall", "median_s"))
            print(
                f"{case['id']}: on {name}; {count} instructions, "
                f"{cell(time and time * 1e6)} µs, {kernels} kernels; {', '.join(case['flags'])}"
            )
            for warning in case["warnings"]:
                print(f"  warned: {warning}")
            good = good and name == options.expect
    return good


def check_faults(options):
    """A case's fault is the last part of its label; what has none of them has to be good."""
    good = True
    for case in (case for file in options.records for case in cases_of(file)):
        fault = next((FAULTS[name] for name in FAULTS if name == case["label"][-1]), None)
        line = first_line(case)
        if fault is None:
            right = case["status"] == "ok"
        else:
            clear = (
                bool(re.search(fault, line, re.I)) and "frame #" not in line and len(line) <= 300
            )
            right = case["status"] != "ok" and clear
        said = "" if case["status"] == "ok" else f": {line}"
        print(f"{'right' if right else 'WRONG'}: {case['id']}: {case['status']}{said}")
        good = good and right
    return good and all(cases_of(file) for file in options.records)


def main():
    checks = {
        "times": check_times,
        "cold": check_cold,
        "card": check_card,
        "counts": check_counts,
        "cpu": check_cpu,
        "devices": check_devices,
        "faults": check_faults,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=checks)
    parser.add_argument("records", nargs="+", metavar="RECORD")
    parser.add_argument("--peers", metavar="FILE")
    parser.add_argument("--within", type=float, default=0.02)
    parser.add_argument("--expect", default="cuda")
    options = parser.parse_args()
    if options.what == "counts" and len(options.records) != 2:
        parser.error("counts takes two records")
    sys.exit(0 if checks[options.what](options) else 1)


if __name__ == "__main__":
    main()
