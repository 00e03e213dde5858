"""The folders of traces: what the figures are, and what is said beside them."""

import json
import os
import re

from run import check, expect


def figures(case, *names, code=0):
    """What `tally trace --json` says of these files."""
    text, ended = case.tally("trace", *names, "--json")
    expect(ended == code, f"{names} ended with {ended}, not {code}: {text[-500:]}")
    return json.loads(text[text.index("{") :])


def device(case, *names):
    return figures(case, *names)["devices"][0]


def has(found, **wanted):
    for key, value in wanted.items():
        expect(found[key] == value, f"{key} is {found[key]}, not {value}")


@check("public/02-trace-string-timestamps-beyond-2-53")
def string_timestamps(case):
    for name in ("strings.json", "numbers.json"):
        has(device(case, name), kernels=3, window_ns=1000, busy_ns=750, idle_ns=250)
    odd = device(case, "odd.json")
    has(odd, window_ns=999, busy_ns=999, idle_ns=0, kernel_time_ns=999)
    expect([one["total_ns"] for one in odd["kernels_by_name"]] == [333] * 3, "not 333 ns each")


@check("public/03-trace-kernels-below-a-microsecond")
def below_a_microsecond(case):
    found = device(case, "trace.json")
    has(found, kernels=3, kernel_time_ns=300, window_ns=2300, busy_ns=300, idle_ns=2000)
    expect([one["total_ns"] for one in found["kernels_by_name"]] == [200, 100, 0], "other lengths")
    has(figures(case, "trace.json")["traces"][0], work_without_duration=1)


@check("public/04-trace-with-nothing-in-it")
def nothing_in_it(case):
    for name in ("metadata", "nothing", "empty", "null"):
        text, code = case.tally("trace", f"{name}.json")
        expect(code == 1, f"{name} ended with {code}")
        expect(f"{name}.json: no event" in text, f"no sentence about {name}: {text}")
        text, _ = case.tally("trace", "good.json", f"{name}.json")
        expect(f"{name}.json: " in text, f"beside good.json {name} is not named")
        text, _ = case.tally("trace", "good.json", f"{name}.json", "--json")
        found = json.loads(text[text.index("{") :])["devices"]
        expect([one["utilization"] for one in found] == [1.0], f"other figures beside {name}")


@check("public/05-trace-without-a-rank")
def without_a_rank(case):
    has(device(case, "a.json"), window_ns=40_000, busy_ns=30_000)
    ranks = figures(case, "a.json", "b.json")["ranks"]
    expect([one["rank"] for one in ranks["rows"]] == [None, 1], f"ranks: {ranks['rows']}")
    expect(ranks["rows"][ranks["straggler"]]["rank"] == 1, "another straggler")


@check("public/08-trace-impossible-durations")
def impossible_durations(case):
    text, _ = case.tally("trace", "trace.json")
    expect(re.search(r'doubtful: on stream 7, "bad" of 3\.40 s', text), f"no doubt: {text}")
    has(device(case, "graph.json"), doubts=None)


@check("public/09-trace-bad-bytes-negative-durations-rows-of-no-work")
def bad_bytes(case):
    found = figures(case, "trace.json")
    has(found["devices"][0], kernels=2, window_ns=40_000, busy_ns=20_000, idle_ns=20_000)
    has(found["traces"][0], dropped_no_time=1)
    text, _ = case.tally("trace", "zero.json")
    expect('next to it: "lost its stamp"' in text, f"a window of 56 years without a word: {text}")


def with_tally_on_path(case, script):
    case.environment["PATH"] = os.pathsep.join(
        [os.path.dirname(os.path.abspath(os.environ["TALLY"])), os.environ["PATH"]]
    )
    return case.python(script)


@check("trace")
def damaged(case):
    for line in with_tally_on_path(case, "broken_documents.py"):
        expect("Traceback" not in line and "rc-" not in line, line)
        if line.startswith("two docs"):
            expect("objects_after_end" in line, line)
        if line.startswith("gz trailing garbage"):
            expect("is not gzip" in line, line)
        if line.startswith("esc "):
            expect(" K3 " in line, line)
    for line in with_tally_on_path(case, "cut_anywhere.py"):
        expect(not line.startswith(("CUT", "CRASH", "cut ")), line)
        # Half of a key, of a phase or of a category: the event is another one, or is reported.
        silent = re.match(r"\('(\w+)', 'lost(\d)", line)
        expect(silent is None or silent[2] == "1", f"events that were whole are lost: {line[:300]}")
