#!/usr/bin/env python3
"""Measures every text of texts.py, as users would: what timeit takes is counted, or refused for a stated reason.

    battery.py [--doors count,dropin] [--toolchains python,torch] [--every N] [--twice] [--timeit]

Doors: `count` makes each definition as tallymark.count does, `dropin` as Timer.collect_callgrind does; the cases of a
door and a toolchain are one request. Prints how many were counted, and each that was not, with its reason; --twice
measures on a second server, too, and prints what differs. Needs the package on PYTHONPATH, and TALLY. Exit 1: something
failed without a stated reason, or differs.
"""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import timeit
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import texts

SETTINGS = {"counts": True, "wall": False, "iterations": 20}
FOLDER = ""  # of this run
PORTABLE = (str, int)  # what CopyIfCallgrind takes, of the values here
# What timeit refuses because of names and habits of its own.
TIMEITS_OWN = ("_it", "_timer", "gc", "_i", "inner")


def definitions_of(door, toolchain, chosen):
    """[(title, words that a refusal must have or None, Definition or the error in the way)]"""
    import tallymark
    from tallymark._statement import define

    made = []
    for stmt, setup, values, words in chosen:
        if door == "dropin" and not all(
            isinstance(one, PORTABLE) for one in (values or {}).values()
        ):
            continue
        title = f"{stmt[:60]!r} | {setup[:60]!r}"
        try:
            if door == "count":
                one = define(stmt, setup=setup, globals=values, toolchain=toolchain)
            else:
                one = through_dropin(stmt, setup, values, toolchain)
        except (tallymark.Error, OSError, TypeError) as error:
            one = error
        made.append((title, words, one))
    return made


def through_dropin(stmt, setup, values, toolchain):
    import dataclasses

    from tallymark.benchmark.utils._engine import python_definition
    from tallymark.benchmark.utils.common import TaskSpec
    from tallymark.benchmark.utils.valgrind_wrapper._globals import CopyIfCallgrind, GlobalsBridge

    wrapped = {name: CopyIfCallgrind(value) for name, value in (values or {}).items()}
    bridge = GlobalsBridge(wrapped, tempfile.mkdtemp(dir=FOLDER))
    one = python_definition(TaskSpec(stmt, setup), bridge)
    return dataclasses.replace(one, toolchain=toolchain)


class Server:
    """One of its own, so that two agree for no other reason than that they count alike."""

    def __init__(self):
        from tallymark._client.engine import Engine

        self.path = f"{tempfile.mkdtemp(dir=FOLDER)}/s"
        self.process = subprocess.Popen([os.environ["TALLY"], "serve", "--socket", self.path])
        for _ in range(600):
            if os.path.exists(self.path):
                break
            time.sleep(0.05)
        self.engine = Engine(socket=self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """In any case: it has our output, and whoever reads that waits for its end."""
        self.engine.close()
        self.process.terminate()
        self.process.wait()


def measure(engine, made):
    """[(title, words, instructions or None, reason)]"""
    can = [one for _, _, one in made if not isinstance(one, Exception)]
    with engine.exclusive():
        run = engine.measure(can, settings=SETTINGS, profiles=False)
    cases = iter(run.cases)
    found = []
    for title, words, one in made:
        if isinstance(one, Exception):
            found.append((title, words, None, f"{type(one).__name__}: {one}"))
            continue
        case = next(cases)
        counts = case.get("counts")
        reason = (case.get("failure") or {}).get("message", case["status"])
        ok = case["status"] == "ok" and counts
        found.append((title, words, counts["per_iteration"] if ok else None, "" if ok else reason))
    return found


def judge(door, toolchain, found):
    """How many failed without a stated reason."""
    counted = refused = failed = 0
    for title, words, instructions, reason in found:
        if words is None and instructions is not None:
            counted += 1
        elif words is not None and instructions is None and words in reason:
            refused += 1
        else:
            failed += 1
            print(f"  FAILED {title}: {reason or f'counted {instructions}, and was to be refused'}")
    print(
        f"{door} {toolchain}: {counted} counted, {refused} refused as they should be, {failed} failed"
    )
    return failed


def differing(first, second):
    count = 0
    for (title, _, one, _), (_, _, other, _) in zip(first, second):
        if one != other:
            count += 1
            print(f"  DIFFERS {title}: {one} and {other}")
    return count


def check_timeit(chosen):
    """Each in a process of its own: what timeit does not take is no part of the battery."""
    missing = 0
    if any("torch" in stmt + setup for stmt, setup, _, _ in chosen):
        import torch  # noqa: F401, once for all children
    for stmt, setup, values, words in chosen:
        child = os.fork()
        if child == 0:
            warnings.simplefilter("ignore")
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            vars(sys.modules["__main__"]).update(values or {})
            try:
                timeit.timeit(stmt, setup, number=2, globals=dict(values or {}))
            except BaseException:
                os._exit(1)
            os._exit(0)
        taken = os.waitpid(child, 0)[1] == 0
        if taken != (words is None) and not any(name in stmt + setup for name in TIMEITS_OWN):
            missing += 1
            print(
                f"  timeit {'takes' if taken else 'does not take'} {stmt[:60]!r} | {setup[:60]!r}"
            )
    print(f"timeit: {len(chosen) - missing} of {len(chosen)} as expected")


def chosen_texts(toolchain, every):
    given = [(stmt, setup, None, None) for stmt, setup in texts.PLAIN]
    if toolchain == "torch":
        given += [(stmt, setup, None, None) for stmt, setup in texts.TORCH]
    given += [(*one, None) for one in texts.GIVEN]
    given += [(stmt, setup, None, words) for stmt, setup, words in texts.REFUSED]
    return given[::every]


def main():
    global FOLDER
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--doors", default="count,dropin")
    parser.add_argument("--toolchains", default="python,torch")
    parser.add_argument("--every", type=int, default=1, help="only each N-th text")
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--timeit", action="store_true", help="only hold the texts against timeit")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as FOLDER, contextlib.ExitStack() as ended:
        os.environ["XDG_CACHE_HOME"] = f"{FOLDER}/cache"
        if options.timeit:
            check_timeit(chosen_texts("torch", options.every))
            return 0
        servers = [ended.enter_context(Server()) for _ in range(2 if options.twice else 1)]
        for toolchain in options.toolchains.split(","):
            chosen = chosen_texts(toolchain, options.every)
            for values in (one[2] for one in chosen if "__main__" in one[1] and one[2]):
                vars(sys.modules["__main__"]).update(values)
            for door in options.doors.split(","):
                made = definitions_of(door, toolchain, chosen)
                found = measure(servers[0].engine, made)
                failed += judge(door, toolchain, found)
                for server in servers[1:]:
                    failed += differing(found, measure(server.engine, made))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
