"""pyperf as the framework of a program: scripts with a pyperf.Runner, each of which runs unchanged as `__main__`.

pyperf runs a script anew in each of its workers, which measures one benchmark in it and passes over the others. A child
of the host does the same: it runs the script, measures the one benchmark where the script reaches it, and continues to
the script's end. So a benchmark finds what the script has made by then, and what it removes afterwards is still there.
The host itself does only the imports that a script begins with; to list, the scripts run without a measurement.

What is in a count, for each method of Runner:
bench_func: the call func(*args).
bench_async_func: run_until_complete(func(*args)) on an event loop that was made before.
bench_time_func: the call func(1, *args), with all that it does besides: its own loop, its clock, what it prepares.
timeit: the statement, with the setup's variables as its locals, and the step of a generator that it is in.
bench_command: the whole command with all of its processes, as of `tally command`. Nothing of the script is: the list
    has the command, where it runs, and the variables that the script has set for it.
"""

import ast
import os
import sys

import pyperf
import tally_program

NAME_OF_TEXT = "<timeit>"
COMMAND = "it is a command, and is measured as one: the list is another one than this run's"


class Script(tally_program.SourceFile):
    def __init__(self, path, label):
        super().__init__(path, label)
        self.code = None
        self.error = None
        try:
            with open(self.file, "rb") as file:
                self.tree = compile(file.read(), self.file, "exec", ast.PyCF_ONLY_AST, True)
            self.code = compile(self.tree, self.file, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError) as error:
            self.error = error

    def run(self, arguments):
        """As `python script arguments`. None, or (message, detail) where it has failed."""
        import importlib.machinery

        if self.error is not None:
            return tally_program.describe(self.error)
        module = type(sys)("__main__")
        loader = importlib.machinery.SourceFileLoader("__main__", self.file)
        module.__dict__.update(
            __file__=self.file, __cached__=None, __loader__=loader, __builtins__=__builtins__
        )
        MAINS.append(module)
        sys.modules["__main__"] = module
        sys.argv[:] = [self.path, *arguments]
        self.enter()
        try:
            exec(self.code, module.__dict__)
        except SystemExit as end:
            if end.code in (None, 0):
                return None
            return end_of(end.code), tally_program.describe(end)[1]
        except BaseException as error:
            return tally_program.describe(error)
        return None

    def owns(self, module, file):
        return module not in MAINS and super().owns(module, file)

    def import_what_it_begins_with(self, arguments):
        """In the host, once. A child imports what comes after anything that may change what an import does."""
        names = {"__name__": "__main__", "__file__": self.file, "__builtins__": __builtins__}
        if self.code is None:
            return
        sys.argv[:] = [self.path, *arguments]
        self.enter()
        for node in leading_imports(self.tree.body):
            try:
                exec(compile(ast.Module([node], []), self.file, "exec", dont_inherit=True), names)
            except BaseException:  # SystemExit too, of a script that needs a module
                break  # the script's own to say
        self.leave()
        sys.argv[:] = [""]


MAINS = []  # kept, with all that they refer to


def is_import(node):
    return isinstance(node, (ast.Import, ast.ImportFrom))


def leading_imports(body):
    """The imports that come before the first statement that does anything else, and `try` around imports alone."""
    found = []
    for node in body:
        is_quiet = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        is_constant = isinstance(node, (ast.Expr, ast.Assign)) and isinstance(
            node.value, ast.Constant
        )
        is_attempt = isinstance(node, ast.Try) and all(
            is_import(inner) for inner in [*node.body, *node.orelse, *node.finalbody]
        )
        if is_import(node) or is_attempt:
            found.append(node)
        elif not (is_quiet or is_constant):
            break
    return found


def end_of(code):
    """In one line, why a script that has called sys.exit(code) has failed."""
    if isinstance(code, int):
        return f"the script ends with exit code {code}: its output says why"
    return f"the script ends: {str(code).strip().splitlines()[0] if str(code).strip() else code!r}"


class Door:
    """What stands in the place of Runner's measuring methods. `visit(name, measure, command)` is called for each
    benchmark that a script reaches; measure(case) measures it, unless it is a command."""

    def __init__(self):
        self.visit = None
        self.names = set()
        self.environment = {}  # before a script that is listed

    def install(self):
        runner = pyperf.Runner
        runner.parse_args = self.parsing(runner.parse_args)
        runner.bench_func = self.method("bench_func", self.bench_func)
        runner.bench_async_func = self.method("bench_async_func", self.bench_async_func)
        runner.bench_time_func = self.method("bench_time_func", self.bench_time_func)
        runner.timeit = self.method("timeit", self.timeit)
        runner.bench_command = self.method("bench_command", self.bench_command)

    def begin(self, visit):
        """A script is about to run, of which pyperf allows one in a process."""
        self.visit = visit
        self.names = set()
        getattr(pyperf.Runner, "_created", set()).clear()

    @staticmethod
    def parsing(parse):
        def refuse(message):
            sys.exit(f"its arguments, which follow --: {message}")

        def parse_args(runner, args=None):
            runner.argparser.error = refuse
            parsed = parse(runner, args)
            # As in the process of pyperf's that measures: a script may prepare something only there.
            parsed.worker = True
            return parsed

        return parse_args

    def method(self, its_name, prepare):
        """A method of Runner's: `prepare` checks the arguments, and gives what measures with them, and how many loops
        are in that. Of a command: None, and its words."""

        def bench(runner, name, *args, **kwargs):
            kwargs.pop("metadata", None)
            inner_loops = kwargs.pop("inner_loops", None)
            # The script's own options: an error in them ends it where pyperf would end it.
            runner.parse_args()
            if name in self.names:
                raise ValueError(f"duplicated benchmark name: {name!r}")
            self.names.add(name)
            measure, what = prepare(name, *args, **kwargs)
            if measure is None:
                self.visit(str(name), None, self.line_of(what))
            else:
                self.visit(str(name), with_note(measure, (inner_loops or 1) * what), None)

        bench.__name__ = bench.__qualname__ = its_name
        return bench

    @staticmethod
    def bench_func(_name, func, *args):
        return (lambda case: case.measure(func, args)), 1

    @staticmethod
    def bench_time_func(_name, time_func, *args):
        return (lambda case: case.measure(time_func, (1, *args))), 1

    @staticmethod
    def bench_async_func(_name, func, *args, loop_factory=None):
        def measure(case):
            import asyncio

            loop = (loop_factory or asyncio.new_event_loop)()
            asyncio.set_event_loop(loop)
            run = loop.run_until_complete
            try:
                case.measure(lambda: run(func(*args)))
            finally:
                asyncio.set_event_loop(None)
                loop.close()

        return measure, 1

    @staticmethod
    def timeit(name, stmt=None, setup="pass", teardown="pass", duplicate=None, globals=None):
        texts = [lines_of(text) for text in (name if stmt is None else stmt, setup, teardown)]
        if not texts[0]:
            raise ValueError("need at least one statement")
        times = max(duplicate or 1, 1)
        parts = [parsed(text) for text in (texts[1], texts[0] * times, texts[2])]

        def measure(case):
            # pyperf does it for the imports of such texts.
            sys.path.insert(0, os.curdir)
            steps = generator_of(*parts)(dict(globals or {}))
            next(steps)
            case.measure(steps.__next__)
            steps.close()

        return measure, times

    @staticmethod
    def bench_command(_name, command):
        words = [os.fspath(word) for word in command]
        if not words or not all(isinstance(word, str) for word in words):
            raise TypeError(f"a command is a list of texts, and not {command!r}")
        return None, words

    def line_of(self, command):
        """As tally_program.listed() takes it."""
        changed = {
            name: value for name, value in os.environ.items() if self.environment.get(name) != value
        }
        return {"command": command, "folder": os.getcwd(), "environment": changed}


def with_note(measure, inner_loops):
    def measure_and_say(case):
        if inner_loops > 1:
            case.note = f"{inner_loops} inner loops in one execution"
        measure(case)

    return measure_and_say


def lines_of(text):
    """A text of timeit, or several, without those that are empty."""
    texts = (text,) if isinstance(text, str) else text
    return [one.rstrip() for one in texts if one.strip()]


def parsed(texts):
    """As a program by itself: what would leave a function or a loop is none."""
    tree = ast.parse("\n".join(texts), NAME_OF_TEXT)
    compile(tree, NAME_OF_TEXT, "exec", dont_inherit=True)
    return tree.body


def generator_of(setup, stmt, teardown):
    """function(globals) -> a generator whose first step is the setup, and whose every other one executes the statement;
    closing it is the teardown. All are one function, as in timeit, and none of its names is ours."""
    step = ast.Expr(ast.Yield())
    loop = ast.While(ast.Constant(True), [step, *stmt], [])
    body = [*setup, ast.Try([loop], [], [], teardown or [ast.Pass()])]
    tree = ast.parse("def inner(): pass", NAME_OF_TEXT)
    tree.body[0].body = body
    module = compile(ast.fix_missing_locations(tree), NAME_OF_TEXT, "exec", dont_inherit=True)
    code = next(one for one in module.co_consts if isinstance(one, type(module)))

    def start(names):
        names.setdefault("__builtins__", __builtins__)
        return type(start)(code, names)()

    return start


class Program:
    """All scripts, in the host and in its children."""

    def __init__(self, paths, arguments):
        # A script that is named twice is one.
        paths = list({os.path.abspath(path): path for path in paths}.values())
        self.arguments = arguments
        self.scripts = [
            Script(path, label) for path, label in zip(paths, tally_program.labels_of(paths))
        ]
        self.door = Door()
        self.door.install()

    def listed(self):
        """Gives what tally_program.listed() takes of all benchmarks; runs every script."""
        for script in self.scripts:
            benchmarks = []
            self.door.begin(lambda name, _, command, to=benchmarks: to.append((name, command)))
            self.door.environment = dict(os.environ)
            failure = script.run(self.arguments)
            script.leave()
            if failure is not None:
                benchmarks.append((os.path.basename(script.path), None))
            for name, command in benchmarks:
                label = (*script.label, name)
                yield self.name_of(script, name), label, (), (), False, command
        for script in self.scripts:
            script.show_kept()

    @staticmethod
    def name_of(script, benchmark):
        return "/".join((*script.label, benchmark))

    def run(self, case):
        """In a child: (message, detail) where it went wrong."""
        script = next(one for one in self.scripts if case.name.startswith(self.name_of(one, "")))
        seen = []

        def visit(name, measure, _command):
            if self.name_of(script, name) == case.name:
                seen.append(name)
                if measure is None:
                    case.skip(COMMAND)
                else:
                    measure(case)

        self.door.begin(visit)
        failure = script.run(self.arguments)
        if failure is None and not seen:
            return f"the script ends without having reached {case.name}", ""
        return failure


def collect(paths, arguments, ready):
    program = Program(paths, arguments)
    tally_program.seal(tally_program.CONFIGURED)
    for script in program.scripts:
        script.import_what_it_begins_with(arguments)
    # The scripts run where the list is read, which is not in a host.
    ready(program.listed(), program.run, "no script has called a method of pyperf.Runner")
