#!/usr/bin/env python3
"""Tallymark beside torch.utils.benchmark.Timer: the same cases, both ways, in one run.

  bench/versus_torch_timer/run.py [--tally build/release/tally] [--cases N] [--min-run-time 5]

Prints a table in Markdown: seconds for each case, spread of the counts, the counts themselves and
their ratio. The Timer's count is its smallest replicate less the one of its own empty statement;
Tallymark's is per_iteration times 100. Both compile with clang 19 at -O2. The Timer's C++ needs
pybind11-dev and libomp-19-dev, which nothing else here does. With --equal-time a second Tallymark
run takes times for as long as the Timer does.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SUITE = os.path.join(ROOT, "suites", "torch_standard.toml")
# A fixed sample: both languages, cheap and dear, one TorchScript case each. The first N are taken.
SAMPLE = [
    "Pointwise/Math/add/Case:  0 [{}]",
    "nn Modules/BatchNorm2d [{}]",
    "training/simple [{} backward]",
    "nn Modules/Linear [{} torchscript]",
    "Reduction/sum [{}]",
    "Indexing/Tensor-Scalar/Case:  0 [{}]",
]


def run(command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def torch_python():
    for candidate in ("python3", "/usr/bin/python3"):
        if (
            subprocess.run([candidate, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode
            == 0
        ):
            return candidate
    sys.exit("no interpreter with torch: apt-get install python3-torch")


def choose(tally, count):
    plan = json.loads(run([tally, "plan", SUITE, "--json"]))["cases"]
    by_id = {case["id"]: case for case in plan}
    wanted = [pattern.format(language) for pattern in SAMPLE for language in ("python", "cpp")]
    found = [by_id[name] for name in wanted if name in by_id]
    if len(found) < len(wanted):
        print(
            f"{len(wanted) - len(found)} of the sample are not in the suite: "
            + ", ".join(name for name in wanted if name not in by_id),
            file=sys.stderr,
        )
    return found[:count]


def run_tally(tally, cases, cache, extra):
    with tempfile.NamedTemporaryFile(suffix=".json") as record:
        filters = [item for case in cases for item in ("--filter", case["id"])]
        start = time.monotonic()
        run(
            [tally, "run", SUITE, "--quiet", "--json", record.name, *filters, *extra],
            env={**os.environ, "XDG_CACHE_HOME": cache},
        )
        seconds = time.monotonic() - start
        return seconds, {case["id"]: case for case in json.load(open(record.name))["cases"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", default=os.path.join(ROOT, "build", "release", "tally"))
    parser.add_argument("--cases", type=int, default=len(SAMPLE) * 2)
    parser.add_argument("--min-run-time", type=float, default=5.0)
    parser.add_argument("--equal-time", action="store_true")
    args = parser.parse_args()
    python = torch_python()
    cases = choose(args.tally, args.cases)
    work = tempfile.mkdtemp(prefix="versus_")

    cache = os.path.join(work, "cache")
    cold, _ = run_tally(args.tally, cases, cache, [])
    warm, ours = run_tally(args.tally, cases, cache, [])
    equal = None
    if args.equal_time:
        equal, _ = run_tally(
            args.tally,
            cases,
            cache,
            ["--min-run-time", str(args.min_run_time), "--max-run-time", str(args.min_run_time)],
        )

    # The Timer loads the same models, from its working folder.
    for case in cases:
        if case["artifact"]:
            script = os.path.join(work, case["artifact"]["name"] + ".py")
            with open(script, "w") as file:
                file.write(case["artifact"]["script"])
            run([python, script], cwd=work)
    # Timer cannot read the profile of an empty C++ statement.
    empty = [
        {
            "id": f"empty {language}",
            "language": language,
            "stmt": stmt,
            "setup": "",
            "global_setup": "",
        }
        for language, stmt in (("python", "pass"), ("cpp", 'asm volatile("");'))
    ]
    peer = subprocess.Popen(
        [python, os.path.join(HERE, "peer.py"), str(args.min_run_time)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=work,
        env={**os.environ, "CXX": "clang++-19"},
    )
    peer.stdin.write(json.dumps(empty + cases))
    peer.stdin.close()
    theirs = {}
    for line in peer.stdout:
        answer = json.loads(line)
        if "error" in answer:
            print(f"{answer['id']}: the Timer failed: {answer['error']}", file=sys.stderr)
            continue
        theirs[answer["id"]] = answer
        print(f"{answer['id']}: {answer['seconds']:.0f} s", file=sys.stderr)
    shutil.rmtree(work)
    cases = [
        case for case in cases if case["id"] in theirs and f"empty {case['language']}" in theirs
    ]
    if not cases:
        sys.exit("the Timer measured nothing: run peer.py by hand to see why")

    print(
        "| case | Timer s | Tallymark s | Timer spread | Tallymark spread | Timer count | Tallymark count | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for case in cases:
        peer_case, own = theirs[case["id"]], ours[case["id"]]
        base = min(theirs[f"empty {case['language']}"]["counts"])
        counts = peer_case["counts"]
        count = min(counts) - base
        per = own["counts"]["per_iteration"] * 100
        own_seconds = sum(attempt["seconds"] for attempt in own["attempts"])
        print(
            f"| {case['id']} | {peer_case['seconds']:.1f} | {own_seconds:.1f} "
            f"| {(max(counts) - min(counts)) / min(counts):.2%} | "
            f"{own['counts']['spread']:.2%} | {count:,} | {per:,.0f} | {per / count:.4f} |"
        )
    total = sum(theirs[case["id"]]["seconds"] for case in cases)
    plan = json.loads(run([args.tally, "plan", SUITE, "--json"]))["cases"]
    projected = sum(
        sum(theirs[c["id"]]["seconds"] for c in cases if c["language"] == language)
        / sum(c["language"] == language for c in cases)
        * sum(c["language"] == language for c in plan)
        for language in sorted({c["language"] for c in cases})
    )
    print(
        f"\nAll {len(cases)} cases: Timer {total:.0f} s; Tallymark {cold:.1f} s with an empty cache "
        f"({total / cold:.0f}x), {warm:.1f} s warm ({total / warm:.0f}x). "
        f"The Timer would take {projected:,.0f} s for the suite's {len(plan)} cases."
    )
    if equal:
        print(
            f"With {args.min_run_time:g} s of timing for each case on both sides: "
            f"Tallymark {equal:.1f} s ({total / equal:.1f}x)."
        )


if __name__ == "__main__":
    main()
