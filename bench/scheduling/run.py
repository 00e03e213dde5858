#!/usr/bin/env python3
"""What a case costs beyond measuring: milliseconds a case and peak memory of tally, for many empty cases on one core.

  bench/scheduling/run.py [--tally build/release/tally] [--cases 5000] [--core 0] [--json FILE]

Cases are empty statements, timed natively with the shortest run time and two children each at the least, so nearly all
of the time is forks, messages, the journal and the engine. Each language runs alone; a run of a tenth as many cases
before it shows what does not grow (start, compiling), and whether memory and the cost of a case stay flat.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def suite(language, count):
    empty = {"cpp": "cpp = ';'", "python": "py = 'pass'"}[language]
    cases = "".join(f'[[benchmark]]\nlabel = ["case {i}"]\n{empty}\n' for i in range(count))
    return f'schema = 1\ntoolchain = "{language}"\n{cases}'


def run(tally, core, language, count, folder):
    (folder / "suite.toml").write_text(suite(language, count))
    record = folder / "record.json"
    record.unlink(missing_ok=True)
    command = [tally, "run", "suite.toml", "--wall-only", "--cores", str(core), "--json", "record.json", "--quiet",
               "--min-run-time", "0.001", "--max-run-time", "0.001", "--precision", "100"]
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    # Of tally itself, not of what it waited for, as getrusage would have it.
    peak_kib = ticks = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak_kib = max(peak_kib, int(re.search(r"VmHWM:\s+(\d+)", status).group(1)))
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks = int(fields[11]) + int(fields[12])
        except (AttributeError, OSError):
            pass  # it has just ended
        time.sleep(0.05)
    seconds = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(f"tally failed: {command}")
    cases = json.loads(record.read_text())["cases"]
    assert len(cases) == count and all(case["status"] == "ok" for case in cases)
    return {"cases": count, "seconds": seconds, "peak_rss_mib": peak_kib / 1024,
            "tally_cpu_s": ticks / os.sysconf("SC_CLK_TCK")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tally", default="build/release/tally")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--core", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--json", help="write the figures here")
    arguments = parser.parse_args()
    tally = str(pathlib.Path(arguments.tally).resolve())
    figures = {}
    for language in ("cpp", "python"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run(tally, arguments.core, language, 2, folder)  # compiles
            few = run(tally, arguments.core, language, max(arguments.cases // 10, 10), folder)
            many = run(tally, arguments.core, language, arguments.cases, folder)
        more = many["cases"] - few["cases"]
        figures[language] = {
            "few": few, "many": many,
            "ms_per_case": 1000 * (many["seconds"] - few["seconds"]) / more,
            "tally_cpu_ms_per_case": 1000 * (many["tally_cpu_s"] - few["tally_cpu_s"]) / more,
            "kib_per_case": 1024 * (many["peak_rss_mib"] - few["peak_rss_mib"]) / more}
        f = figures[language]
        print(f"{language}: {f['ms_per_case']:.2f} ms a case ({f['tally_cpu_ms_per_case']:.2f} ms of it tally's own CPU), "
              f"{many['cases']} cases in {many['seconds']:.1f} s; peak memory {few['peak_rss_mib']:.1f} MiB for "
              f"{few['cases']} cases, {many['peak_rss_mib']:.1f} MiB for {many['cases']}", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
