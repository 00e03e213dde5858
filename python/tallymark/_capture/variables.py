"""Environment variables that a statement names and that hosts have not got: set in the measured process before its
setup. A library that reads one when it is imported, in the host, does not see it: `keep_env` is for that."""

from __future__ import annotations

import ast
import fnmatch
import os
import types
from collections.abc import Iterable, Iterator

from tallymark._capture.names import parsed

# What hosts are given or have set for them (docs/reference/execution.md): all counts would depend on the rest.
_PASSED = (
    *("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSAFEPATH", "VIRTUAL_ENV"),
    *("CONDA_PREFIX", "LC_ALL", "TZ"),
    *("OMP_*", "GOMP_*", "KMP_*", "MKL_*", "OPENBLAS_*", "PYTHONHASHSEED"),
)
_READERS = frozenset(("environ", "environb", "getenv", "expandvars"))


def variables_named(texts: Iterable[str], functions: Iterable[object]) -> list[str]:
    """Those of this process that texts, or Python functions, name where they read the environment. Sorted."""
    found: set[str] = set()
    for text in texts:
        nodes = [*ast.walk(parsed(text) or ast.Module([], []))]
        names = {getattr(one, "id", None) or getattr(one, "attr", None) for one in nodes}
        names |= {one.name for one in nodes if isinstance(one, ast.alias)}
        if names & _READERS:
            found.update(str(one.value) for one in nodes if isinstance(one, ast.Constant))
    for function in functions:
        code = getattr(function, "__code__", None)
        for one in _with_inner(code) if isinstance(code, types.CodeType) else ():
            if _READERS & set(one.co_names):
                found.update(value for value in one.co_consts if isinstance(value, str))
    bare = {name.strip("${}") for name in found}
    return sorted(name for name in bare if name in os.environ and not _is_passed(name))


def setting_of(names: Iterable[str]) -> str:
    """Python that gives the process these variables, with the values that they have in this one."""
    values = {name: os.environ[name] for name in names if name in os.environ}
    return f"import os; os.environ.update({values!r})" if values else ""


def _is_passed(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _PASSED)


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _with_inner(one)
