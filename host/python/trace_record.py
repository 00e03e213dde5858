"""Records one statement with torch.profiler: run by a plain interpreter, with its instructions in a JSON
job on stdin.

Job:    {"requires": [module], "prepare": [text] (the toolchain's, before all else), "load" (brings
        values, may be empty), "setup", "stmt",
        "seed", "before_region", "sync" (the toolchain's texts, may be empty), "context" (an
        expression, may be empty), "runs", "activities": ["cpu", "cuda"], "devices": ["cuda"],
        "profiler": {keyword: expression}, "steps": bool, "trace", "result"}
Result: written to the file "result": {"ok": true, "torch", "gpu", "activities", "synchronised",
        "threads", "notes", "runs", "steps", "unprofiled_ns", "profiled_ns", and both in "_s"}
        or {"ok": false, "stage", "message", "traceback" (of the user's lines, may be empty)}.

Order, that of functorch's benchmark_utilization: seed, setup; then in the context: five warm-up
runs, `runs` runs for the length, `runs` profiled ones. Each group is seeded again, and each run
ends with a wait for the device. The context is entered once for all three: a context that undoes
something when it is left (autocast forgets its casts) would make the profiled runs do other work
than those that gave the length. The statement's own output goes where it goes: the result never
mixes with it.
"""

import ast
import contextlib
import importlib
import json
import os
import random
import sys
import time
import traceback
import types

WARM_UP_RUNS = 5
SEED = 0
FILE_NAME = "<tally>"
# A traceback's line is part * PART_STRIDE + line, because a function has one file for all its parts.
PART_STRIDE = 1 << 20
PARTS = ("setup", "stmt", "--profiler", "--context")  # by their number in a line of FILE_NAME
# Names of ours beside those of the user: no source can say one, for a blank is in it.
CASE, RUNS, ROUND = "<case>", "tally runs", "tally round"
WORDS_OF_JSON = {"true": "True", "false": "False", "null": "None"}


class Refused(Exception):
    """What cannot be recorded, in words for the user: no traceback adds anything."""


def generators_seeded(torch, own_seed):
    """A function that starts all generators from the same state; what the toolchain seeds, by its own text."""

    def seed():
        random.seed(SEED)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(SEED)
        torch.manual_seed(SEED)
        own_seed()

    return seed


def hook(name, text, names):
    if not text:
        return lambda: None
    code = compile(text, f"<{name}>", "exec", dont_inherit=True)
    return lambda: exec(code, names)


def accelerator_of(torch):
    """(type, synchronise) of the accelerator that works here, or (None, a function that does nothing)."""
    newer = getattr(torch, "accelerator", None)  # from 2.6 on
    if newer is not None:
        if newer.is_available():
            return newer.current_accelerator().type, newer.synchronize
    elif torch.cuda.is_available():
        return "cuda", torch.cuda.synchronize
    return None, lambda: None


def device_name(torch, kind):
    if kind is None:
        return None
    name = getattr(getattr(torch, kind, None), "get_device_name", None)
    return name() if name else kind


def known_activities(torch, wanted, notes):
    activities = torch.profiler.ProfilerActivity
    out, absent = [], []
    for name in wanted:
        activity = getattr(activities, name.upper(), None)
        if activity is None:
            known = ", ".join(a.lower() for a in dir(activities) if a.isupper())
            raise Refused(f"this torch knows no activity '{name}'; it knows {known}")
        device = getattr(torch, name, None)
        if name != "cpu" and hasattr(device, "is_available") and not device.is_available():
            absent.append(name)
        else:
            out.append(activity)
    out = out or [activities.CPU]
    if absent:
        cpu_only = out == [activities.CPU]
        notes.append(
            "no GPU: recorded the CPU only" if cpu_only else f"not recorded: no {absent[0]} device"
        )
    return out


def parse(name, number, text, mode="exec"):
    tree = ast.parse(text, f"<{name}>", mode)
    return ast.increment_lineno(tree, number * PART_STRIDE)


def without_stars(setup, stmt, names):
    """The setup less each `import *` among the imports that it begins with: a function can have none, so what it brings
    becomes the case's globals."""
    rest = []
    for node in setup:
        is_star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        leads = all(isinstance(one, (ast.Import, ast.ImportFrom)) for one in rest)
        if is_star and leads:
            exec(compile(ast.Module([node], []), FILE_NAME, "exec", dont_inherit=True), names)
        else:
            rest.append(node)
    for node in ast.walk(ast.Module(rest + stmt, [])):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            raise Refused(
                f"'from {node.module} import *' can only begin the setup: move it there, or name what is used of it"
            )
    return rest


def case_of(job, names):
    """A function of `profiled_runs`, which gives the iterator that paces the statement. Like in `tally run`, the
    setup's variables are its locals: globals would make the host slower."""
    body = parse("setup", 0, job["setup"]).body
    number = 1
    stmt = parse("stmt", number, job["stmt"]).body or [ast.Pass()]
    # Each must be a program by itself: within a function and a loop, a return or continue would be legal.
    for part in (body, stmt):
        compile(ast.Module(part, []), FILE_NAME, "exec", dont_inherit=True)
    body = without_stars(body, stmt, names)
    keywords = [
        ast.keyword(
            key, parse(f"--profiler {key}", number + 1, WORDS_OF_JSON.get(text, text), "eval").body
        )
        for key, text in job["profiler"].items()
    ]
    runs = ast.Call(ast.Name(RUNS, ast.Load()), [], keywords)
    loop = ast.For(ast.Name(ROUND, ast.Store()), runs, stmt, [])
    if job["context"]:
        context = parse("context", number + 2, job["context"].strip(), "eval").body
        loop = ast.With([ast.withitem(context)], [loop])
    function = ast.parse("def case(runs): pass").body[0]
    function.name, function.args.args[0].arg = CASE, RUNS
    function.body = [*body, loop]
    module = ast.fix_missing_locations(ast.Module([function], []))
    constants = compile(module, FILE_NAME, "exec", dont_inherit=True).co_consts
    return types.FunctionType(
        next(one for one in constants if isinstance(one, types.CodeType)), names
    )


class Session:
    """The groups of runs, in the order of the module's comment."""

    def __init__(self, torch, job, result, names):
        self.torch, self.job, self.result = torch, job, result
        self.activities = known_activities(torch, job["activities"], result["notes"])
        kind, self.synchronise = accelerator_of(torch)
        result.update(
            torch=torch.__version__,
            gpu=device_name(torch, kind),
            activities=[str(a).rsplit(".", 1)[-1].lower() for a in self.activities],
        )
        if job["devices"] == ["cpu"]:
            kind, self.synchronise = None, lambda: None
        elif job["sync"]:
            self.synchronise = hook("sync", job["sync"], names)
        result["synchronised"] = kind
        self.seed = generators_seeded(torch, hook("seed", job["seed"], names))
        self.before_region = hook("before_region", job["before_region"], names)
        self.finished = False

    def group(self, runs, mark=None):
        """Gives control to the statement once for each run; returns their time, to the end of the device's
        work: in whole nanoseconds, because seconds since boot are in steps of 15 ps after a day, which is more than
        a millionth of a short run."""
        self.seed()
        self.before_region()
        unmarked = contextlib.nullcontext()
        begin = time.perf_counter_ns()
        for i in range(runs):
            with mark(i) if mark else unmarked:
                yield
                self.synchronise()
        return time.perf_counter_ns() - begin

    def runs(self, **profiler_arguments):
        result, runs = self.result, self.job["runs"]
        result["stage"] = "warm-up"
        result["threads"] = self.torch.get_num_threads()
        yield from self.group(WARM_UP_RUNS)
        result["stage"] = "unprofiled runs"
        result["unprofiled_ns"] = yield from self.group(runs)
        result["stage"] = "start of the profiler"
        mark = None
        if self.job["steps"]:
            mark = lambda i: self.torch.profiler.record_function(f"ProfilerStep#{i}")  # noqa: E731
        with self.torch.profiler.profile(
            activities=self.activities, **profiler_arguments
        ) as profiler:
            result["stage"] = "profiled runs"
            self.synchronise()
            result["profiled_ns"] = yield from self.group(runs, mark)
            result["stage"] = "end of the profiler"
        result["stage"] = "export"
        profiler.export_chrome_trace(self.job["trace"])
        self.finished = True


def record(job, result):
    result["stage"] = "import"
    for module in [*job["requires"], "torch"]:
        importlib.import_module(module)
    torch = sys.modules["torch"]
    try:
        importlib.import_module("torch.profiler")
    except ModuleNotFoundError:
        raise Refused(
            f"torch {torch.__version__} has no torch.profiler; 1.8.1 is the first that has"
        ) from None
    roots = [module.partition(".")[0] for module in [*job["requires"], "torch"]]
    modules = {"__builtins__": __builtins__, **{root: sys.modules[root] for root in roots}}
    # As in `tally run`: the case has a __main__ of its own, and the toolchain's texts see the modules alone.
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    names = vars(main)
    names.update(modules)
    result["stage"] = "preparation"
    session = Session(torch, job, result, modules)
    case = case_of(job, names)
    result["stage"] = "setup"
    session.seed()
    for text in job["prepare"]:
        hook("toolchain", text, modules)()
    hook("load", job["load"], {"case_globals": names, "case_locals": names})()
    schedule = None

    def started(**profiler_arguments):
        nonlocal schedule
        schedule = session.runs(**profiler_arguments)
        return schedule

    try:
        case(started)
    finally:
        if schedule is not None:
            schedule.close()
    if not session.finished:
        raise Refused("the statement left the loop that runs it, with a return or a break")
    for name in ("unprofiled", "profiled"):
        result[f"{name}_s"] = result[f"{name}_ns"] / 1e9
    result.update(ok=True, runs=job["runs"], steps=job["steps"])
    del result["stage"]


def place_of(error):
    """ " (setup, line 2)": the deepest line of the user's that an error went through. "" where it came of a call of
    our own that lies deeper, such as the profiler's start."""
    if isinstance(error, SyntaxError) and error.filename == FILE_NAME and error.lineno:
        return f" ({PARTS[error.lineno // PART_STRIDE]}, line {error.lineno % PART_STRIDE})"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_code.co_filename == __file__:
            break
        if frame.f_code.co_filename == FILE_NAME:
            return f" ({PARTS[line // PART_STRIDE]}, line {line % PART_STRIDE})"
    return ""


def user_traceback(job, error):
    """From the first of the user's lines on, each with its text; "" where the error came of none of them."""
    texts = [job["setup"], job["stmt"], "", ""]
    frames = traceback.extract_tb(error.__traceback__)
    first = next((at for at, one in enumerate(frames) if one.filename == FILE_NAME), None)
    if first is None:
        return ""
    lines = ["Traceback (most recent call last):\n"]
    for one in frames[first:]:
        if one.filename == FILE_NAME:
            part, line = divmod(one.lineno, PART_STRIDE)
            lines.append(f"  {PARTS[part]}, line {line}\n")
            written = texts[part].splitlines()
            if 0 < line <= len(written):
                lines.append(f"    {written[line - 1].strip()}\n")
        elif one.filename != __file__:
            lines += traceback.format_list([one])
    return "".join([*lines, *traceback.format_exception_only(type(error), error)])


def main():
    job = json.load(sys.stdin)
    # As with `python -c`: modules of the user's folder are found, our own folder's are not.
    if not os.environ.get("PYTHONSAFEPATH"):
        sys.path[0] = ""
    elif sys.version_info < (3, 11):  # newer ones do so themselves
        del sys.path[0]
    result = {"ok": False, "notes": []}
    try:
        record(job, result)
    except BaseException as error:  # The user's code may raise anything, SystemExit among it.
        message = "".join(traceback.format_exception_only(type(error), error)).strip()
        if isinstance(error, SyntaxError) and error.filename == FILE_NAME:
            message = f"{type(error).__name__}: {error.msg}"
        result["message"] = str(error) if isinstance(error, Refused) else message + place_of(error)
        result["traceback"] = "" if isinstance(error, Refused) else user_traceback(job, error)
    with open(job["result"], "w", encoding="utf-8") as file:
        json.dump(result, file)
    sys.stdout.flush()
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
