"""The Python host's other half: imports what the toolchain requires, then turns each request into a
function and runs it.

Started by the runner as `python3 -c BOOT MODULE... -- WARM_UP [-- DEVICE SYNC]`, with this file and the extension as
open descriptors, and without the variables of the user's shell, so that no path of ours or theirs enters the
interpreter's start (a longer one would move the heap of every case).
"""

import ast
import gc
import os
import random  # for seed(): a setup that imports it must find it seeded, or each run sorts other numbers (1.4 %)
import sys
import traceback

import _tally_host
import tally_start

# A traceback's line is part * PART_STRIDE + line: parts are numbered through setup and statement,
# and the runner, which knows where each part stands in the suite, turns the number back into file
# and line.
PART_STRIDE = _tally_host.PART_STRIDE
FILE_NAME = "<tally>"
LOAD_NAME = "<tally load>"
HOOK_NAME = "<tally hook>"
# Names of ours beside those of the user: no source can say one, for a blank is in it.
CASE, BASELINE, STATEMENT = "<case>", "tally baseline", "tally statement"
ROUND, VALUES = "tally round", "tally values"
CODE, FUNCTION = type(compile("", "", "exec")), type(lambda: None)


class Syntax(Exception):
    """A part that does not compile: (part, error)."""


# Where one of these is called, any name may be meant.
LOOK_UP = frozenset(("dir", "eval", "exec", "globals", "locals", "vars"))
# What one writes instead of what a module refuses, by the beginning of the compiler's words.
INSTEAD = {
    "'return' outside": "leave it out: a statement ends with its text, and a function can be defined in the setup",
    "'yield": "run the generator that is meant: list(g())",
    "'break' outside": "leave it out: the loop that measures is not the statement's",
    "'continue' not": "leave it out: the loop that measures is not the statement's",
    "'await'": "run a coroutine to its end: asyncio.run(f())",
    "'async": "run a coroutine to its end: asyncio.run(f())",
    "asynchronous": "run a coroutine to its end: asyncio.run(f())",
}


def parse_parts(parts, first):
    body = []
    for number, text in enumerate(parts, first):
        try:
            tree = ast.parse(text, FILE_NAME)
        except (SyntaxError, ValueError) as error:
            raise Syntax(number, error) from None
        if number:
            ast.increment_lineno(tree, number * PART_STRIDE)
        body += tree.body
    return body


def compiled(body):
    """A module of these statements. What only the compiler refuses has its place in the user's text: return, …"""
    module = ast.fix_missing_locations(ast.Module(body, []))
    try:
        return compile(module, FILE_NAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Syntax((error.lineno or 0) // PART_STRIDE, error) from None


class Globals(ast.NodeTransformer):
    """Takes the `global` statements of the case's function out of it. As programs setup and statement may both say one,
    or the second one of what the first has bound; a function says it once, at its beginning."""

    def __init__(self):
        self.names = []

    def visit_Global(self, node):
        self.names += [one for one in node.names if one not in self.names]
        return ast.copy_location(ast.Pass(), node)

    def leave(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = leave

    def taken_from(self, body):
        changed = [self.visit(node) for node in body]
        return [new for old, new in zip(body, changed) if not isinstance(old, ast.Global)]


def parse_case(setup_parts, stmt_parts):
    """(setup, statement), each of which would be a program by itself: within the function and the loop that they are
    put into, a `return` or `continue` would be legal, and end what is measured."""
    setup = parse_parts(setup_parts, 0)
    stmt = parse_parts(stmt_parts, len(setup_parts))
    compiled(setup)
    compiled(stmt)
    if any("global" in text for text in setup_parts + stmt_parts):
        said = Globals()
        setup, stmt = said.taken_from(setup), said.taken_from(stmt)
        setup = [ast.Global(said.names), *setup] if said.names else setup
    return setup, stmt


def refuse(node, message):
    error = SyntaxError(message)
    error.lineno = node.lineno
    raise Syntax(node.lineno // PART_STRIDE, error)


def is_future(node):
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def is_star(node):
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def leading_imports(setup):
    """How many statements a text begins with that are imports, or a comment in quotes."""
    for number, node in enumerate(setup):
        comment = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, (ast.Import, ast.ImportFrom, ast.Global)) and not comment:
            return number
    return len(setup)


def has_stars(setup, stmt):
    """Whether the setup begins with an `import *`. A function can have none; what it brings must be known when the case
    is compiled, and is so where it comes before all else."""
    allowed = [node for node in setup[: leading_imports(setup)] if is_star(node)]
    for node in ast.walk(ast.Module(setup + stmt, [])):
        if is_star(node) and node not in allowed:
            refuse(
                node,
                f"'from {node.module} import *' can only begin the setup: move it there, or name what is used of it",
            )
    return bool(allowed)


def brought_by(star, used):
    """`from module import a, b`: those of an `import *` that the case uses, or all where it looks names up."""
    names = {"__name__": "__main__", "__builtins__": __builtins__}
    given = list(names)
    exec(compiled([star]), names)
    kept = [one for one in names if one not in given and (used & LOOK_UP or one in used)]
    node = ast.ImportFrom(star.module, [ast.alias(one) for one in kept], star.level)
    return [ast.copy_location(node, star)] if kept else []


def expand_stars(setup, stmt):
    """The setup without an `import *`. Runs the imports that it begins with; they run again with the rest, which only
    binds their names."""
    used = {
        node.id for node in ast.walk(ast.Module(setup + stmt, [])) if isinstance(node, ast.Name)
    }
    expanded = []
    for node in setup[: leading_imports(setup)]:
        if is_star(node):
            expanded += brought_by(node, used)
            continue
        exec(compiled([node]), {"__name__": "__main__", "__builtins__": __builtins__})
        expanded.append(node)
    return expanded + setup[leading_imports(setup) :]


def loop(iterator, body):
    target = ast.Name(ROUND, ast.Store())
    return ast.For(target, ast.Name(iterator, ast.Load()), body or [ast.Pass()], [], None)


def own(name):
    """The variable of the case's function that the statement alone sees under this name."""
    return name + " "


def taken(name):
    """`name = values.pop("name")`"""
    values = ast.Attribute(ast.Name(VALUES, ast.Load()), "pop", ast.Load())
    call = ast.Call(values, [ast.Constant(name)], [])
    return ast.Assign([ast.Name(own(name), ast.Store())], call)


def make_case(setup, stmt, names, values):
    """A function of two iterators, with the setup's variables as its locals, as timeit does it, and `names` as its
    globals. `values` are variables of the statement's; the dictionary is empty afterwards."""
    for node in ast.walk(ast.Module(stmt, [])) if values else ():
        if isinstance(node, ast.Name) and node.id in values:
            node.id = own(node.id)
    arguments = [ast.arg(BASELINE), ast.arg(STATEMENT)] + ([ast.arg(VALUES)] if values else [])
    signature = ast.arguments(
        posonlyargs=[],
        args=arguments,
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[],
    )
    future = [one for one in setup if is_future(one)]
    setup = [one for one in setup if not is_future(one)]
    body = [taken(name) for name in values] + setup + [loop(BASELINE, []), loop(STATEMENT, stmt)]
    extra = {"type_params": []} if sys.version_info >= (3, 12) else {}
    function = ast.FunctionDef(CASE, signature, body, [], None, None, **extra)
    constants = compiled([*future, function]).co_consts
    code = next(one for one in constants if isinstance(one, CODE))
    return FUNCTION(code, names, CASE, (values,) if values else None)


def run_texts(texts, file_name, names):
    for text in texts:
        exec(compile(text, file_name, "exec", dont_inherit=True), names)


def compile_hook(texts):
    if not texts:
        return None
    codes = [compile(text, HOOK_NAME, "exec", dont_inherit=True) for text in texts]

    def hook(run=exec):  # whatever the case does to the builtins
        for code in codes:
            run(code, MODULES)

    return hook


def describe_syntax(failure):
    part, error = failure.args
    line = (getattr(error, "lineno", None) or 1) % PART_STRIDE
    message = f"{type(error).__name__}: {getattr(error, 'msg', error)}"
    for words, instead in INSTEAD.items():
        if getattr(error, "msg", "").startswith(words):
            message += f"; {instead}"
    return (
        message,
        f'  File "{FILE_NAME}", line {part * PART_STRIDE + line}\n',
    )


def advice(error, tb):
    """What to write instead, where a name means something else than in the user's own program."""
    if isinstance(error, UnboundLocalError):
        quoted = str(error).split("'")
        if tb is not None and tb.tb_next is None and len(quoted) > 1:
            return f"; the statement assigns {quoted[1]}, which makes it a variable of its own: make it in the setup"
    if isinstance(error, (AttributeError, ImportError)) and (
        getattr(error, "name", "") == "__main__"
        or str(error).startswith("module '__main__' has no")
    ):
        return (
            "; the measured process has a __main__ of its own, which holds what the case brings: pass"
            " globals=globals(), or make it in the setup"
        )
    return ""


def describe(error):
    """(one line, traceback) without the host's own frames."""
    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename not in (FILE_NAME, LOAD_NAME):
        tb = tb.tb_next
    if tb is not None and tb.tb_frame.f_code.co_filename == LOAD_NAME:
        tb = tb.tb_next
    lines = traceback.format_exception(type(error), error, tb)
    more = advice(error, tb)
    if more:
        lines[-1] = f"{lines[-1].rstrip()}{more}\n"
    return (lines[-1].strip().split("\n")[0], "".join(lines))


def seed():
    """Generators that seed themselves from the clock or the system start every case from the same state."""
    random.seed(0)
    if "numpy" in sys.modules and hasattr(sys.modules["numpy"], "random"):
        sys.modules["numpy"].random.seed(0)


def required_names():
    """What the toolchain requires, imported, by its names."""
    roots = [name.partition(".")[0] for name in REQUIRED]
    return {"__builtins__": __builtins__, **{root: sys.modules[root] for root in roots}}


def new_main():
    """The globals of a case: those of a `__main__` of its own, in which nothing is but what the toolchain requires."""
    main = type(sys)("__main__")
    main.__dict__.update(required_names())
    sys.modules["__main__"] = main
    return main.__dict__


def bring_back(texts, names):
    """Runs the text that brings the case's values, in names of its own. It puts globals of the case into
    `case_globals`, and leaves in `case_locals` what are to be variables of the statement's alone."""
    values = {}
    run_texts(
        texts,
        LOAD_NAME,
        {
            "__name__": "tally_load",
            "__builtins__": __builtins__,
            "case_globals": names,
            "case_locals": values,
        },
    )
    return values


class SeedsNumPy:
    """Finds `numpy.random` as it would be found, and has its generator seeded when it is first imported, as seed()
    does it where that was before the case."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "numpy.random":
            return None
        for finder in sys.meta_path:
            find = None if finder is cls else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None and spec.loader is not None:
                cls.seed_after(spec.loader)
                return spec
        return None

    @staticmethod
    def seed_after(loader):
        load = loader.exec_module

        def load_and_seed(module):
            load(module)
            module.seed(0)

        loader.exec_module = load_and_seed


def name_threads():
    """Gives the kernel the names of threads that an import has started: the runner reads them there."""
    threading = sys.modules.get("threading")
    for thread in threading.enumerate() if threading and threading.active_count() > 1 else ():
        if thread is not threading.main_thread():
            with open(f"/proc/self/task/{thread.native_id}/comm", "w") as file:
                file.write(thread.name[:15])


def load_examiner(texts, names):
    """A function that makes a statement report what it leaves, where the request brings one."""
    if not texts:
        return None
    module = {"__name__": "tally_examiner"}
    exec(compile(texts[0], "<tally examiner>", "exec"), module)
    return lambda stmt, namespace: module["examined"](stmt, names, namespace, _tally_host.result)


def prepared_case(prepare, load, setup_parts, stmt_parts, examine):
    """The case's function, when all that comes before its setup is done."""
    names = new_main()
    setup, stmt = parse_case(setup_parts, stmt_parts)
    stars = any("*" in text for text in setup_parts + stmt_parts) and has_stars(setup, stmt)
    if examine is not None:
        stmt = examine(stmt, names)
    # Before the collection, where it can be: what is allocated afterwards counts for the next one.
    case = None if load or stars else make_case(setup, stmt, names, {})
    seed()
    run_texts(prepare, HOOK_NAME, MODULES)
    # No collection inside a region, and none of the host's objects touched by one that the statement asks for.
    gc.collect()
    gc.freeze()
    gc.disable()
    if case is None:
        values = bring_back(load, names) if load else {}
        case = make_case(expand_stars(setup, stmt) if stars else setup, stmt, names, values)
    return case


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
    try:
        _tally_host.set_hooks(compile_hook(before_region), compile_hook(sync))
        if DEVICE:
            _tally_host.set_device(*DEVICE)
        case = prepared_case(
            prepare, load, setup_parts, stmt_parts, load_examiner(examiner, result_names)
        )
        case(baseline, statement)
    except Syntax as failure:
        return describe_syntax(failure)
    except BaseException as error:  # SystemExit and KeyboardInterrupt end a case, not the evidence
        return describe(error)
    return None


def look_for_device(text, sync):
    """Runs what a toolchain says of devices, once: where it leaves no function `device`, there is none, and no case
    sees it."""
    names = required_names()
    exec(compile(text, "<tally device>", "exec", dont_inherit=True), names)
    if "device" in names:
        DEVICE.extend((names["device"], compile_hook([sync])))


def rehearse(texts, counted):
    """Runs each warm-up as a case is run, in this process. What one has made it keeps in `tally_warm_up`, a module that
    goes with the last of them."""
    for text in texts:
        if not _tally_host.rehearse(run_case, text, counted):
            sys.exit(3)
    gc.unfreeze()
    gc.enable()


def main():
    tally_start.begin()
    split = sys.argv.index("--")
    REQUIRED.extend(sys.argv[1:split])
    texts = sys.argv[split + 1 :]
    sys.argv[:] = [""]  # what libraries and cases find is nobody's command line
    for name in REQUIRED:
        __import__(name)
    tally_start.seal(
        tally_start.WARM_UP
    )  # an import may have listed what is installed, as PyTorch's does from 2.5 on
    MODULES.update(required_names())
    # Of hosts only: what a case imports lies compiled beside its source, or is compiled by it.
    if sys.pycache_prefix is not None:
        sys.pycache_prefix = None
        del os.environ["PYTHONPYCACHEPREFIX"]
    name_threads()
    if "numpy.random" not in sys.modules:
        sys.meta_path.insert(0, SeedsNumPy)
    if "--" in texts:
        split = texts.index("--")
        look_for_device(*texts[split + 1 :])
        del texts[split:]
    sys.modules["tally_warm_up"] = type(sys)("tally_warm_up")
    rehearse(texts, False)
    # Again, for the translations that case children inherit. What a library sets up on first use
    # ran before, without counting, which is several times faster.
    if _tally_host.start_instrumentation():
        rehearse(texts, True)
    del sys.modules["tally_warm_up"]
    new_main()
    tally_start.end_of_imports()
    _tally_host.make_room_for_late_variables(os.environ._data)
    tally_start.seal(tally_start.LAST_STAGE)
    sys.exit(_tally_host.serve(run_case, sys.version.split()[0]))


REQUIRED = []
DEVICE = []
MODULES = {}  # what the toolchain's own texts find as globals; nothing of a case's reaches it, nor it a case
HOST = sys.modules["__main__"]  # kept: each case has a __main__ of its own
main()
