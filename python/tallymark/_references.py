"""What of a stream the measured interpreter imports for itself: which modules, with which code, from which folders."""

from __future__ import annotations

import dataclasses
import os
import site
import sys
import sysconfig
import types
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from tallymark import _rebuild as rebuild
from tallymark._environment import missing_folders
from tallymark._pickling import MODULE, is_importable

_OWN = (
    "cloudpickle.cloudpickle",
    "cloudpickle.cloudpickle_fast",
    "torch._utils",
)  # how the stream is made, not what is in it


@dataclasses.dataclass(frozen=True)
class Reference:
    """A function, class or module that the measured interpreter imports for itself."""

    target: str  # "module:qualname", or "module"
    digest: str  # of its code; compared on both sides. Empty: of no Python code, or not the user's


def references_of(pickler: Any) -> tuple[Reference, ...]:
    """Sorted; digests for the user's own code. That of installed packages is in the record, as files."""
    found: dict[str, str] = {}
    users: list[types.ModuleType] = []
    for target, value in pickler.references.items():
        name = target.partition(":")[0]
        module = sys.modules[name]
        if name in _OWN:
            continue
        if _is_users(module):
            found[target] = rebuild.function_digest(value)
            users.append(module)
        elif isinstance(value, types.FunctionType) and not _is_standard(name):
            found[target] = ""
    for name, module in pickler.modules.items():
        found[name] = ""
        users += [module] if _is_users(module) else []
    for module in _reached(users):
        found[module.__name__] = rebuild.module_digest(module)
    return tuple(Reference(target, digest) for target, digest in sorted(found.items()))


def reached_by(pickler: Any) -> list[types.ModuleType]:
    """The user's modules that a stream imports, by themselves or through each other."""
    names = {target.partition(":")[0] for target in pickler.references} | set(pickler.modules)
    named = [sys.modules[name] for name in sorted(names) if name in sys.modules]
    return _reached(one for one in named if one.__name__ not in _OWN and _is_users(one))


def _reached(modules: Iterable[types.ModuleType]) -> list[types.ModuleType]:
    """These, and those of the user's whose functions, classes or names they have imported: any of them may be stale."""
    found: dict[str, types.ModuleType] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module.__name__ in found:
            continue
        found[module.__name__] = module
        for value in list(vars(module).values()):
            used = value if isinstance(value, types.ModuleType) else None
            if isinstance(value, (types.FunctionType, type)):
                used = sys.modules.get(value.__module__)
            if used is not None and is_importable(used) and _is_users(used):
                waiting.append(used)
    return list(found.values())


def modules_of(pickler: Any) -> list[str]:
    named = {target.partition(":")[0] for target in pickler.references}
    named |= {*pickler.modules, *pickler.libraries}
    return sorted(named - {MODULE, "builtins", *_OWN})


def required_modules(modules: Iterable[str], cloudpickle: bool) -> tuple[str, ...]:
    """Imported by the host, so that no case pays for it. What PyTorch and NumPy have within themselves they import."""
    found = set()
    for name in modules:
        root = name.partition(".")[0]
        if not _is_standard(name):
            found.add(root if root in ("torch", "numpy") else name)
    if cloudpickle:
        found.add("cloudpickle")
    return tuple(sorted(found))


def folders_for(modules: Iterable[str]) -> tuple[str, ...]:
    """What the measured interpreter's path lacks, when one of these modules is found only there."""
    missing = missing_folders()
    if not missing:
        return ()
    for name in modules:
        spec = getattr(sys.modules.get(name.partition(".")[0]), "__spec__", None)
        if spec is None:
            try:
                spec = find_spec(name.partition(".")[0])
            except (ImportError, ValueError):
                continue
        origin = getattr(spec, "origin", None)
        places = (
            [origin] if origin else list(getattr(spec, "submodule_search_locations", None) or [])
        )
        if any(_below(place, one) for place in places for one in missing):
            return missing
    return ()


def _is_standard(name: str) -> bool:
    root = name.partition(".")[0]
    known = getattr(sys, "stdlib_module_names", None)  # since 3.10
    if known is not None:
        return root in known or root == "_tallymark_rebuild"
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    return not file or (_below(file, sysconfig.get_path("stdlib")) and "-packages" not in file)


def _is_users(module: types.ModuleType) -> bool:
    """Neither the standard library's nor installed: somebody edits it."""
    file = getattr(module, "__file__", None)
    if not file or _is_standard(module.__name__):
        return False
    installed = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    installed += [*site.getsitepackages(), site.getusersitepackages()]
    return not any(_below(file, folder) for folder in installed)


def _below(file: str, folder: str) -> bool:
    return os.path.realpath(file).startswith(os.path.join(os.path.realpath(folder), ""))
