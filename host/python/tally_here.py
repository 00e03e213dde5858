"""A program that runs under the counter (`tally exec`) as a host of Python: forks of it measure what it is.

Loaded by the package tallymark, in that program, when it is first asked to measure. Of what Python hosts do all but
their start is taken from tally_host.py: the program has begun in its own way, and continues so.
"""

import ast
import contextlib
import importlib.util
import itertools
import os
import signal
import socket
import sys
import weakref
from importlib.machinery import ExtensionFileLoader

LIBEXEC = os.environ["TALLY_LIBEXEC"]
NUMBERS = itertools.count()
# What measured texts find again, as long as their definitions live.
KEPT = weakref.WeakValueDictionary()


def extension(name, file):
    path = os.path.join(LIBEXEC, file)
    spec = importlib.util.spec_from_file_location(
        name, path, loader=ExtensionFileLoader(name, path)
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def part(name, statements_left_out=0):
    """A script of ours, as a module."""
    with open(os.path.join(LIBEXEC, f"{name}.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    if statements_left_out:
        del tree.body[-statements_left_out:]
    module = type(sys)(name)
    module.__builtins__ = __builtins__
    sys.modules[name] = module
    exec(compile(tree, f"<{name.replace('_', ' ')}>", "exec"), module.__dict__)
    return module


_tally_host = sys.modules["_tally_host"] = extension("_tally_host", "_tally_program.abi3.so")
part("tally_start")
COMMON = part("tally_host", statements_left_out=1)
COMMON.MODULES.update(COMMON.required_names())


class Values:
    """Of a definition, which holds it. `load` is the text that brings them into a case: themselves, in the forked
    process."""

    def __init__(self, names, as_globals):
        self.names = names
        self.as_globals = as_globals
        number = next(NUMBERS)
        self.load = f"import tally_here; tally_here.bring({number}, case_globals, case_locals)"
        KEPT[number] = self

    def __reduce__(self):
        return type(None), ()  # a result that goes elsewhere has no part in this process


def bring(place, case_globals, case_locals):
    # The program's own, whatever an ordinary case has in its place.
    sys.modules["__main__"] = MAIN[0]
    kept = KEPT[place]
    (case_globals if kept.as_globals else case_locals).update(kept.names)


MAIN = []


def listen(place):
    """(path, listener): at that place, unless another process of the program measures just now."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path = place
        listener.bind(path)
    except OSError:
        path = f"{place}-{os.getpid()}"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        listener.bind(path)
    listener.listen(8)
    return path, listener


def reap():
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def serve(listener):
    """In a forked process: each that connects brings the control socket of a host, and gets a fork of this process to
    be that host. Does not come back."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program's own
        while True:
            connection, _ = listener.accept()
            dumps, descriptors, _, _ = socket.recv_fds(connection, 4096, 1)
            if os.fork() == 0:
                listener.close()
                os._exit(
                    _tally_host.serve_here(
                        COMMON.run_case, sys.version.split()[0], descriptors[0], os.fsdecode(dumps)
                    )
                )
            # The connection ends with the host, which has it, too. The next one may be wanted before this one ends.
            os.close(descriptors[0])
            connection.close()
            reap()
    finally:
        os._exit(1)


def begin(place):
    """Forks the process that hosts are forked from: (its number, where it listens)."""
    MAIN[:] = [sys.modules["__main__"]]
    _tally_host.end_start()
    path, listener = listen(place)
    sys.stdout.flush()
    sys.stderr.flush()
    program = os.getpid()
    pid = os.fork()
    if pid == 0:
        _tally_host.die_with(program)  # however that ends: a signal leaves it no time for end()
        serve(listener)
    listener.close()
    return pid, path


def end(pid, path):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        os.unlink(path)
