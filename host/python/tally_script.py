"""A Python file with functions marked by @tallymark.bench as the framework of a program.

The package tallymark, in the interpreter that runs the file, keeps what was marked: python/tallymark/_bench.py. A file
is imported once, in the host, as a module of its own name; a child executes one function.
"""

import contextlib
import os
import sys

import _tally_host
import tally_program

MOST_PAUSES = 20  # in an execution of an empty loop; of more, two such loops say what each costs


class Measured:
    """The loop of a state, measured as the case's: tallymark._bench.Loop."""

    pause = staticmethod(_tally_host.pause)
    resume = staticmethod(_tally_host.resume)

    def __init__(self, case, begin):
        self._case = case
        self.begin = begin
        self.skip = case.skip

    def counter(self, name, value, is_rate):
        self._case.counters.append(f"{int(is_rate)}\t{value.hex()}\t{name}")


def watched(state_of, numbers):
    """A State where nothing is measured, which counts the pauses: those by pause() alone, and those of `with`."""

    class Pause:
        def __enter__(self):
            numbers[0] -= 1
            numbers[1] += 1

        def __exit__(self, *error):
            pass

    class WatchedState(state_of):
        def pause(self):
            numbers[0] += 1
            return Pause()

        def resume(self):
            pass

    numbers[:] = [0, 0]
    return WatchedState


class Pauses:
    """Of a benchmark's loop, as tally_program.Case.measure_loop() takes them: those by pause() and resume(), and those
    by `with state.pause():`, each of which costs what it costs."""

    def __init__(self, function):
        self.numbers = [0, 0]
        self.state = None
        # One that does so only now and then is known by its text, and what it costs by `with`.
        named = getattr(getattr(function, "__code__", None), "co_names", ())
        self._otherwise = b"0 1" if "pause" in named else b""

    def number(self):
        return b"%d %d" % tuple(self.numbers) if any(self.numbers) else self._otherwise

    def empty(self, numbers):
        plain, managed = map(int, numbers.split())
        shrink = max(1, (plain + managed) / MOST_PAUSES)
        body = ["  state.pause()", "  state.resume()"] * round(plain / shrink)
        body += ["  with state.pause():", "   pass"] * round(managed / shrink)
        text = "\n".join(["def run(state, phase):", " for _ in phase:", *body])
        names = {}
        exec(compile(text, "<tally pauses>", "exec"), names)
        return lambda phase: names["run"](self.state, phase)


class File(tally_program.SourceFile):
    def __init__(self, path, label):
        super().__init__(path, label)
        self.failure = None

    def load(self, arguments):
        """Imports it, and returns what it has marked by then."""
        from importlib.util import module_from_spec, spec_from_file_location

        registered = sys.modules["tallymark._bench"].registered
        before = len(registered)
        sys.argv[:] = [self.path, *arguments]
        self.enter()
        name = os.path.splitext(os.path.basename(self.file))[0]
        while name in sys.modules:
            name += "_"
        module = module_from_spec(spec_from_file_location(name, self.file))
        sys.modules[name] = module
        try:
            module.__spec__.loader.exec_module(module)
        except BaseException as error:  # SystemExit too
            self.failure = tally_program.describe(error)
        return registered[before:]

    def owns(self, module, file):
        return not file.startswith(PACKAGE[0]) and super().owns(module, file)


class Program:
    def __init__(self):
        self.cases = {}  # name → (file, benchmark or None where the file has failed, values)
        self.labels = []

    def add(self, file, parts, benchmark, values, text="", shown=()):
        """`text` says all values of its parameters, and `shown` has a text for each."""
        label = (*file.label, *parts, text) if text else (*file.label, *parts)
        first, number = "/".join(label), 1
        name = first
        while name in self.cases:
            number += 1
            name = f"{first} #{number}"
        if number > 1:
            label = (*label[:-1], f"{label[-1]} #{number}")
        self.cases[name] = (file, benchmark, values)
        if shown:
            self.labels.append((name, label[:-1], tuple(shown.items()), label))
        else:
            self.labels.append((name, label))

    def listed(self, files):
        """Gives what tally_program.listed() takes, where the list is read, which is not in a host."""
        yield from self.labels
        for file in files:
            file.show_kept()

    def load(self, file, arguments):
        for benchmark in file.load(arguments):
            parts = [part for part in benchmark.label.split("/") if part]
            for text, values, *shown in benchmark.cases():
                self.add(file, parts, benchmark, values, text, *shown)
        if file.failure is not None:
            self.add(file, [os.path.basename(file.path)], None, {})
        file.leave()

    @staticmethod
    def run_loop(case, function, values, pauses):
        state_of = sys.modules["tallymark._bench"].State

        def run(begin, sizing):
            of = watched(state_of, pauses.numbers) if sizing else state_of
            pauses.state = of(values, loop=Measured(case, begin))
            function(pauses.state)

        case.measure_loop(run, pauses)

    def run(self, case):
        file, benchmark, values = self.cases[case.name]
        if benchmark is None:
            return file.failure
        file.enter()
        function = benchmark.function
        is_coroutine = tally_program.is_coroutine_function(function)
        runs = tally_program.run_to_its_end if is_coroutine else contextlib.nullcontext
        try:
            with runs(function) as called:
                if benchmark.takes_state():
                    self.run_loop(case, called, values, Pauses(function))
                else:
                    case.measure(called, (), values)
        except BaseException as error:
            return tally_program.describe(error)
        return None


PACKAGE = []


def collect(paths, arguments, ready):
    try:
        import tallymark._bench
    except ImportError as error:
        tally_program.refuse(
            f"{sys.executable} has no package tallymark with the decorator bench ({error}): install "
            "tallymark there, or name another interpreter with --python"
        )
    PACKAGE.append(os.path.dirname(os.path.abspath(tallymark._bench.__file__)) + os.sep)
    # A file that is named twice is one.
    paths = list({os.path.abspath(path): path for path in paths}.values())
    program = Program()
    files = [File(path, label) for path, label in zip(paths, tally_program.labels_of(paths))]
    tally_program.seal(tally_program.CONFIGURED)
    for file in files:
        program.load(file, arguments)
    sys.argv[:] = [""]
    ready(program.listed(files), program.run, "no function is marked by @tallymark.bench")
