"""`python -m tallymark.benchmark SCRIPT [ARGS…]`: a program that uses torch.utils.benchmark, with the drop-in for it.

It can be written in the place of `python`, also where a program starts another one.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType

from tallymark.benchmark import install

_USAGE = """\
usage: python -m tallymark.benchmark SCRIPT [ARGS…]
       python -m tallymark.benchmark -m MODULE [ARGS…]
       python -m tallymark.benchmark -c CODE [ARGS…]

Runs a program in which torch.utils.benchmark is tallymark.benchmark.
"""


def main(arguments: Sequence[str]) -> int:
    """The exit code, where the program does not set one itself: 2 where there is none to run."""
    first, rest = arguments[:1], list(arguments[1:])
    if first in (["-h"], ["--help"]):
        print(_USAGE, end="")
        return 0
    if first == ["-c"] and rest:
        return _run_code(rest[0], rest[1:])
    if first == ["-m"] and rest:
        return _run_module(rest[0], rest[1:])
    if not first or first[0].startswith("-"):
        print(_USAGE, end="", file=sys.stderr)
        return 2
    return _run_script(first[0], rest)


def _run_script(path: str, arguments: list[str]) -> int:
    if not os.path.isfile(path):
        return _nothing_to_run(f"there is no file {path}")
    # What Python has put first is the current folder, as for `python -m MODULE`.
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    sys.argv[:] = [path, *arguments]
    install()
    runpy.run_path(path, run_name="__main__")
    return 0


def _run_module(name: str, arguments: list[str]) -> int:
    install()
    if not _is_found(name):
        return _nothing_to_run(f"there is no module {name} to run")
    sys.argv[:] = [name, *arguments]  # the path, once it is known
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def _run_code(text: str, arguments: list[str]) -> int:
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = ""
    sys.argv[:] = ["-c", *arguments]
    install()
    sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(text, "<string>", "exec"), vars(sys.modules["__main__"]))
    return 0


def _nothing_to_run(why: str) -> int:
    print(f"tallymark.benchmark: {why}", file=sys.stderr)
    return 2


def _is_found(module: str) -> bool:
    """Whether it can be run: a package needs a `__main__`. Errors of the packages around it pass."""
    try:
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{module}.__main__")
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        return False
    return spec is not None


sys.exit(main(sys.argv[1:]))
