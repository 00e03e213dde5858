"""The host of a program in Python: a framework's script collects the program, and each of its benchmarks is reached
and measured in a forked child.

Started as tally_host.py is, in whose place it stands, with more descriptors: that script, of which it takes what all
Python hosts do; the framework's, tally_pytest.py or its like; and a text that says what to collect, in fields that each
end with a null: how many paths, the folder to be in, the paths, the framework's arguments.

A framework's script defines `collect(paths, arguments, ready)`. When it has collected, it calls
ready(benchmarks, run), which comes back where they were only to be listed: `benchmarks` are pairs (name, parts of the
label), or what else listed() takes, and `run(case)` reaches in a child the benchmark `case.name`, calls
`case.measure(…)` there (of one that is listed so, `case.report(…)`), and returns None, or (message, detail) where that
went wrong.

With the variable TALLY_ASKS_PROGRAM=list it writes a list to a descriptor and ends: protocol/descriptors.h has its
first line; then a line of JSON for each benchmark, which listed() makes; and one of the files, {"loaded", "own",
"packages", "none"}.
"""

import ast
import contextlib
import gc
import os
import sys
import time

import _tally_host
import tally_start

LIST_START = "tallymark benchmarks 1"
ASK = "TALLY_ASKS_PROGRAM"
AXES = ("label", "language", "runtime", "autograd", "device", "threads")  # every case has them
# Stages of a program, after a host's own: what was requested of it, in which words, and what lies beside it, moves
# nothing of what it imports.
OPTIONS_READ, PLUGINS_LOADED, CONFIGURED, *FOLDER_LISTED, COLLECTED = range(5, 12)
BUDGET = _tally_host.BUDGET  # of a warm-up and of a region: instructions, or nanoseconds
WARM_UPS = (40, 20, 10, 5, 2, 1)
EXECUTIONS = (100, 50, 20, 10, 5, 2, 1)
FIRST = "the first execution in a process"


def listed(name, label, params=(), parts=(), reports=False, command=None):
    """A benchmark's line in the list. `params` are pairs (name, value) of what its label leaves out, and `parts` what
    it is called all the same; `reports`: a figure, and is neither counted nor timed; `command`: it is a whole command,
    {"command": texts, "folder": where it runs, "environment": variables that others do not get}."""
    line = {"name": name, "label": list(label)}
    if params:
        axes = [[axis + "_" * (axis in AXES), value] for axis, value in params]
        line.update(params=axes, id=list(parts))
    if reports:
        line["reports"] = True
    return {**line, **(command or {})}


def part(descriptor, name, statements_left_out=0):
    """A script of ours, as a module."""
    with open(descriptor) as file:
        tree = ast.parse(file.read())
    if statements_left_out:
        del tree.body[-statements_left_out:]
    module = type(sys)(name.replace(" ", "_"))
    module.__builtins__ = __builtins__
    exec(compile(tree, f"<{name}>", "exec"), module.__dict__)
    return module


def first_that_fits(choices, each):
    return next((one for one in choices if one * each <= BUDGET), choices[-1])


def how_often(size):
    """(warm-up, executions in a region) of a benchmark by the size of a call of it: as often as a suite's statement
    where that is not too heavy. In steps, so that a little more work changes no number. 0 executions: as requested."""
    if size is None:
        return WARM_UPS[0], 0
    is_chosen = tally_start.UNDER_VALGRIND and not _tally_host.asked_iterations()
    return first_that_fits(WARM_UPS, size), first_that_fits(EXECUTIONS, size) if is_chosen else 0


def running_loop():
    """(asyncio, its loop that runs); (None, None) where none does."""
    asyncio = sys.modules.get("asyncio")
    loop = asyncio._get_running_loop() if asyncio is not None else None
    return (None, None) if loop is None else (asyncio, loop)


def keep_loop_running():
    """A function to call in each process that is forked from here: asyncio takes no loop for running whose process has
    another number. None where no loop runs."""
    asyncio, loop = running_loop()
    return None if loop is None else lambda: asyncio._set_running_loop(loop)


def is_coroutine_function(function):
    """Also of an object that is called as one."""
    import inspect

    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        type(function).__call__
    )


@contextlib.contextmanager
def run_to_its_end(function):
    """A coroutine function as one that an event loop runs, as long as the context lasts; the loop's own work is counted
    with it."""
    import asyncio

    loop = asyncio.new_event_loop()
    run = loop.run_until_complete
    try:
        yield lambda *args, **kwargs: run(function(*args, **kwargs))
    finally:
        loop.close()


def can_be_called(function, *args, **kwargs):
    """With these arguments, as far as is known: some functions of C do not say what they take."""
    import inspect

    try:
        inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return False
    return True


def arguments_of(setup, args, kwargs):
    """(args, kwargs) of one execution: what `setup` gives now, where it is not None and gives any; else these."""
    given = setup() if setup is not None else None
    if not given:
        return tuple(args), kwargs
    if args or kwargs:
        raise TypeError("the arguments come from args and kwargs, or from setup; not from both")
    its_args, its_kwargs = given
    return tuple(its_args), dict(its_kwargs)


def items_of(make, in_loop):
    """A function of a number: as many items for a loop's body, in a process where a running loop of asyncio's may have
    to be kept running (`in_loop`, or None)."""

    def items(number):
        if in_loop is not None:
            in_loop()
        return [make() if make is not None else None for _ in range(number)]

    return items


def name(text):
    return ast.Name(text, ast.Load())


def call_of(item):
    """f(*item[0], **item[1])"""
    args, kwargs = (ast.Subscript(name(item), ast.Constant(at), ast.Load()) for at in (0, 1))
    return ast.Call(name("f"), [ast.Starred(args, ast.Load())], [ast.keyword(None, kwargs)])


def stop_collector():
    """No collection inside a region but those that the program asks for, which find the program's heap as it is: one of
    100,000 lists took 767 instructions where that was frozen. Whether there were collections before."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    return was_enabled


def resume_collector(was_enabled):
    if was_enabled:
        gc.enable()


class First:
    """A function's first execution in a process. Where instructions are counted, each region has a process of its own,
    but for the last one, which may be the case's; a time is of many blocks in one process, and so each is executed in
    a fork of that, which takes the time."""

    def __init__(self, function, args, kwargs, setup, teardown):
        self._function = function
        self._given = setup, args, kwargs
        self._teardown = teardown
        self._in_loop = keep_loop_running()
        self._is_apart = False
        self._round = None  # [args, kwargs, what it returned], of the one in this process
        self._has_ended = False
        self._began = 0.0
        self.took = 0.0  # seconds of that round, by the clock

    def _begin(self):
        if self._in_loop is not None:
            self._in_loop()
        return [*arguments_of(*self._given), None]

    def _end(self, executed):
        if self._teardown is not None:
            self._teardown(*executed[0], **executed[1])
        self._has_ended = True

    def prepare(self, _number):
        self._is_apart = (
            not tally_start.UNDER_VALGRIND
            and _tally_host.is_timed()
            # A fork has no other threads: with those, all but the first block's execution are later ones.
            and len(os.listdir("/proc/self/task")) == 1
        )
        self._round = None
        if self._is_apart:
            return [[(), {}, None]]
        self._has_ended = False
        self._round = self._begin()
        self._began = time.perf_counter()
        return [self._round]

    def clear(self):
        if self._round is not None and not self._has_ended:
            self.took = time.perf_counter() - self._began
            self._end(self._round)

    def call(self, *args, **kwargs):
        if not self._is_apart:
            return self._function(*args, **kwargs)
        return _tally_host.add_time(self._time_apart())

    def _time_apart(self):
        """Seconds of an execution in a fork. Raises what it raises there."""
        import pickle

        ends = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _tally_host.die_with(parent)
            took = self._time_here()
            try:
                pickled = pickle.dumps(took)
            except Exception:
                pickled = pickle.dumps(RuntimeError(describe(took)[0]))
            os.write(ends[1], pickled)
            os._exit(0)
        os.close(ends[1])
        answer = os.read(ends[0], 65536)
        os.close(ends[0])
        with contextlib.suppress(ChildProcessError):  # somebody else has waited for it
            os.waitpid(pid, 0)
        if not answer:
            raise RuntimeError("the process that executes it ended before it")
        took = pickle.loads(answer)
        if isinstance(took, BaseException):
            raise took
        return took * 1e-9

    def _time_here(self):
        """Nanoseconds, or what it raises."""
        try:
            executed = self._begin()
            args, kwargs, _ = executed
            began = time.perf_counter_ns()
            self._function(*args, **kwargs)
            took = time.perf_counter_ns() - began
            self._end(executed)
        except BaseException as error:
            return error
        return took

    def result(self, call):
        """What it returned in this process, where call(function, args, kwargs) may have to execute it."""
        if self._round is None:
            executed = self._begin()
            executed[2] = call(self._function, *executed[:2])
            self._end(executed)
            self._round = executed
        return self._round[2]


class Case:
    """The benchmark that a child of the host is there for."""

    def __init__(self, name, baseline, statement):
        self.name = name
        self.counters = []  # what the framework found besides, as protocol::Field::counter has it
        self.note = ""
        self.took = (
            0.0  # seconds of the last call, which has given what measure() returns; 0: not known
        )
        self._phases = (baseline, statement)
        self._begun = False
        self._skipped = False
        self._sizing = False
        self._figure = ""  # as protocol::Field::value has it
        self._use = None

    @property
    def begun(self):
        """Whether it has been reached."""
        return self._begun

    def skip(self, reason):
        """It does not want to be measured."""
        if self._sizing:
            return
        self._skipped = True
        _tally_host.skip(reason)

    def report(self, value, unit):
        """Instead of being measured: a number that it has computed. What is none raises; what is not finite is a reason
        to skip it."""
        number = float(value)
        if number - number != 0:
            self._begun = True
            self.skip(f"its value is {number}")
            return
        self._figure = f"{number.hex()}\t{unit}"
        self._leave()

    def report_peak(self):
        """Instead of being measured: the most memory that this process has had so far, and its processor time."""
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        self._use = (int(used.ru_utime * 1e9), int(used.ru_stime * 1e9), used.ru_maxrss * 1024)
        self._leave()

    def _leave(self):
        if self._begun:
            raise RuntimeError("one benchmark reports once")
        self._begun = True
        _tally_host.plan(0, 1)
        for _ in self._phases[1]:
            pass

    def finish(self):
        """That it has ended well, and what it has to say."""
        _tally_host.finish(self.note, self.counters, self._figure, self._use)

    def measure(self, function, args=(), kwargs=None, setup=None, teardown=None, executions=None):
        """Executes function(*args, **kwargs) as often as it takes, and once more for what it returns. With `setup`,
        a region is of one execution, and `setup` is called before each, which may give its arguments, (args, kwargs);
        None: those that are given. `teardown` is called with them after it; without a `setup`, after each `executions`
        of them (None: one). Else `executions` is how many are in a region where it matters."""
        if self._begun:
            raise RuntimeError("one benchmark is measured once")
        self._begun = True
        kwargs = kwargs or {}
        if setup is None and teardown is None:
            self._measure_plain(function, args, kwargs, executions)
            return self._last(function, args, kwargs)
        return self._measure_prepared(function, args, kwargs, (setup, teardown), executions)

    def _last(self, function, args, kwargs):
        """What it returns, when all is measured. A call that instructions are counted of takes a nanosecond for each:
        by the clock it takes some fifty times as long as without a counter."""
        began = _tally_host.spent(True)
        result = function(*args, **kwargs)
        self.took = (_tally_host.spent(False) - began) * 1e-9
        return result

    def measure_first(self, function, args=(), kwargs=None, setup=None, teardown=None):
        """Measures the first execution in a process, each in one that is forked for it. Returns a function that gives
        what it returned in this process, where it may not have been executed yet."""
        if self._begun:
            raise RuntimeError("one benchmark is measured once")
        self._begun = True
        self.note = FIRST
        first = First(function, args, kwargs or {}, setup, teardown)
        _tally_host.plan(0, 1)
        baseline, statement = self._phases
        _tally_host.prepare(baseline, lambda number: [None] * number)
        _tally_host.prepare(statement, first.prepare)
        _tally_host.after(first.clear)
        item = COMMON.ROUND
        result = ast.Subscript(name(item), ast.Constant(2), ast.Store())
        self._execute(
            [ast.Assign([result], call_of(item))],
            {"f": function if tally_start.UNDER_VALGRIND else first.call},
        )

        def result():
            value = first.result(self._last)
            self.took = self.took or first.took
            return value

        return result

    def measure_loop(self, function, pauses):
        """Executes function(begin, sizing), which has a loop of its own: `for item in begin(make):`, whose body is what
        is measured. `make` gives a fresh item for each execution, not measured; None: items are None. begin() is called
        where the loop begins, once, and function ends after it. `sizing`: it is not measured, but looked at.

        The body may pause. pauses.number(), asked after a sizing call, says how often the last one has, in ways that
        only `pauses` knows; b"": it has not. pauses.empty(numbers) gives a function that goes over an iterator, and
        pauses so often for each of its items, as the body does: what that costs is taken off."""
        if self._begun:
            raise RuntimeError("one benchmark is measured once")
        self._begun = True
        size, numbers = self._size_of_body(function, pauses)
        self._plan(size, None)
        loops = []
        collects = gc.isenabled()

        def begin(make):
            if loops:
                raise RuntimeError("one benchmark has one measured loop, and this is its second")
            baseline, statement = self._phases
            loops.append(statement)
            in_loop = keep_loop_running()
            if make is not None or in_loop is not None:
                _tally_host.prepare(baseline, lambda number: [None] * number)
                _tally_host.prepare(statement, items_of(make, in_loop))
            stop_collector()
            if numbers:
                pauses.empty(numbers)(baseline)
            # Where instructions are counted, two empty loops say what a pause costs.
            if not numbers or tally_start.UNDER_VALGRIND:
                _tally_host.again(baseline)
                for _ in baseline:
                    pass
            return statement

        function(begin, False)
        resume_collector(collects)
        if not loops and not self._skipped:
            raise RuntimeError("it has no measured loop: for _ in state:")

    def _size_of_body(self, function, pauses):
        """As size_up() has it, of a loop's body alone: what a second execution adds to the whole function. Each time it
        is the function's second call, in a process of its own. And how often one execution pauses."""
        file = os.memfd_create("pauses")

        def run(executions):
            function(lambda make: (make() if make else None for _ in range(executions)), True)

        def first_then(executions):
            calls = [1, executions]

            def call():
                self._sizing = True  # in its process
                run(calls.pop(0))
                if executions == 1:
                    os.pwrite(file, pauses.number(), 0)

            return _tally_host.size_up(call, False)

        one, two = first_then(1), first_then(2)
        numbers = os.pread(file, 64, 0)
        os.close(file)
        return None if one is None or two is None else max(two - one, 0), numbers

    def _plan(self, size, executions):
        warm_up, number = how_often(size)
        _tally_host.plan(warm_up, executions or number)

    def _measure_plain(self, function, args, kwargs, executions):
        in_loop = keep_loop_running()

        def once():
            if in_loop is not None:
                in_loop()
            return function(*args, **kwargs)

        self._plan(_tally_host.size_up(once, True), executions)
        if in_loop is not None:
            for phase in self._phases:
                _tally_host.prepare(phase, lambda number: [in_loop()] * number)
        values = {"f": function}
        values.update((f"x{at}", value) for at, value in enumerate(args))
        # A keyword may have any name, and these are taken.
        words = {f"k{at}": word for at, word in enumerate(kwargs)}
        values.update((own, kwargs[word]) for own, word in words.items())
        call = ast.Call(
            name("f"),
            [name(f"x{at}") for at in range(len(args))],
            [ast.keyword(word, name(own)) for own, word in words.items()],
        )
        self._execute([ast.Expr(call)], values)

    def _measure_prepared(self, function, args, kwargs, around, executions):
        setup, teardown = around
        prepared = []
        in_loop = keep_loop_running()
        each = 1 if setup is not None else executions or 1  # for a teardown

        def prepare_one():
            if in_loop is not None:
                in_loop()
            return arguments_of(setup, args, kwargs)

        def prepare(number):
            prepared[:] = [list(prepare_one()) for _ in range(number)]
            return prepared

        def clear():
            if setup is None:
                del prepared[1:]  # all executions of a region have one teardown
            while prepared:
                one = prepared.pop()
                if teardown is not None:
                    teardown(*one[0], **one[1])
                one.clear()  # the loop has it until the next region, which would free the arguments

        def once(call=lambda args, kwargs: function(*args, **kwargs)):
            its_args, its_kwargs = prepare_one()
            for _ in range(each):
                result = call(its_args, its_kwargs)
            if teardown is not None:
                teardown(*its_args, **its_kwargs)
            return result

        # A setup may leave its work somewhere, where one execution finds it, whatever it returns; and a teardown takes
        # away what one has left. So a region is of one, as a round is.
        for _ in range(how_often(_tally_host.size_up(once, True))[0] - 3):
            once()
        _tally_host.plan(each, each)  # three regions, each with what comes before it
        baseline, statement = self._phases
        _tally_host.prepare(baseline, lambda number: [None] * number)
        _tally_host.prepare(statement, prepare)
        _tally_host.after(clear)
        self._execute([ast.Expr(call_of(COMMON.ROUND))], {"f": function})
        return once(lambda args, kwargs: self._last(function, args, kwargs))

    def _execute(self, statement, values):
        loop = COMMON.make_case(
            [], statement, {"__name__": "__main__", "__builtins__": __builtins__}, values
        )
        collects = stop_collector()
        loop(*self._phases)
        resume_collector(collects)


def run_case(prepare, _load, _setup, names, before_region, sync, *others):
    """Runs in a forked child, with what tally_host.run_case() is given: the statement is the benchmark's name. None
    when all went well, else (message, detail)."""
    case = Case(names[0], *others[-2:])
    try:
        take_places()
        _tally_host.set_hooks(COMMON.compile_hook(before_region), COMMON.compile_hook(sync))
        COMMON.seed()
        COMMON.run_texts(prepare, COMMON.HOOK_NAME, COMMON.MODULES)
        failure = RUN[0](case)
        if case._skipped:
            return None
        if failure is None and not case.begun:
            return "it ended without a measurement", ""
        if failure is None:
            case.finish()
        elif _tally_host.measured():
            failure = (f"it was measured, and failed afterwards: {failure[0]}", failure[1])
        return failure
    except BaseException as error:  # SystemExit and KeyboardInterrupt end a case, not the evidence
        return describe(error)


def take_places():
    """The folder that a child begins in is for its own temporary files; its place is where the program was."""
    os.environ["TMPDIR"] = os.getcwd()
    if "tempfile" in sys.modules:
        # Not None: to find it out, it asks for the process's number, which a case is warned of.
        sys.modules["tempfile"].tempdir = os.getcwd()
    os.chdir(PLACE[0])


def one_line(text):
    """Without control characters, and blanks at its ends: what a name can be."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))


def describe(error, where=""):
    """(one line, traceback) without the frames of ours that it begins with."""
    import traceback

    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename.startswith("<tally"):
        tb = tb.tb_next
    lines = traceback.format_exception(type(error), error, tb)
    return where + lines[-1].strip().split("\n")[0], "".join(lines)


def refuse(why):
    """Ends the listing with this one line, which says all."""
    print(f"tally: {why}", file=sys.stderr, flush=True)
    os._exit(2)


def labels_of(paths):
    """What distinguishes files: as few names of folders before theirs as it takes. One: nothing."""
    if len(paths) == 1:
        return [()]
    parts = [os.path.splitext(os.path.abspath(path))[0].split(os.sep)[1:] for path in paths]
    least = next(
        (n for n in range(1, 100) if len({tuple(one[-n:]) for one in parts}) == len(paths)), 100
    )
    return [tuple(one[-least:]) for one in parts]


class SourceFile:
    """A script or module of the user's by its path; `label` distinguishes it from the others that are collected with
    it. Files in two folders may each have a module of the same name: it has them only while it is the one that runs."""

    def __init__(self, path, label):
        self.path = path
        self.file = os.path.abspath(path)
        self.folder = os.path.dirname(os.path.realpath(path))
        self.label = label
        self.kept = {}  # modules that lie in its folder, by name

    def enter(self):
        sys.path.insert(0, self.folder)
        sys.modules.update(self.kept)

    def leave(self):
        if self.folder in sys.path:
            sys.path.remove(self.folder)
        for module_name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and self.owns(module, file):
                self.kept[module_name] = sys.modules.pop(module_name)

    def owns(self, _module, file):
        inside = os.path.realpath(file).startswith(self.folder + os.sep)
        return inside and "-packages" + os.sep not in file

    def show_kept(self):
        """To those who ask what was loaded: under names that no import asks for."""
        sys.modules.update((f"{self.file} {name}", one) for name, one in self.kept.items())


def mapped_files():
    with open("/proc/self/maps") as maps:
        lines = [line.split(None, 5) for line in maps]
    return {line[5].rstrip("\n") for line in lines if len(line) == 6 and line[5].startswith("/")}


def repository():
    """The work tree that the program is in, or its folder."""
    folder = at = os.path.realpath(FOLDER[0])
    while not os.path.exists(os.path.join(at, ".git")):
        at, below = os.path.dirname(at), at
        if at == below:
            return folder
    return at


def same_name(name):
    import re

    return re.sub("[-_.]+", "-", name).lower()


def names_of_project(top):
    """What the project calls its distribution, wherever that was installed from."""
    import re

    names = set()
    for folder in {top, os.path.realpath(FOLDER[0])}:
        for file, section in (("pyproject.toml", "project"), ("setup.cfg", "metadata")):
            try:
                with open(os.path.join(folder, file), encoding="utf-8") as lines:
                    text = lines.read()
            except (OSError, UnicodeError):
                continue
            part = re.search(rf"^\[{section}\]\s*$(.*?)(?=^\[|\Z)", text, re.M | re.S)
            name = part and re.search(r"""^name\s*=\s*["']?([\w.-]+)""", part.group(1), re.M)
            if name:
                names.add(same_name(name.group(1)))
    return names


def installed_from_here():
    """Top-level names of packages that are the project's: they were installed from its work tree (a folder of it, or a
    file such as dist/x.whl), or have its name."""
    import json
    from importlib.metadata import distributions
    from urllib.parse import unquote

    top = repository()
    own = names_of_project(top)
    names = set()
    for one in distributions():
        try:
            url = json.loads(one.read_text("direct_url.json") or "{}").get("url", "")
        except ValueError:
            continue
        is_from_here = url.startswith(
            "file://"
        ) and f"{os.path.realpath(unquote(url[7:]))}/".startswith(f"{top}/")
        if is_from_here or same_name(one.metadata["Name"] or "") in own:
            names.update(str(file).split("/")[0] for file in one.files or ())
    return names


def version_of(package):
    from importlib import metadata

    # From Python 3.10 on. Before it, a package has its distribution's name, or no version here.
    find = getattr(metadata, "packages_distributions", dict)
    try:
        return metadata.version(find().get(package, [package])[0])
    except (metadata.PackageNotFoundError, IndexError):
        return ""


def files():
    """What has been loaded: {"loaded": all, "own": {name in the project: file}, "packages": {"numpy 2.1": [file]}}."""
    folder = os.path.realpath(FOLDER[0])
    library = os.path.dirname(os.__file__) + os.sep
    modules = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    sources = {os.path.abspath(file) for file in modules if isinstance(file, str)}
    loaded = {
        file
        for file in sources | mapped_files()
        if os.path.isfile(file) and not file.startswith("/proc/")  # our own
    }
    from_here = installed_from_here()
    own, packages = {}, {}
    for file in sorted(loaded):
        _, packaged, inside = file.rpartition("-packages/")
        top = inside.split("/")[0]
        if packaged and top not in from_here:
            packages.setdefault(top.split(".")[0], []).append(file)
        elif packaged:
            own[inside] = file
        elif file.startswith(folder + os.sep) or (file in sources and not file.startswith(library)):
            own[os.path.relpath(file, folder)] = file
    versions = {name: version_of(name) for name in packages}
    return {
        "loaded": sorted(loaded),
        "own": own,
        "packages": {f"{name} {versions[name]}".strip(): found for name, found in packages.items()},
    }


def write_list(benchmarks, none):
    import json

    lines = [LIST_START]
    lines += [json.dumps(listed(*one)) for one in benchmarks]
    lines.append(json.dumps({**files(), "none": none}))
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    while text:
        text = text[os.write(_tally_host.BENCHMARK_LIST, text) :]


def flush():
    """What has been printed. A program may have put None there, or an object of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue


def seal(stage):
    if not LISTS:
        tally_start.seal(stage)


def ready(benchmarks, run, none="", prepare=None):
    """All is collected: serves and does not come back, or lists it. Nothing but C comes between the last seal and a
    child. `none` says why there are no benchmarks; `prepare` is called where they are not only listed."""
    flush()
    if LISTS:
        write_list(benchmarks, none)
        return
    RUN.append(run)
    PLACE.append(os.getcwd())
    if prepare is not None:
        prepare()
    if _tally_host.has_changed_files():
        _tally_host.leave_no_image()  # what it has made may be gone
    COMMON.name_threads()
    tally_start.end_of_imports()
    sys.modules["tally_warm_up"] = type(sys)("tally_warm_up")
    main = sys.modules["__main__"]
    # A text of the toolchain's, for the translations that case children inherit: a program's own benchmarks would leave
    # what they have learned.
    COMMON.rehearse(WARM_UP, False)
    if _tally_host.start_instrumentation():
        COMMON.rehearse(WARM_UP, True)
    sys.modules["__main__"] = main
    del sys.modules["tally_warm_up"]
    tally_start.seal(COLLECTED)
    os._exit(_tally_host.serve(run_case, sys.version.split()[0]))


def set_environment():
    """The user's variables. The C library's own list of all has one length from here on, and in the children: a
    variable more would have it copied elsewhere."""
    for name in tally_start.SPARE:
        os.unsetenv(name)
    set_late_environment()
    if tally_start.UNDER_VALGRIND:
        for name in tally_start.spare_variables():
            os.putenv(name, "")
    tally_start.SPARE.clear()


def set_late_environment():
    """What the runner kept out of the interpreter's start: its lengths move nothing that an import allocates."""
    with open(_tally_host.LATE_ENVIRONMENT, "rb") as file:
        entries = file.read().split(b"\0")
    for entry in entries[:-1]:
        name, _, value = entry.partition(b"=")
        os.environb[name] = value


def main():
    tally_start.FIRST.clear()  # a program has a folder of its own
    tally_start.begin()
    split = sys.argv.index("--")
    COMMON.REQUIRED.extend(sys.argv[1:split])
    WARM_UP.extend(sys.argv[split + 1 :])
    for module in COMMON.REQUIRED:
        __import__(module)
    COMMON.MODULES.update(COMMON.required_names())
    if sys.pycache_prefix is not None:
        sys.pycache_prefix = None
        del os.environ["PYTHONPYCACHEPREFIX"]
    if "numpy.random" not in sys.modules:
        sys.meta_path.insert(0, COMMON.SeedsNumPy)
    sys.modules["tally_program"] = sys.modules["__main__"]  # as frameworks' scripts know it
    framework = part(_tally_host.PROGRAM_FRAMEWORK, "tally framework")
    # What belongs to the user and to the place comes after all that does not, and before a seal.
    set_environment()
    with open(_tally_host.PROGRAM_TEXT, "rb") as file:
        number, folder, *texts = map(os.fsdecode, file.read().split(b"\0")[:-1])
    FOLDER.append(folder)
    os.chdir(folder)
    paths, arguments = texts[: int(number)], texts[int(number) :]
    sys.argv[:] = [""]
    if not LISTS:
        _tally_host.watch_files()
    tally_start.seal(tally_start.LAST_STAGE)
    framework.collect(paths, arguments, ready)
    if not LISTS:
        sys.exit("the framework came back without having collected")


LISTS = os.environ.pop(ASK, "") == "list"  # it only lists its benchmarks
FOLDER = []
PLACE = []  # the folder in which it was collected: a file of the program may have entered another one
WARM_UP = []
RUN = []
COMMON = part(_tally_host.HOST_COMMON, "tally host", statements_left_out=1)
main()
