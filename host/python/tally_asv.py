"""airspeed velocity as the framework of a program: the benchmarks of a project that has an asv.conf.json, found and run
by the rules of asv's documentation. Neither asv nor asv_runner is needed.

The parent imports all of them, instantiates classes, and makes what setup_cache() returns; a child sets one benchmark
up with one set of parameters, and measures it. As under asv, a benchmark is in an empty folder of its own, with
a copy of what its setup_cache() has left, and a setup_cache() runs in a process of its own.

time_*      measured between its setup and its teardown. Each execution has its own, as under asv_runner from 0.3 on;
            where there is a teardown alone, it does so with number = 1. Other values of number, and repeat, rounds,
            sample_time, warmup_time, min_run_count, processes, timer and timeout, say how long to take times, and mean
            nothing here.
timeraw_*   measured is the first execution of its code, in a forked process. asv starts an interpreter for it: here, a
            module that the suite has imported is there already.
track_*     is run once, and reports what it returns, in its `unit`.
mem_*       is run once, and reports the size of what it returns: how much larger pympler's asizeof() is of a list with
            that and a copy of it than with that twice. Without pympler it is skipped; asv does not even list it.
peakmem_*   is run once, and reports the most memory that its process has had: the suite's imports and the setup count.

What reports is run in a process that nothing counts, and has no other figure. pretty_name, pretty_source and version
have no place in a record.
"""

import ast
import contextlib
import importlib.util
import inspect
import itertools
import json
import os
import pickle
import pkgutil
import random
import re
import shutil
import signal
import stat
import sys
import tempfile
import textwrap

import _tally_host
import tally_program

CONFIGURATIONS = ("asv.conf.json", "asv.conf.jsonc")
KIND = re.compile("(time|timeraw|mem|peakmem|track)_.|(Time|Timeraw|Mem|PeakMem|Track)[A-Z_].")
# A text, or what is none of JSON: a comment, a comma before a bracket.
COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[\]}])', re.DOTALL)
ADDRESS = re.compile(" at 0x[0-9a-fA-F]+")
REPORTING = ("track", "mem", "peakmem")
CHANGED = (
    "a benchmark has changed the folder of setup_cache by an absolute path",
    "Each benchmark has a copy of that folder as its working folder, where it may change what it likes. By an absolute "
    "path it finds the folder itself, which other benchmarks find, too: it can read there, and not write.\n",
)
LONGEST_VALUE = 80  # of what a track_* returns, where that is no number


# What to collect.


def read_configuration(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = LAST_COMMA.sub(r"\1", COMMENT.sub(r"\1 ", text))
    try:
        values = json.loads(text)
    except ValueError as error:
        tally_program.refuse(f"{path} is not JSON with comments: {error}")
    if not isinstance(values, dict):
        tally_program.refuse(f"{path} is not a table of names and values")
    return values


def find_benchmarks(path):
    """The folder of benchmarks that `path` means, when the variables that asv sets are set."""
    os.environ["ASV"] = "true"
    found = [file for name in CONFIGURATIONS if os.path.isfile(file := os.path.join(path, name))]
    configuration = path if os.path.isfile(path) else next(iter(found), None)
    folder = path
    if configuration is not None:
        values = read_configuration(configuration)
        base = os.path.dirname(os.path.abspath(configuration))
        os.environ["ASV_PROJECT"] = str(values.get("project", "project"))
        os.environ["ASV_CONF_DIR"] = base
        folder = os.path.join(base, values.get("benchmark_dir") or "benchmarks")
    if not os.path.isfile(os.path.join(folder, "__init__.py")):
        tally_program.refuse(
            f"there is no {CONFIGURATIONS[0]} in {path}, and no __init__.py in {folder}"
        )
    return os.path.abspath(folder)


def read_arguments(arguments):
    """The regular expressions of --bench."""
    patterns = []
    left = list(arguments)
    while left:
        word = left.pop(0)
        option, equals, value = word.partition("=")
        if word in ("--bench", "-b"):
            if not left:
                tally_program.refuse(f"{word} needs a regular expression")
            value = left.pop(0)
        elif word.startswith("-b") and not word.startswith("--"):
            value = word[2:]
        elif option != "--bench" or not equals:
            tally_program.refuse(f"unknown option {word}: of asv's there is --bench REGEX")
        try:
            patterns.append(re.compile(value))
        except re.error as error:
            tally_program.refuse(f"--bench {value} is not a regular expression: {error}")
    return patterns


# What asv knows of a benchmark.


def attributes(sources, name):
    """What the sources that have such an attribute have, in the sources' order."""
    values = (getattr(source, name, None) for source in sources)
    return [value for value in values if value is not None]


def functions(sources, name):
    """As attributes(), of names in any case: setUp is a setup."""
    found = []
    for source in sources:
        names = [one for one in dir(source) if one.lower() == name]
        if len(names) > 1:
            raise ValueError(f"which one is the {name}: {', '.join(names)}?")
        found += attributes([source], *names) if names else []
    return found


def text_of(value):
    """A parameter in a name. Where something lies in memory says nothing of it."""
    text = repr(value)
    return text if isinstance(value, str) else ADDRESS.sub("", text)


def texts_of(values):
    """Of equal texts, each has its number."""
    texts = [text_of(value) for value in values]
    numbers = {text: itertools.count() for text in texts if texts.count(text) > 1}
    return [f"{text} ({next(numbers[text])})" if text in numbers else text for text in texts]


def axis_of(values):
    """Of a parameter, what a table has at its rows: a text without quotation marks, where that says enough."""
    texts = [
        tally_program.one_line(one if isinstance(one, str) else text_of(one)) for one in values
    ]
    return (
        texts
        if len(set(texts)) == len(texts) and all(texts)
        else list(map(tally_program.one_line, texts_of(values)))
    )


class SetupCache:
    """What a setup_cache() returns and leaves in its folder, for all benchmarks that have it. The folder stays where it
    was made, as it may be named by an absolute path; each case works in a copy of it."""

    def __init__(self, function, setups, number):
        self._function = function
        self._setups = setups
        self._number = number
        self._pickled = b""
        self._folder = None  # None: it is empty, and nothing names it
        self._state = None
        self.failure = None  # (message, detail)

    def make(self):
        """In a process of its own: what it leaves in this one's objects, no benchmark finds."""
        tally_program.flush()
        file = os.memfd_create("setup_cache")
        # Made in the other process: of a host that has changed files, no image is kept.
        folder = f"{folder_name()}-{self._number}"
        pid = os.fork()
        if pid == 0:
            self._make_and_end(file, folder)
        os.waitpid(pid, 0)
        with open(file, "rb") as stream:
            stream.seek(0)
            made = stream.read()
        ended = ("setup_cache: its process ended before it was done", ""), b""
        self.failure, self._pickled = pickle.loads(made) if made else ended
        if self.failure is not None or not self._keep(folder):
            shutil.rmtree(folder, ignore_errors=True)

    def _keep(self, folder):
        """Whether a case may look for it, or for what is in it. A host that is made of an image would not have it."""
        if not os.listdir(folder) and os.fsencode(folder) not in self._pickled:
            return False
        self._folder = folder
        self._state = state_of(folder)
        _tally_host.leave_no_image()
        return True

    def _make_and_end(self, file, folder):
        try:
            random.seed(0)
            if "numpy" in sys.modules:
                sys.modules["numpy"].random.seed(0)
            os.mkdir(folder, 0o700)
            os.chdir(folder)
            # As asv does it: before it, a module's setup that needs no arguments. A class's may need what this makes.
            for setup in self._setups:
                if not inspect.ismethod(setup) and tally_program.can_be_called(setup):
                    setup()
            made = None, pickle.dumps(self._function())
        except BaseException as error:
            made = tally_program.describe(error, "setup_cache: "), b""
        with open(file, "wb") as stream:
            pickle.dump(made, stream)
        tally_program.flush()
        # Under Valgrind, a process that ends by itself leaves a profile.
        os.kill(os.getpid(), signal.SIGKILL)

    def value(self):
        """A copy of what it returned, made of its pickle."""
        return pickle.loads(self._pickled)

    def copy_to(self, folder):
        if self._folder is not None:
            copy_folder(self._folder, folder, {})

    def is_changed(self):
        """Whether a case has changed it, by an absolute path: it is the others', too."""
        return self._folder is not None and state_of(self._folder) != self._state


def entries_of(folder):
    """(path, its lstat()) of each, by their names."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        yield path, os.lstat(path)


def state_of(folder):
    """What says whether anything in it was changed."""
    about = os.lstat(folder)
    state = [(folder, about.st_mode, about.st_mtime_ns)]
    for path, about in entries_of(folder):
        if stat.S_ISDIR(about.st_mode):
            state += state_of(path)
        else:
            state.append((path, about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns))
    return state


def copy_folder(source, target, links):
    """All that is in `source` into `target`, a folder that exists, with modes, times, and links of both kinds. `links`:
    copies of what has several names. A socket nobody listens at is left out."""
    for path, about in entries_of(source):
        copy = os.path.join(target, os.path.basename(path))
        file = about.st_dev, about.st_ino
        if stat.S_ISDIR(about.st_mode):
            os.mkdir(copy)
            copy_folder(path, copy, links)
        elif file in links:
            os.link(links[file], copy, follow_symlinks=False)
        elif stat.S_ISLNK(about.st_mode):
            os.symlink(os.readlink(path), copy)
        elif stat.S_ISREG(about.st_mode):
            shutil.copyfile(path, copy)
        elif stat.S_ISFIFO(about.st_mode):
            os.mkfifo(copy)
        else:
            continue
        if about.st_nlink > 1 and not stat.S_ISDIR(about.st_mode):
            links[file] = copy
        if not stat.S_ISLNK(about.st_mode):
            os.chmod(copy, stat.S_IMODE(about.st_mode))
        os.utime(copy, ns=(about.st_atime_ns, about.st_mtime_ns), follow_symlinks=False)


def process_number():
    """Of this process. The counter warns of a benchmark that calls os.getpid(), which ours is not to look like."""
    return int(os.readlink("/proc/self"))


def folder_name():
    """Of this process. A name at random, two cases may want at once, and one has to try again: another count."""
    return os.path.join(tempfile.gettempdir(), f"tally-asv-{process_number():07d}")


def enter_folder(cache):
    """One with a copy of what `cache` has left, where it is not None. It goes with the case's temporary files."""
    folder = folder_name()
    os.makedirs(folder, 0o700, exist_ok=True)
    if cache is not None:
        cache.copy_to(folder)
    os.chdir(folder)


class Preparation:
    """A benchmark's setups and teardowns, with the arguments of one set of parameters."""

    def __init__(self, benchmark, args):
        self._benchmark = benchmark
        self._args = args
        self._is_up = False

    def set_up(self):
        self.tear_down()
        self._is_up = True
        for setup in self._benchmark.setups:
            setup(*self._args)

    def tear_down(self, *_):
        if not self._is_up:
            return
        self._is_up = False
        for teardown in self._benchmark.teardowns:
            teardown(*self._args)


def says_skip(error):
    """Whether it is a SkipNotImplemented of asv_runner's, which may be raised anywhere."""
    return any(one.__name__ == "SkipNotImplemented" for one in type(error).__mro__)


class Benchmark:
    """One that asv lists, with all of its parameters."""

    def __init__(self, name, kind, function, sources, caches):
        self.name = name
        self._kind = kind
        self._function = function
        self._sources = sources
        self.setups = functions(sources, "setup")[::-1]
        self.teardowns = functions(sources, "teardown")
        self._is_marked = getattr(function, "skip_benchmark", False)
        self.cache = self._shared_cache(caches)
        self._skipped = [tuple(one) for one in self._first("skip_params", [])]
        params = list(self._first("params", []))
        if params and not isinstance(params[0], (tuple, list)):
            params = [params]
        self._params = [list(values) for values in params]
        self.reports = kind in REPORTING

    def _first(self, attribute, default=None):
        return next(iter(attributes(self._sources, attribute)), default)

    def _shared_cache(self, caches):
        """That of the same function, also where classes have it from a common one."""
        function = self._first("setup_cache")
        if function is None or self._is_marked:
            return None
        key = getattr(function, "__func__", function)
        if key not in caches:
            caches[key] = SetupCache(function, self.setups, len(caches))
        return caches[key]

    def cases(self):
        """Of each: its name, the values of its parameters, and their names and texts."""
        if not self._params:
            return [(self.name, (), ())]
        texts = itertools.product(*map(texts_of, self._params))
        shown = itertools.product(*map(axis_of, self._params))
        values = itertools.product(*self._params)
        return [
            (f"{self.name}({', '.join(said)})", given, tuple(zip(self._param_names(), on_axes)))
            for said, given, on_axes in zip(texts, values, shown)
        ]

    def _param_names(self):
        """As asv has them: param1 where there is none."""
        given = [tally_program.one_line(str(one)) for one in self._first("param_names", [])]
        names = []
        for number, _ in enumerate(self._params, 1):
            name = given[number - 1] if number <= len(given) else ""
            name = name or f"param{number}"
            while name in names:
                name += "_"
            names.append(name)
        return names

    def run(self, case, values):
        if self._is_marked:
            return case.skip("it is marked with skip_benchmark")
        if values in self._skipped:
            return case.skip("skip_params has these parameters")
        if self.cache is not None and self.cache.failure is not None:
            return self.cache.failure
        if self.cache is not None and self.cache.is_changed():
            return CHANGED
        enter_folder(self.cache)
        failure = self._run_prepared(case, values)
        if failure is None and self.cache is not None and self.cache.is_changed():
            return CHANGED
        return failure

    def _run_prepared(self, case, values):
        args = values
        cached = self.cache.value() if self.cache is not None else None
        if cached is not None:
            args = (cached, *values)
        preparation = Preparation(self, args)
        try:
            preparation.set_up()
        except Exception as error:
            tear_down_after(preparation)
            if isinstance(error, NotImplementedError):
                return case.skip(
                    tally_program.one_line(str(error)) or "its setup raises NotImplementedError"
                )
            return tally_program.describe(error)
        try:
            self._measure(case, args, preparation)
        except Exception as error:
            tear_down_after(preparation)
            if says_skip(error):
                return case.skip(
                    tally_program.one_line(str(error)) or "it raises SkipNotImplemented"
                )
            return tally_program.describe(error)
        try:
            preparation.tear_down()
        except Exception as error:
            return tally_program.describe(error, "teardown: ")
        return None

    def _measure(self, case, args, preparation):
        if self._kind == "track":
            report_value(case, self._function(*args), self._first("unit", "unit"))
        elif self._kind == "mem":
            report_size(case, self._function(*args))
        elif self._kind == "peakmem":
            self._function(*args)
            case.report_peak()
        elif self._kind == "timeraw":
            os.environ.update((name, str(one)) for name, one in self._first("env", {}).items())
            measure_text(case, self._function(*args))
        # As asv reads it: a setup may have set the number.
        elif self.setups or (int(self._first("number", 0)) == 1 and self.teardowns):
            set_up, tear_down = preparation.set_up, preparation.tear_down
            tear_down()  # forked processes begin with a setup, too
            case.measure(self._function, args, setup=set_up, teardown=tear_down, executions=1)
        else:
            case.measure(self._function, args)


def report_value(case, value, unit):
    if value is None:
        return case.skip("it returns no value")
    try:
        value = float(value)
    except (TypeError, ValueError):
        shown = tally_program.one_line(repr(value))[:LONGEST_VALUE]
        raise TypeError(f"it returns what is not a number: {shown}") from None
    return case.report(value, tally_program.one_line(str(unit)))


def report_size(case, value):
    try:
        from pympler.asizeof import asizeof
    except ImportError:
        return case.skip(
            "asv takes sizes of objects by pympler, which this interpreter does not have"
        )
    import copy

    return case.report(asizeof([value, copy.copy(value)]) - asizeof([value, value]), "bytes")


def tear_down_after(preparation):
    """What went wrong before is what is to be known."""
    with contextlib.suppress(Exception):
        preparation.tear_down()


def generator_of(text, setup):
    """A generator function that does `setup`, and when it is asked again, `text`, with the same variables."""
    made = ast.parse("def code():\n yield")
    body = [ast.parse(textwrap.dedent(one)).body for one in (setup, text)]
    made.body[0].body = [*body[0], *made.body[0].body, *body[1]]
    names = {"__name__": "__main__"}
    exec(compile(made, "<timeraw>", "exec", dont_inherit=True), names)
    return names["code"]


def measure_text(case, text):
    """Measures the first execution in a process, which is one that was forked for it."""
    text, setup = text if isinstance(text, tuple) else (text, "")
    code = generator_of(text, setup)

    def prepared():
        started = code()
        next(started)
        return (started, None), {}

    case.measure_first(next, setup=prepared)


# Finding them.


class Broken:
    """What cannot be imported or listed: a case that fails."""

    cache = None
    reports = False

    def __init__(self, error, what):
        self._failure = tally_program.describe(error, what)

    def run(self, case, values):
        return self._failure


class Suite:
    """The benchmarks of a folder, as far as its modules can be imported."""

    def __init__(self, folder):
        self._folder = folder
        self._package = os.path.basename(folder)
        self._caches = {}  # by their functions
        self.cases = {}  # by name: (benchmark, values of its parameters)
        self._on_axes = {}  # by name, where it has parameters: (label, their names and texts)
        self._seen = set()

    def collect(self):
        module = self._import(self._package)
        if module is not None:
            self._collect_below(module)

    def _import(self, name):
        try:
            if name != self._package:
                return importlib.import_module(name)
            # Its parent is on no path, as under asv: what lies there may be the project's sources, which are not to be
            # imported instead of the project as it is installed.
            spec = importlib.util.spec_from_file_location(
                name,
                os.path.join(self._folder, "__init__.py"),
                submodule_search_locations=[self._folder],
            )
            sys.modules[name] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
        except BaseException as error:  # pytest's skip of a module is no Exception
            self._add(self._short_name(name), Broken(error, "it cannot be imported: "))
            return None

    def _add(self, name, benchmark, values=(), label="", params=()):
        number, free = 1, name
        while free in self.cases:
            number += 1
            free = f"{name} #{number}"
        self.cases[free] = benchmark, values
        if params:
            self._on_axes[free] = label, params

    def _short_name(self, name):
        """As asv calls it: without the package's name, where something is left."""
        return tally_program.one_line(name.partition(".")[2] or name)

    def _collect_below(self, module):
        for name, value in list(vars(module).items()):
            if name.startswith("_"):
                continue
            try:
                if inspect.isclass(value) and not inspect.isabstract(value):
                    for member, function in inspect.getmembers(value):
                        if inspect.isfunction(function) or inspect.ismethod(function):
                            self._collect_one(module, value, member, function)
                elif inspect.isfunction(value):
                    self._collect_one(module, None, name, value)
            except Exception as error:
                name = self._short_name(f"{module.__name__}.{name}")
                self._add(name, Broken(error, "it cannot be listed: "))
        for found in pkgutil.iter_modules(getattr(module, "__path__", ()), module.__name__ + "."):
            below = self._import(found.name)
            if below is not None:
                self._collect_below(below)

    def _collect_one(self, module, owner, attribute, function):
        name = getattr(function, "benchmark_name", None)
        kind = KIND.match(attribute if name is None else name.rpartition(".")[2])
        if kind is None:
            return
        last = function.__name__ if owner is None else f"{owner.__name__}.{attribute}"
        name = tally_program.one_line(
            self._short_name(f"{module.__name__}.{last}") if name is None else name
        )
        if (name, owner, function) in self._seen:  # under two names in one module
            return
        self._seen.add((name, owner, function))
        sources = [function, module]
        try:
            if owner is not None:
                # As under asv, one that is marked to be skipped may have a class that cannot be instantiated.
                instance = owner if getattr(function, "skip_benchmark", False) else owner()
                function = getattr(instance, attribute)
                sources = [function, instance, module]
            kind = (kind[1] or kind[2]).lower()
            benchmark = Benchmark(name, kind, function, sources, self._caches)
            for of_one, values, params in benchmark.cases():
                self._add(tally_program.one_line(of_one), benchmark, values, name, params)
        except Exception as error:
            self._add(name, Broken(error, "it cannot be listed: "))

    def select(self, patterns):
        """Leaves those that one of the patterns finds, and what could not be imported."""
        self.cases = {
            name: (benchmark, values)
            for name, (benchmark, values) in self.cases.items()
            if isinstance(benchmark, Broken) or any(one.search(name) for one in patterns)
        }

    def make_caches(self):
        """Those that its benchmarks need."""
        for cache in dict.fromkeys(benchmark.cache for benchmark, _ in self.cases.values()):
            if cache is not None:
                cache.make()

    def listed(self):
        """As tally_program.listed() takes them."""
        for name, (benchmark, _) in self.cases.items():
            label, params = self._on_axes.get(name, (name, ()))
            yield name, (label,), params, (name,), benchmark.reports

    def run(self, case):
        benchmark, values = self.cases[case.name]
        return benchmark.run(case, values)


def collect(paths, arguments, ready):
    if len(paths) != 1:
        tally_program.refuse(f"one folder at a time, not {len(paths)}")
    patterns = read_arguments(arguments)
    folder = find_benchmarks(paths[0])
    # Cases are in folders of their own, from where a relative path would lead elsewhere.
    sys.path[:] = [os.path.abspath(path) for path in sys.path]
    suite = Suite(folder)
    tally_program.seal(tally_program.CONFIGURED)
    suite.collect()
    none = f"{folder} has nothing whose name begins with time_, timeraw_, mem_, peakmem_ or track_"
    if suite.cases and patterns:
        none = f"of {len(suite.cases)} in {folder}, none matches --bench"
        suite.select(patterns)
    ready(suite.listed(), suite.run, none, suite.make_caches)
