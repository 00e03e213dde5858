"""pytest as the framework of a program: its tests with a fixture `benchmark` or `tally`, or the marker `benchmark`.

pytest collects as it always does, in the parent; a child runs one test with its fixtures, up to the call that is to be
measured, and on to the end. What would measure by itself, or change what is executed, is left out: pytest-benchmark,
pytest-codspeed, pytest-xdist, pytest-cov and others; their options are accepted.
"""

import contextlib
import functools
import inspect
import os
import re
import sys
import unittest

import pytest
import tally_program

# Plugins of ours and of others whose work this is, or that would be measured with it, by the names they register.
LEFT_OUT = (
    "benchmark",
    "codspeed",
    "tallymark",
    "randomly",
    "faulthandler",
    "rerunfailures",
    "repeat",
    "sugar",
    "instafail",
    "memray",
    "monitor",
)
# Those of them whose module is not called pytest_ and that name: a project may load it by its own.
MODULES_LEFT_OUT = (
    "pytest_benchmark.plugin",
    "pytest_codspeed.plugin",
    "pytest_memray.plugin",
    "pytest_monitor.pytest_monitor",
    "tallymark.pytest_plugin",
)
# What switches off others that must stay for their options in a project's files, by their names and their modules'.
SWITCHED_OFF = {
    ("xdist", "xdist.plugin"): ("numprocesses", 0),
    ("pytest_cov", "pytest_cov.plugin"): ("no_cov", True),
    ("timeout", "pytest_timeout"): ("timeout", 0.0),
}
OWN_OPTIONS = ("-s", "-q", "--no-header", "--color=no", "--continue-on-collection-errors")
# Options of those that are left out: with a value, without one.
VALUES = (
    "--benchmark-min-time",
    "--benchmark-max-time",
    "--benchmark-min-rounds",
    "--benchmark-timer",
    "--benchmark-calibration-precision",
    "--benchmark-warmup",
    "--benchmark-warmup-iterations",
    "--benchmark-sort",
    "--benchmark-group-by",
    "--benchmark-columns",
    "--benchmark-name",
    "--benchmark-time-unit",
    "--benchmark-prefix",
    "--benchmark-storage",
    "--benchmark-netrc",
    "--benchmark-json",
    "--benchmark-save",
    "--benchmark-compare",
    "--benchmark-compare-fail",
    "--benchmark-histogram",
    "--benchmark-cprofile",
    "--benchmark-cprofile-loops",
    "--benchmark-cprofile-top",
    "--benchmark-cprofile-dump",
    "--codspeed-warmup-time",
    "--codspeed-max-time",
    "--codspeed-max-rounds",
    "--codspeed-mode",
    "--randomly-seed",
    "--reruns",
    "--reruns-delay",
    "--only-rerun",
    "--count",
    "--tally-baseline",
    "--tally-limit",
)
FLAGS = (
    "--benchmark-disable-gc",
    "--benchmark-skip",
    "--benchmark-only",
    "--benchmark-disable",
    "--benchmark-enable",
    "--benchmark-quiet",
    "--benchmark-verbose",
    "--benchmark-autosave",
    "--benchmark-save-data",
    "--codspeed",
    "--randomly-dont-reset-seed",
    "--randomly-dont-reorganize",
    "--instafail",
    "--memray",
    "--tally-update",
    "--tally-allow-uncompared",
    "--tally-disable",
    "--tally",
    "--tally-strict",
)
INIS = (
    "tally_baseline",
    "tally_limits",
    "memray",
    "reruns",
    "reruns_delay",
    "faulthandler_timeout",
    "faulthandler_exit_on_timeout",
)
FIXTURES = ("benchmark", "codspeed_benchmark", "tally")
NAMED_ERROR = re.compile(r"[A-Za-z_][\w.]*(Error|Warning)(:|$)")
LONGEST = 80  # text of a parameter: a longer one is called by its place
MARKERS = ("benchmark", "codspeed_benchmark")
# Dir: from pytest 8 on.
FOLDERS = (pytest.Session, pytest.Package, getattr(pytest, "Dir", pytest.Package))


class Hooks:
    """Those that pytest-benchmark declares, for a project's conftest.py that implements them."""

    @staticmethod
    def pytest_benchmark_scale_unit(config, unit, benchmarks, best, worst, sort):
        pass

    @staticmethod
    def pytest_benchmark_generate_machine_info(config):
        pass

    @staticmethod
    def pytest_benchmark_update_machine_info(config, machine_info):
        pass

    @staticmethod
    def pytest_benchmark_generate_commit_info(config):
        pass

    @staticmethod
    def pytest_benchmark_update_commit_info(config, commit_info):
        pass

    @staticmethod
    def pytest_benchmark_group_stats(config, benchmarks, group_by):
        pass

    @staticmethod
    def pytest_benchmark_generate_json(config, benchmarks, include_data, machine_info, commit_info):
        pass

    @staticmethod
    def pytest_benchmark_update_json(config, benchmarks, output_json):
        pass

    @staticmethod
    def pytest_benchmark_compare_machine_info(
        config, benchmarksession, machine_info, compared_benchmark
    ):
        pass


def returned(args, kwargs):
    return args, kwargs


class Figures(dict):
    """What pytest-benchmark would have measured of one round, when that is known."""

    def take(self, seconds):
        seconds = max(seconds, 1e-9)
        alike = ("min", "max", "mean", "median", "q1", "q3", "ld15iqr", "hd15iqr", "total")
        self.update(dict.fromkeys(alike, seconds), ops=1 / seconds, rounds=1, outliers="0;0")
        self.update(stddev=0, iqr=0, iqr_outliers=0, stddev_outliers=0)
        self.data = self.sorted_data = [seconds]

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    def as_dict(self):
        return dict(self)


class Stats:
    """As pytest-benchmark has it: empty until its benchmark was measured."""

    def __init__(self, benchmark):
        self.stats = Figures()
        self.iterations = 1
        self._benchmark = benchmark

    def __bool__(self):
        return bool(self.stats)

    def __getattr__(self, key):
        if key.startswith("_"):
            raise AttributeError(key)
        if key in ("name", "fullname", "group", "param", "params", "extra_info", "options"):
            return getattr(self._benchmark, key)
        return getattr(self.stats, key)

    def __getitem__(self, key):
        return getattr(self, key)

    def get(self, key, default=None):
        return getattr(self, key, default)

    def as_dict(self, include_data=True, flat=False, stats=True, cprofile=None):
        whole = {key: self[key] for key in ("group", "name", "fullname", "params", "param")}
        whole.update(extra_info=self.extra_info, options=self.options)
        if not stats:
            return whole
        data = {"data": self.stats.data} if include_data else {}
        figures = {**self.stats, **data, "iterations": self.iterations}
        return {**whole, **figures} if flat else {**whole, "stats": figures}


class Benchmark:
    """The fixture, in the call forms of pytest-benchmark and pytest-codspeed."""

    def __init__(self, plugin, item, at_end):
        self._at_end = at_end
        callspec = getattr(item, "callspec", None)
        marker = item.get_closest_marker("benchmark")
        self._plugin = plugin
        self.name = item.name
        self.fullname = item.nodeid
        self.group = marker.kwargs.get("group") if marker else None
        self.param = callspec.id if callspec else None
        self.params = dict(callspec.params) if callspec else None
        self.extra_info = {}
        self.options = dict(marker.kwargs) if marker else {}
        self.stats = Stats(self)
        self.enabled = True
        self.disabled = False
        self.has_error = False
        self.cprofile_stats = None

    def __call__(self, function_to_benchmark, *args, **kwargs):
        return self._measure(function_to_benchmark, args, kwargs)

    def _measure(self, *args, **how):
        result = self._plugin.measure(*args, **how)
        self.stats.stats.take(self._plugin.took())
        return result

    def pedantic(
        self,
        target,
        args=(),
        kwargs=None,
        setup=None,
        teardown=None,
        rounds=1,
        warmup_rounds=0,
        iterations=1,
    ):
        for name, value, least in (
            ("rounds", rounds, 1),
            ("warmup_rounds", warmup_rounds, 0),
            ("iterations", iterations, 1),
        ):
            if not isinstance(value, int) or value < least:
                raise ValueError(
                    f"{name} must be a whole number of at least {least}, not {value!r}"
                )
        if setup is not None and iterations != 1:
            raise ValueError("with a setup, an iteration is a round: iterations must be 1")
        args, kwargs = tuple(args), dict(kwargs or {})
        # pytest-codspeed calls it with the arguments, pytest-benchmark without.
        can_be_called = tally_program.can_be_called
        if setup is not None and not can_be_called(setup) and can_be_called(setup, *args, **kwargs):
            setup = functools.partial(setup, *args, **kwargs)
        if rounds == iterations == 1 and warmup_rounds == 0:
            return self._measure(target, args, kwargs, setup, teardown, first=True)
        rounds_have = iterations if setup is None and teardown is not None else None
        return self._measure(target, args, kwargs, setup, teardown, rounds_have)

    def weave(self, target, **kwargs):
        """What is measured is a call of `target` that something else makes, with its arguments: aspectlib, which the
        interpreter must have, has such a call come here until the test has ended. As with pytest-benchmark, a second
        one is an error."""
        import aspectlib

        def aspect(function):
            return lambda *args, **kwargs: self(function, *args, **kwargs)

        self._at_end(aspectlib.weave(target, aspect, **kwargs).rollback)

    patch = weave


class Tally:
    """The fixture `tally`, of whose measurements the first is the test's."""

    def __init__(self, plugin):
        self._plugin = plugin

    def __call__(self, statement, *args, label=None, **options):
        if not callable(statement):
            raise TypeError(
                "a text is measured by a suite, or by the package tallymark in a run of pytest: give tally() a function"
            )
        return self._plugin.measure(statement, args, {})

    count = time = measure = __call__


class Plugin:
    def __init__(self, ready):
        self._ready = ready
        self._broken = {}  # what could not be collected → why
        self._skipped = {}  # files that were skipped as they were imported, and speak of benchmarks → why
        self._root = None
        self._items = {}
        self._case = None
        self._is_run_by_others = False
        self._stages = [tally_program.CONFIGURED, *tally_program.FOLDER_LISTED]
        self._has_listed = False
        self.has_collected = False

    def pytest_addoption(self, parser):
        group = parser.getgroup("accepted, and of no meaning here")
        for option in VALUES:
            add(group, option, nargs="?", default=None, const=True)
        for option in FLAGS:
            add(group, option, action="store_true", default=False)
        for ini in INIS:
            with contextlib.suppress(ValueError):
                parser.addini(ini, "accepted", default=None)

    def pytest_addhooks(self, pluginmanager):
        pluginmanager.add_hookspecs(Hooks)

    def pytest_configure(self, config):
        self._root = config.rootpath
        for marker in ("benchmark", "codspeed_benchmark", "tally", "flaky", "limit_memory"):
            config.addinivalue_line("markers", f"{marker}: of a plugin that stands aside here")
        config.pluginmanager.register(Marked(self))

    @pytest.fixture
    def benchmark(self, request):
        return Benchmark(self, request.node, request.addfinalizer)

    @pytest.fixture
    def codspeed_benchmark(self, request):
        return Benchmark(self, request.node, request.addfinalizer)

    @pytest.fixture
    def benchmark_weave(self, benchmark):
        return benchmark.weave

    @pytest.fixture
    def tally(self):
        return Tally(self)

    @pytest.hookimpl(hookwrapper=True)  # before plugins that look at their options there
    def pytest_load_initial_conftests(self, early_config):
        tally_program.seal(tally_program.PLUGINS_LOADED)
        switch_others_off(early_config.pluginmanager, early_config.known_args_namespace)
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config):
        switch_others_off(config.pluginmanager, config.option)
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectstart(self, collector):
        """The first, the session, is about to import what it collects; a folder has been listed where a file of it is
        next."""
        is_folder = isinstance(collector, FOLDERS)
        is_file = isinstance(collector, pytest.File) and not is_folder
        if isinstance(collector, pytest.Session) or (is_file and self._has_listed):
            self._seal_next()
        if is_folder or is_file:
            self._has_listed = is_folder

    def _seal_next(self):
        if self._stages:
            tally_program.seal(self._stages.pop(0))

    def pytest_collectreport(self, report):
        if report.failed:
            self._broken[report.nodeid or "the tests' folder"] = str(report.longrepr)
        if report.skipped and self._speaks_of_benchmarks(report.nodeid):
            self._skipped[report.nodeid] = reason_of(report)

    def _speaks_of_benchmarks(self, node):
        try:
            text = (self._root / node).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        return re.search(rf"\b({'|'.join({*FIXTURES, *MARKERS})})\b", text) is not None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        for item in session.items:
            is_marked = any(item.get_closest_marker(marker) for marker in MARKERS)
            if is_marked or has_fixture(item) or names_fixture(item):
                self._items[self._free(item.nodeid)] = item
        self.has_collected = True
        # A new variable would have the C library copy all others, however many there are.
        os.environ["PYTEST_CURRENT_TEST"] = ""
        none = f"of {len(session.items)} tests, none has the fixture benchmark or tally, or the marker benchmark"
        self._ready(self._listed(), self.run, none)
        # No test has run: what pytest keeps of the last ones stays.
        for keeper in ("lfplugin", "nfplugin", "stepwiseplugin"):
            if session.config.pluginmanager.has_plugin(keeper):
                session.config.pluginmanager.unregister(name=keeper)
        return True

    def _listed(self):
        """As tally_program.listed() takes them."""
        taken = set()
        places = {}  # (label, axis) → its values' places, by their identities
        for name, item in self._items.items():
            label, values = parameters_of(name, item)
            numbered = []
            for axis, (value, text) in values.items():
                known = places.setdefault((label, axis), {})
                place = known.setdefault(id(value), len(known))
                numbered.append((axis, text or f"{axis}{place}", f"{axis}{place}"))
            params = tuple((axis, text) for axis, text, _ in numbered)
            if (label, params) in taken:  # their texts are equal, as those of 1 and "1"
                params = tuple((axis, place) for axis, _, place in numbered)
            if params:
                taken.add((label, params))
            yield name, parts_of(label), params, parts_of(name)
        for other in (*self._broken, *self._skipped):
            name = self._free(other)
            yield name, parts_of(name)

    def _free(self, name):
        number, free = 1, name
        while free in self._items:
            number += 1
            free = f"{name} #{number}"
        return free

    def _is_measured_itself(self, item):
        return (
            self._case is not None
            and not self._is_run_by_others
            and any(item.get_closest_marker(marker) for marker in MARKERS)
            and not has_fixture(item)
            and not names_fixture(item)
        )

    def measures_method(self, item):
        """The same of unittest's, which calls a method between its own setUp() and tearDown()."""
        if (
            not isinstance(getattr(item, "instance", None), unittest.TestCase)
            or not self._is_measured_itself(item)
            or inspect.iscoroutinefunction(item.obj)
        ):
            return
        method = item.obj
        item.obj = functools.wraps(method)(lambda: self.measure(method, (), {}))

    def measures_marked(self, item):
        """A test that is marked and has no fixture of these is what is measured itself. Whether it is one."""
        if not self._is_measured_itself(item):
            return False
        if inspect.iscoroutinefunction(item.obj):
            # A plugin runs it, anyio's for one, in the loop that its fixtures are in.
            self._is_run_by_others = True
            self.measure(item.ihook.pytest_pyfunc_call, (), {"pyfuncitem": item})
            return True
        names = item._fixtureinfo.argnames
        self.measure(item.obj, (), {name: item.funcargs[name] for name in names})
        return True

    def measure(
        self, function, args, kwargs, setup=None, teardown=None, executions=None, first=False
    ):
        """As tally_program.Case.measure() has it, or measure_first()."""
        if self._case.begun:
            raise RuntimeError(
                "a test has one measurement, and this one begins a second one: parametrise it"
            )
        if not tally_program.is_coroutine_function(function):
            return self._measure(function, args, kwargs, setup, teardown, executions, first)
        if in_trio():
            raise RuntimeError(
                "a coroutine function is run by asyncio, and this test is run by trio: give the test itself the "
                "marker benchmark, and no fixture benchmark"
            )
        with no_loop_running(), tally_program.run_to_its_end(function) as run:
            return self._measure(run, args, kwargs, setup, teardown, executions, first)

    def took(self):
        """Seconds of the last call that was measured."""
        return self._case.took

    def _measure(self, function, args, kwargs, setup, teardown, executions, first):
        if first:
            return self._case.measure_first(function, args, kwargs, setup, teardown)()
        return self._case.measure(function, args, kwargs, setup, teardown, executions)

    def run(self, case):
        from _pytest.runner import runtestprotocol

        if case.name in self._broken:
            return "it cannot be collected: " + last_line(self._broken[case.name]), self._broken[
                case.name
            ]
        if case.name in self._skipped:
            return case.skip(self._skipped[case.name])
        self._case = case
        item = self._items[case.name]
        with its_warnings(item):
            reports = runtestprotocol(item, log=False, nextitem=None)
        for report in reports:
            if report.failed:
                text = report.longreprtext
                # That it is in its setup, the stage says.
                where = {"setup": "", "call": "the test fails: "}.get(report.when, "teardown: ")
                return f"{where}{last_line(text)}", text
            if report.skipped:
                return case.skip(reason_of(report))
        if not case.begun and not has_fixture(item):
            return case.skip("it may ask for a fixture that benchmarks, and has not")
        return None


class Marked:
    """Registered after other plugins, and so called before them: anyio's would run a test that is to be measured."""

    def __init__(self, plugin):
        self._plugin = plugin

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item):
        self._plugin.measures_method(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        return self._plugin.measures_marked(pyfuncitem) or None


def its_warnings(item):
    """The filters that a test has by marks and options: pytest sets them around what it does with a test, not in it."""
    if not item.config.pluginmanager.has_plugin("warnings"):
        return contextlib.nullcontext()
    from _pytest.warnings import catch_warnings_for_item

    return catch_warnings_for_item(item.config, item.ihook, "runtest", item)


def reason_of(report):
    """Why it was skipped."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return tally_program.one_line(text.removeprefix("Skipped: "))


def in_trio():
    trio = sys.modules.get("trio")
    return trio is not None and getattr(trio.lowlevel, "in_trio_run", bool)()


@contextlib.contextmanager
def no_loop_running():
    """A test that is a coroutine is run by a loop of asyncio's, and meanwhile another loop may run. What belongs to the
    test's own loop, such as a future, raises there."""
    asyncio, loop = tally_program.running_loop()
    if loop is None:
        yield
        return
    task = asyncio.current_task()
    if task is not None:
        asyncio.tasks._leave_task(loop, task)
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)
        if task is not None:
            asyncio.tasks._enter_task(loop, task)


def is_ours(definition):
    code = getattr(definition.func, "__code__", None)
    return code is not None and code.co_filename.startswith("<tally")


def reaches_ours(name, definitions):
    """Whether the last of a fixture's definitions is ours, or takes what it returns from one before it that is."""
    for one in reversed(definitions or ()):
        if is_ours(one):
            return True
        if name not in one.argnames and name not in fixtures_named_in(one.func):
            return False
    return False


def has_fixture(item):
    """Whether a test has a fixture that measures, and not one of its project's own that is only called so."""
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    return any(
        name in known and reaches_ours(name, known[name])
        for name in FIXTURES
        if name in getattr(item, "fixturenames", ())
    )


def names_fixture(item):
    """Whether a test, or a fixture that it has by its name, may request one that measures: by
    request.getfixturevalue("benchmark")."""
    info = getattr(item, "_fixtureinfo", None)
    if info is None:
        return False
    fixtures = list(info.argnames)
    for mark in item.iter_markers("usefixtures"):
        fixtures += mark.args
    functions = [getattr(item, "function", None)]
    for name in fixtures:
        for one in info.name2fixturedefs.get(name) or ():
            functions.append(one.func)
            fixtures += [other for other in one.argnames if other not in fixtures]
    named = {name for function in functions for name in fixtures_named_in(function)}
    return any(reaches_ours(name, definitions_of(name, item)) for name in named)


def fixtures_named_in(function):
    """Those of ours that its code has the names of, where it requests fixtures by name. One that looks which fixtures a
    test has anyway requests none besides."""
    names, constants = set(), set()
    codes = [getattr(inspect.unwrap(function), "__code__", None)] if callable(function) else []
    for code in codes:
        if code is None:
            continue
        names.update(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, tuple):
                constants.update(one for one in constant if isinstance(one, str))
            elif isinstance(constant, str):
                constants.add(constant)
            elif isinstance(constant, type(code)):
                codes.append(constant)
    requests = "getfixturevalue" in names and "fixturenames" not in names
    return constants.intersection(FIXTURES) if requests else set()


def definitions_of(name, item):
    """Of a fixture, as the item finds it: the last one is the nearest."""
    find = item.session._fixturemanager.getfixturedefs
    # Before pytest 8.1 it has a node's name.
    of_name = "nodeid" in inspect.signature(find).parameters
    return find(name, item.nodeid if of_name else item)


def add(group, option, **how):
    with contextlib.suppress(ValueError):  # a plugin that is there has it
        group.addoption(option, **how)


def last_line(text):
    """Of a report, the error itself: 'E   ValueError: no such file'; of a group of errors, which comes as a traceback
    of many, the first that has a name."""
    errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    lines = [line.strip(" |+-") for line in text.splitlines() if line.strip(" |+-")]
    named = [line for line in lines if NAMED_ERROR.match(line)]
    return ((errors or named)[:1] or lines[-1:] or ["without a word"])[0]


def parameters_of(name, item):
    """(name without its parameters, {parameter: (value, what it is called on its axis, or None)})."""
    callspec = getattr(item, "callspec", None)
    test = getattr(item, "originalname", None)
    if callspec is None or not callspec.params or not test or not item.nodeid.endswith(item.name):
        return name, {}
    within = len(item.nodeid) - len(item.name)
    label = name[:within] + test + name[len(item.nodeid) :]
    ids = list(getattr(callspec, "_idlist", ()))
    values = {}
    for place, (axis, value) in enumerate(callspec.params.items()):
        text = text_of(value)
        if text is None and len(ids) == len(callspec.params):
            text = tally_program.one_line(str(ids[place]))
        values[axis] = value, text if text and len(text) <= LONGEST else None
    return label, values


def text_of(value):
    """What a parameter's value is called, where that says all of it; else None."""
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, str):
        return tally_program.one_line(value)
    named = getattr(value, "__name__", None)  # a class, a function
    return tally_program.one_line(named) if isinstance(named, str) else None


def parts_of(node):
    """bench/test_x.py::test_a[a/b] is bench, test_x.py::test_a[a/b]"""
    path, colons, test = node.partition("::")
    *folders, file = [part for part in path.split("/") if part] or [path]
    return [*folders, file + colons + test]


def switch_others_off(manager, options):
    """Those that are there: a project may have left one out, and would have none of its options."""
    for names, (option, value) in SWITCHED_OFF.items():
        if any(manager.has_plugin(name) for name in names):
            setattr(options, option, value)


def stop_its_clock():
    """pytest asks when a test began, which nobody reads here; a case that asks for the time of day is reported."""
    from _pytest import timing

    timing.time = float


class QuietOs:
    """The module os, whose getpid() is no call of that name."""

    @staticmethod
    def getpid():
        return int(os.readlink("/proc/self"))

    def __getattr__(self, name):
        return getattr(os, name)


def hide_its_number():
    """pytest locks temporary folders by the number of its process; a case that asks for that is reported to."""
    from _pytest import pathlib

    pathlib.os = QuietOs()


def seal_before_plugins():
    """pytest has no hook between its options and the plugins that it loads by them."""
    from _pytest.config import PytestPluginManager

    load = PytestPluginManager.consider_preparse

    def seal_and_load(manager, args, *, exclude_only=False):
        if not exclude_only:
            tally_program.seal(tally_program.OPTIONS_READ)
        load(manager, args, exclude_only=exclude_only)

    PytestPluginManager.consider_preparse = seal_and_load


def keep_left_out():
    """A -p NAME would bring one back that is left out."""
    from _pytest.config import PytestPluginManager

    names = {*LEFT_OUT, *(f"pytest_{name}" for name in LEFT_OUT), *MODULES_LEFT_OUT}
    consider = PytestPluginManager.consider_pluginarg

    def consider_others(manager, arg):
        if arg not in names:
            consider(manager, arg)

    PytestPluginManager.consider_pluginarg = consider_others


def collect(paths, arguments, ready):
    stop_its_clock()
    hide_its_number()
    seal_before_plugins()
    keep_left_out()
    left_out = (*LEFT_OUT, *MODULES_LEFT_OUT)
    options = [option for plugin in left_out for option in ("-p", f"no:{plugin}")]
    sys.argv[:] = ["pytest", *arguments, *paths]
    plugin = Plugin(ready)
    code = pytest.main([*options, *OWN_OPTIONS, *arguments, *paths], plugins=[plugin])
    if not plugin.has_collected:
        sys.exit(int(code) or 1)
