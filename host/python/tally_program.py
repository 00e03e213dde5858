"""The host of a program in Python: a framework's script collects the program, and each of its benchmarks is reached
and measured in a forked child.

Started as tally_host.py is, in whose place it stands, with more descriptors: that script, of which it takes what all
Python hosts do; the framework's, tally_pytest.py or its like; and a text that says what to collect, in fields that each
end with a null: how many paths, the folder to be in, the paths, the framework's arguments.

A framework's script defines `collect(paths, arguments, ready)`. When it has collected, it calls ready(benchmarks, run),
which comes back where the benchmarks were only to be listed: `benchmarks` are pairs (name, parts of the label), and `run(case)` reaches in a child the
benchmark `case.name`, calls `case.measure(…)` there, and returns None, or (message, detail) where that went wrong.

With the variable TALLY_ASKS_PROGRAM=list it writes a list to a descriptor and ends: protocol/descriptors.h has its
first line; then a line of JSON for each benchmark, {"name", "label"}, and one of the files, {"loaded", "own",
"packages", "none"}.
"""

import ast
import gc
import os
import sys

import _tally_host
import tally_start

LIST_START = "tallymark benchmarks 1"
ASK = "TALLY_ASKS_PROGRAM"
COLLECTED = 3  # the stage in which a program has been collected
BUDGET = 300_000_000  # of a warm-up and of a region: instructions, or nanoseconds
WARM_UPS = (40, 20, 10, 5, 2, 1)
EXECUTIONS = (100, 50, 20, 10, 5, 2, 1)


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


def how_often(size, asked):
    """(warm-up, executions in a region) of a benchmark by the size of two calls of it: as often as a suite's statement
    where that is not too heavy. In steps, so that a little more work changes no number. 0 executions: as asked for."""
    if size is None:
        return WARM_UPS[0], 0
    _, each, counted = size
    return (
        first_that_fits(WARM_UPS, each),
        0 if asked or not (counted or tally_start.UNDER_VALGRIND) else first_that_fits(EXECUTIONS, each),
    )


def name(text, context=None):
    return ast.Name(text, context or ast.Load())


class Case:
    """The benchmark that a child of the host is there for."""

    def __init__(self, name, baseline, statement):
        self.name = name
        self.counters = []  # what the framework found besides, as protocol::Field::counter has it
        self.note = ""
        self._phases = (baseline, statement)
        self._begun = False
        self._skipped = False

    @property
    def begun(self):
        """Whether it has been reached."""
        return self._begun

    def skip(self, reason):
        """It does not want to be measured."""
        self._skipped = True
        _tally_host.skip(reason)

    def measure(self, function, args=(), kwargs=None, setup=None, teardown=None, executions=None):
        """Executes function(*args, **kwargs) as often as it takes, and once more for what it returns. With `setup`,
        each execution has its arguments from a call of that, (args, kwargs), before the region; None: those that are
        given. `teardown` is called with them after it. `executions` is how many are in a region where it matters."""
        if self._begun:
            raise RuntimeError("one benchmark is measured once")
        self._begun = True
        kwargs = kwargs or {}
        if setup is None and teardown is None:
            self._measure_plain(function, args, kwargs, executions)
            return function(*args, **kwargs)
        return self._measure_prepared(function, args, kwargs, (setup, teardown), executions)

    def _plan(self, once, executions):
        asked = _tally_host.asked_iterations()
        warm_up, number = how_often(_tally_host.size_up(once), asked)
        _tally_host.plan(warm_up, executions or number)

    def _measure_plain(self, function, args, kwargs, executions):
        self._plan(lambda: function(*args, **kwargs), executions)
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

        def prepare_one():
            given = setup() if setup is not None else None
            if given is None:
                return tuple(args), kwargs
            if args or kwargs:
                raise TypeError("the arguments come from args and kwargs, or from setup; not from both")
            its_args, its_kwargs = given
            return tuple(its_args), dict(its_kwargs)

        def prepare(number):
            prepared[:] = [prepare_one() for _ in range(number)]
            return prepared

        def clear():
            while prepared:
                its_args, its_kwargs = prepared.pop()
                if teardown is not None:
                    teardown(*its_args, **its_kwargs)

        def once():
            its_args, its_kwargs = prepare_one()
            result = function(*its_args, **its_kwargs)
            if teardown is not None:
                teardown(*its_args, **its_kwargs)
            return result

        # A setup that gives no arguments leaves its work somewhere: one execution finds it.
        sample = setup() if setup is not None else None
        if sample is not None and teardown is not None:
            teardown(*sample[0], **sample[1])
        is_fixed = sample is None
        self._plan(once, 1 if is_fixed and setup is not None else executions)
        baseline, statement = self._phases
        _tally_host.prepare(baseline, lambda number: [None] * number)
        _tally_host.prepare(statement, prepare)
        _tally_host.after(clear)
        item = COMMON.ROUND
        call = ast.Call(
            name("f"),
            [ast.Starred(ast.Subscript(name(item), ast.Constant(0), ast.Load()), ast.Load())],
            [ast.keyword(None, ast.Subscript(name(item), ast.Constant(1), ast.Load()))],
        )
        self._execute([ast.Expr(call)], {"f": function})
        return once()

    def _execute(self, statement, values):
        loop = COMMON.make_case([], statement, {"__name__": "__main__", "__builtins__": __builtins__}, values)
        was_enabled = gc.isenabled()
        gc.collect()
        gc.freeze()
        gc.disable()
        loop(*self._phases)
        gc.unfreeze()
        if was_enabled:
            gc.enable()


def run_case(
    prepare,
    load,
    setup_parts,
    stmt_parts,
    before_region,
    sync,
    examiner,
    result_names,
    baseline,
    statement,
):
    """Runs in a forked child. None when all went well, else (message, detail)."""
    case = Case(stmt_parts[0], baseline, statement)
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
            _tally_host.tell(case.note, case.counters)
        elif _tally_host.measured():
            failure = (f"it was measured, and failed afterwards: {failure[0]}", failure[1])
        return failure
    except BaseException as error:  # SystemExit and KeyboardInterrupt end a case, not the evidence
        return describe(error)


def take_places():
    """A folder for the case's own temporary files, whatever its neighbours leave in theirs, below the one that it begins
    in; and the program's folder."""
    folder = f"{os.getcwd()}/{os.getpid():07d}"
    os.mkdir(folder)
    os.environ["TMPDIR"] = folder
    if "tempfile" in sys.modules:
        sys.modules["tempfile"].tempdir = None
    os.chdir(FOLDER[0])


def describe(error):
    """(one line, traceback) without the frames of ours that it begins with."""
    import traceback

    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename.startswith("<tally"):
        tb = tb.tb_next
    lines = traceback.format_exception(type(error), error, tb)
    return lines[-1].strip().split("\n")[0], "".join(lines)


def mapped_files():
    with open("/proc/self/maps") as maps:
        lines = [line.split(None, 5) for line in maps]
    return {line[5].rstrip("\n") for line in lines if len(line) == 6 and line[5].startswith("/")}


def installed_from_here():
    """Top-level names of packages that were installed from the folder that the program is in."""
    import json
    from importlib.metadata import distributions

    names = set()
    for one in distributions():
        try:
            url = json.loads(one.read_text("direct_url.json") or "{}").get("url", "")
        except ValueError:
            continue
        if url.startswith("file://") and os.path.realpath(url[7:]) == os.path.realpath(FOLDER[0]):
            names.update(str(file).split("/")[0] for file in one.files or ())
    return names


def version_of(package):
    from importlib.metadata import PackageNotFoundError, packages_distributions, version

    try:
        return version(packages_distributions().get(package, [package])[0])
    except (PackageNotFoundError, IndexError):
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
        elif file.startswith(folder + os.sep):
            own[os.path.relpath(file, folder)] = file
        elif file in sources and not file.startswith(library):
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
    lines += [json.dumps({"name": name, "label": list(label)}) for name, label in benchmarks]
    lines.append(json.dumps({**files(), "none": none}))
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    while text:
        text = text[os.write(_tally_host.BENCHMARK_LIST, text) :]


def ready(benchmarks, run, none=""):
    """All is collected: serves and does not come back, or lists it. Nothing but C comes between the last seal and a child.
    `none` says why there are no benchmarks."""
    sys.stdout.flush()
    sys.stderr.flush()
    if LISTS:
        write_list(benchmarks, none)
        return
    RUN.append(run)
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
    """The user's variables. The C library's own list of all has one length from here on, and in the children: a variable
    more would have it copied elsewhere."""
    for name in tally_start.SPARE:
        os.unsetenv(name)
    COMMON.set_late_environment()
    if tally_start.UNDER_VALGRIND:
        for name in tally_start.spare_variables():
            os.putenv(name, "")
    tally_start.SPARE.clear()


def main():
    if sys.path[:1] == [""]:
        del sys.path[0]
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


LISTS = os.environ.pop(ASK, "") == "list"  # it is only asked for its benchmarks
FOLDER = []
WARM_UP = []
RUN = []
COMMON = part(_tally_host.HOST_COMMON, "tally host", statements_left_out=1)
main()
