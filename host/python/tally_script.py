"""A Python file with functions marked by @tallymark.bench as the framework of a program.

The package tallymark, in the interpreter that runs the file, keeps what was marked: python/tallymark/_bench.py. A file
is imported once, in the host, as a module of its own name; a child executes one function.
"""

import os
import sys

import _tally_host
import tally_program

NO_PAUSE = (
    "state.pause() is not supported here yet: let state.each(make) make the data of an execution"
)


class Measured:
    """The loop of a state, measured as the case's: tallymark._bench.Loop."""

    def __init__(self, case, begin):
        self._case = case
        self.begin = begin
        self.skip = case.skip

    @staticmethod
    def pause():
        if not hasattr(_tally_host, "pause"):
            raise RuntimeError(NO_PAUSE)
        _tally_host.pause()

    @staticmethod
    def resume():
        if not hasattr(_tally_host, "resume"):
            raise RuntimeError(NO_PAUSE)
        _tally_host.resume()

    def counter(self, name, value, is_rate):
        self._case.counters.append(f"{int(is_rate)}\t{value.hex()}\t{name}")


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

    def add(self, file, parts, benchmark, values):
        label = (*file.label, *parts)
        first, number = "/".join(label), 1
        name = first
        while name in self.cases:
            number += 1
            name = f"{first} #{number}"
        if number > 1:
            label = (*label[:-1], f"{label[-1]} #{number}")
        self.cases[name] = (file, benchmark, values)
        self.labels.append((name, label))

    def listed(self, files):
        """Gives pairs (name, parts of the label), where the list is read, which is not in a host."""
        yield from self.labels
        for file in files:
            file.show_kept()

    def load(self, file, arguments):
        for benchmark in file.load(arguments):
            for text, values in benchmark.cases():
                parts = [part for part in benchmark.label.split("/") if part]
                self.add(file, (*parts, text) if text else parts, benchmark, values)
        if file.failure is not None:
            self.add(file, [os.path.basename(file.path)], None, {})
        file.leave()

    def run(self, case):
        file, benchmark, values = self.cases[case.name]
        if benchmark is None:
            return file.failure
        file.enter()
        try:
            if benchmark.takes_state():
                state_of = sys.modules["tallymark._bench"].State
                case.measure_loop(
                    lambda begin: benchmark.function(state_of(values, loop=Measured(case, begin)))
                )
            else:
                case.measure(benchmark.function, (), values)
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
    for file in files:
        program.load(file, arguments)
    sys.argv[:] = [""]
    ready(program.listed(files), program.run, "no function is marked by @tallymark.bench")
