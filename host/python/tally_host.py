"""The Python host's other half: imports what the toolchain requires, then turns each request into a
function and runs it.

Started by the runner as `python3 -c BOOT MODULE... -- WARM_UP [-- DEVICE SYNC]`, with this file, the extension and
the variables of the user's shell as open descriptors, so that no path of ours or theirs enters the
interpreter's start (a longer one would move the heap of every case).
"""

import ast
import gc
import os
import random  # for seed(): a setup that imports it must find it seeded, or each run sorts other numbers (1.4 %)
import sys
import traceback

import _tally_host

# A traceback's line is part * PART_STRIDE + line: parts are numbered through setup and statement,
# and the runner, which knows where each part stands in the suite, turns the number back into file
# and line.
PART_STRIDE = _tally_host.PART_STRIDE
FILE_NAME = "<tally>"


class Syntax(Exception):
    """A part that does not parse: (part, error)."""


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


def loop(iterator, body):
    target = ast.Name("_tally_i", ast.Store())
    return ast.For(target, ast.Name(iterator, ast.Load()), body or [ast.Pass()], [], None)


def compile_case(setup_parts, stmt_parts, namespace, examine=None):
    """A function of two iterators, with the setup's variables as its locals, as timeit does it."""
    setup = parse_parts(setup_parts, 0)
    stmt = parse_parts(stmt_parts, len(setup_parts))
    if examine is not None:
        stmt = examine(stmt, namespace)
    names = [ast.arg("_tally_baseline"), ast.arg("_tally_statement")]
    arguments = ast.arguments(
        posonlyargs=[],
        args=names,
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[],
    )
    body = setup + [loop("_tally_baseline", []), loop("_tally_statement", stmt)]
    extra = {"type_params": []} if sys.version_info >= (3, 12) else {}
    function = ast.FunctionDef("_tally_case", arguments, body, [], None, None, **extra)
    module = ast.fix_missing_locations(ast.Module([function], []))
    try:
        exec(compile(module, FILE_NAME, "exec", dont_inherit=True), namespace)
    except SyntaxError as error:
        # What only the compiler finds: "return" with a value in a generator, nonlocal, …
        raise Syntax((error.lineno or 0) // PART_STRIDE, error) from None
    return namespace["_tally_case"]


def compile_hook(texts, namespace):
    if not texts:
        return None
    codes = [compile(text, "<tally hook>", "exec", dont_inherit=True) for text in texts]

    def hook():
        for code in codes:
            exec(code, namespace)

    return hook


def describe_syntax(failure):
    part, error = failure.args
    line = (getattr(error, "lineno", None) or 1) % PART_STRIDE
    return (
        f"{type(error).__name__}: {getattr(error, 'msg', error)}",
        f'  File "{FILE_NAME}", line {part * PART_STRIDE + line}\n',
    )


def describe(error):
    """(one line, traceback) without the host's own frames."""
    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename != FILE_NAME:
        tb = tb.tb_next
    lines = traceback.format_exception(type(error), error, tb)
    return (lines[-1].strip().split("\n")[0], "".join(lines))


def seed():
    """Generators that seed themselves from the clock or the system start every case from the same state."""
    random.seed(0)
    if "numpy" in sys.modules and hasattr(sys.modules["numpy"], "random"):
        sys.modules["numpy"].random.seed(0)


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
    """Gives the kernel the names of threads that an import has started; the runner tells them."""
    threading = sys.modules.get("threading")
    for thread in threading.enumerate() if threading and threading.active_count() > 1 else ():
        if thread is not threading.main_thread():
            with open(f"/proc/self/task/{thread.native_id}/comm", "w") as file:
                file.write(thread.name[:15])


def fresh_namespace():
    """What snippets find as globals: what the toolchain requires, imported."""
    namespace = {"__name__": "__main__", "__builtins__": __builtins__}
    for name in REQUIRED:
        root = name.partition(".")[0]
        namespace[root] = sys.modules[root]
    return namespace


def load_examiner(texts, names):
    """A function that makes a statement report what it leaves, where the request brings one."""
    if not texts:
        return None
    module = {"__name__": "tally_examiner"}
    exec(compile(texts[0], "<tally examiner>", "exec"), module)
    return lambda stmt, namespace: module["examined"](stmt, names, namespace, _tally_host.result)


def run_case(
    setup_parts, stmt_parts, before_region, sync, examiner, result_names, baseline, statement
):
    """Runs in a forked child. None when all went well, else (message, detail)."""
    namespace = fresh_namespace()
    try:
        case = compile_case(
            setup_parts, stmt_parts, namespace, load_examiner(examiner, result_names)
        )
        _tally_host.set_hooks(compile_hook(before_region, namespace), compile_hook(sync, namespace))
        if DEVICE:
            _tally_host.set_device(*DEVICE)
        seed()
        # No collection inside a region, and none of the host's objects touched by one that the
        # statement asks for.
        gc.collect()
        gc.freeze()
        gc.disable()
        case(baseline, statement)
    except Syntax as failure:
        return describe_syntax(failure)
    except BaseException as error:  # SystemExit and KeyboardInterrupt end a case, not the evidence
        return describe(error)
    return None


def look_for_device(text, sync):
    """Runs what a toolchain says of devices, once: where it leaves no function `device`, there is none, and no case
    hears of it."""
    names = fresh_namespace()
    exec(compile(text, "<tally device>", "exec", dont_inherit=True), names)
    if "device" in names:
        DEVICE.extend((names["device"], compile_hook([sync], names)))


def rehearse(texts, counted):
    """Runs each warm-up as a case is run, in this process."""
    for text in texts:
        if not _tally_host.rehearse(run_case, text, counted):
            sys.exit(3)
    gc.unfreeze()
    gc.enable()


def set_late_environment():
    """What the runner kept out of the interpreter's start: its lengths move nothing that an import allocates."""
    with open(_tally_host.LATE_ENVIRONMENT, "rb") as file:
        entries = file.read().split(b"\0")
    for entry in entries[:-1]:
        name, _, value = entry.partition(b"=")
        os.environb[name] = value


def main():
    split = sys.argv.index("--")
    REQUIRED.extend(sys.argv[1:split])
    for name in REQUIRED:
        __import__(name)
    # Of hosts only: what a case imports lies compiled beside its source, or is compiled by it.
    if sys.pycache_prefix is not None:
        sys.pycache_prefix = None
        del os.environ["PYTHONPYCACHEPREFIX"]
    name_threads()
    if "numpy.random" not in sys.modules:
        sys.meta_path.insert(0, SeedsNumPy)
    texts = sys.argv[split + 1 :]
    if "--" in texts:
        split = texts.index("--")
        look_for_device(*texts[split + 1 :])
        del texts[split:]
    rehearse(texts, False)
    # Again, for the translations that case children inherit. What a library sets up on first use
    # ran before, without counting, which is several times faster.
    if _tally_host.start_instrumentation():
        rehearse(texts, True)
    set_late_environment()
    gc.collect()
    gc.freeze()
    _tally_host.fill_heaps(16384 if sys.version_info >= (3, 10) else 4096)
    sys.exit(_tally_host.serve(run_case, sys.version.split()[0]))


REQUIRED = []
DEVICE = []
main()
