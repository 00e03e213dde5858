"""Programs in Python that ask for measurements of themselves, under `tally exec`.

Run as: TALLY=…/tally python exec_test.py, with an interpreter that has PyTorch and finds the package tallymark.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runs import run_to_end

TALLY = os.environ["TALLY"]
PACKAGE = Path(__file__).resolve().parents[2] / "python"

COMMON = """
import json, os, sys, threading, time
import tallymark
assert tallymark.here()
count = lambda *a, **k: tallymark.count(*a, profile=False, **k).instructions
"""
# What no pickle takes along: a lambda in an object, an open file, a replaced method, a running generator.
COUNTS = """
class Odd:
    def __init__(self):
        self.sort = lambda values: sorted(values)
        self.file = open(__file__)
        self.items = iter(range(10))
odd, x = Odd(), list(range(100, 0, -1))
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
found = {
    "function": count(odd.sort, x),
    "text": count("odd.sort(x)", globals=globals()),
    "main": count("odd.sort(x)", setup="from __main__ import odd, x"),
    "fib": count(fib, 12),
    "file": count("odd.file.seek(0); odd.file.read(5)", globals=globals()),
    "nothing": count("pass"),
}
assert next(odd.items) == 0, "a fork has been measured"
print(json.dumps(found))
"""
SUITE = """
suite = tallymark.Suite()
suite.add(lambda values: sorted(values), [3, 1, 2], label="kept")
suite.add(lambda: 1, label="other")
suite.add("int y = 0; volatile int z = y;", language="cpp", label="cpp")
found = suite.run(filter=["kept", "cpp"], profile=True)
print(json.dumps([[one.label, one.status, one.instructions, len(one.functions or ())] for one in found]))
suite.timer("text", "1 + 1")
try:
    suite.run()
except tallymark.Error as error:
    print(error)
"""
FAILURES = """
def why(*a, **k):
    try:
        return count(*a, **k)
    except tallymark.Error as error:
        return str(error)
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print(json.dumps({
    "raises": why("1 / 0"),
    "exits": why("__import__('os')._exit(3)"),
    "hangs": why("__import__('time').sleep(100)", timeout=2),
    "continues": why("sorted([3, 1, 2])"),
    "cpp": why("int y = 0; for (int i = 0; i < 10; i++) y += i; volatile int z = y;", language="cpp"),
}))
try:
    tallymark.time("pass")
except tallymark.Error as error:
    print(error)
print(tallymark.measure("sorted([3, 1, 2])").instructions)
sys.exit(7)
"""
TORCH = """
import torch
from tallymark.benchmark import Timer
timer = Timer("x + 1", setup="x = torch.ones((4, 4))")
stats = timer.collect_callgrind(number=100)
print(json.dumps([stats.counts() / 100, len(stats.stats())]))
try:
    stats.stats(inclusive=True)
except tallymark.Error as error:
    print(error)
"""


def expect(good, what):
    if not good:
        sys.exit(f"exec_test: {what}")


def run(text, *, code=0):
    # Two runs are of one path, and in one folder.
    (PLACE / "script.py").write_text(COMMON + text)
    outside = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    done = run_to_end(
        [TALLY, "exec", "--", sys.executable, PLACE / "script.py"], PLACE, outside, seconds=600
    )
    expect(done.returncode == code, f"code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def family_of(process):
    """Process numbers: its own, and those of its children and theirs."""
    command = ["pgrep", "-P", str(process)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [process, *(one for child in done.stdout.split() for one in family_of(int(child)))]


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def check_counts():
    one = json.loads(run(COUNTS)[0])
    expect(
        0 == one["nothing"] < one["function"] < one["file"] < one["fib"], f"all are counted: {one}"
    )
    expect(abs(one["text"] - one["main"]) < 0.05 * one["text"], one)
    again = json.loads(run(COUNTS)[0])
    expect(one == again, f"two runs agree: {one}, {again}")


def check_suite():
    lines = run(SUITE)
    found = {label: rest for label, *rest in json.loads(lines[0])}
    expect(found.keys() == {"kept", "cpp"}, found)
    for status, instructions, functions in found.values():
        expect(status == "ok" and instructions > 0 and functions > 0, found)
    expect("other cases are not; run the others as a suite of their own" in lines[1], lines)


def check_failures():
    lines = run(FAILURES, code=7)
    found = json.loads(lines[0])
    expect("ZeroDivisionError" in found["raises"], found)
    expect("exited with code 3" in found["exits"], found)
    expect("timed out after 2 s" in found["hangs"], found)
    expect("a thread of the program (Thread-" in found["hangs"], found)
    expect(found["continues"] > 0 and found["cpp"] > 0, found)
    expect("times are not taken" in lines[1], lines)
    expect(float(lines[2]) > 0, lines)


def check_torch():
    lines = run(TORCH)
    count, functions = json.loads(lines[0])
    expect(1000 < count < 100_000 and functions > 20, lines)
    expect("who calls whom is not known" in lines[1], lines)


def check_words():
    def refused(*arguments, code):
        done = subprocess.run([TALLY, "exec", *arguments], capture_output=True, text=True)
        expect(done.returncode == code, f"{arguments}: {done.returncode} {done.stderr}")
        return done.stderr

    expect("write tally exec --" in refused(code=2), "what to write")
    expect("no such program" in refused("--", "no-such-program", code=127), "which one")
    # Any program runs, and nothing is counted.
    done = subprocess.run([TALLY, "exec", "--", "echo", "a"], capture_output=True, text=True)
    expect((done.returncode, done.stdout) == (0, "a\n"), done)
    outside = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    text = "import tallymark; print(tallymark.here())"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=outside)
    expect(done.stdout == "False\n", done)


HANGS = """
THREAD
count(f"open({sys.argv[1]!r}, 'w'); __import__('time').sleep(300)")
"""


def check_nothing_is_left(end, *, thread=False):
    """`end` ends the program while it measures: its forks, its server and what that has started end, too."""
    with tempfile.TemporaryDirectory() as folder:
        script, begun = Path(folder) / "script.py", Path(folder) / "begun"
        sleeper = "threading.Thread(target=time.sleep, args=(300,), daemon=True).start()"
        script.write_text(COMMON + HANGS.replace("THREAD", sleeper if thread else ""))
        process = subprocess.Popen(
            [TALLY, "exec", "--", sys.executable, script, begun],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(PACKAGE)},
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        patience = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < patience:
            time.sleep(0.1)
        expect(begun.exists(), "it begins")
        family = family_of(process.pid)
        # The program, its server, the fork that hosts are forked from, the one that asks, and a host.
        expect(len(family) >= 5, f"its processes: {family}")
        end(process)
        expect(process.wait(60) != 0, "it ends")
        patience = time.monotonic() + 30
        while any(map(is_alive, family)) and time.monotonic() < patience:
            time.sleep(0.1)
    left = [Path(f"/proc/{one}/cmdline").read_text() for one in family if is_alive(one)]
    expect(not left, f"what is left: {left}")


def press_ctrl_c(process):
    os.killpg(process.pid, signal.SIGINT)


with tempfile.TemporaryDirectory() as place:
    PLACE = Path(place)
    check_words()
    check_counts()
    check_suite()
    check_failures()
    check_nothing_is_left(press_ctrl_c)
    check_nothing_is_left(subprocess.Popen.terminate)
    check_nothing_is_left(subprocess.Popen.kill)
    check_nothing_is_left(subprocess.Popen.kill, thread=True)
    check_torch()
print("exec: passed")
