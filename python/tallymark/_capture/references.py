"""The modules that the measured interpreter imports itself: their names, their code, and their folders."""

from __future__ import annotations

import dataclasses
import os
import site
import sys
import sysconfig
import types
from collections.abc import Iterable
from importlib.machinery import PathFinder
from importlib.util import find_spec

from tallymark._capture import rebuild
from tallymark._capture.names import leading_imports
from tallymark._capture.pickling import MODULE, Observer, is_importable
from tallymark._client.environment import missing_folders

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


def references_of(pickler: Observer) -> tuple[Reference, ...]:
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


def reached_by(pickler: Observer) -> list[types.ModuleType]:
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


def modules_of(pickler: Observer) -> list[str]:
    named = {target.partition(":")[0] for target in pickler.references}
    named |= {*pickler.modules, *pickler.libraries}
    return sorted(named - {MODULE, "builtins", *_OWN})


def required_modules(modules: Iterable[str], cloudpickle: bool) -> tuple[str, ...]:
    """Imported by the host, so that no case pays for it. Of a large package one host serves all of its values."""
    found = {_for_host(name) for name in modules if not _is_standard(name)}
    if cloudpickle:
        found.add("cloudpickle")
    return _without_brought(found)


def with_imports(requires: Iterable[str], setup: str) -> tuple[str, ...]:
    """These, and the large packages that a setup imports before it does anything else: what it did first might change
    what they are."""
    found = set(requires)
    imports = [
        (module, names)
        for module, names in leading_imports(setup)
        if module.partition(".")[0] in _LARGE
    ]
    if any(module.partition(".")[0] == "torch" for module, _ in imports):
        return tuple(requires)  # it has a toolchain of its own
    for module, names in imports:
        root = module.partition(".")[0]
        try:
            spec = find_spec(root)
        except (ImportError, ValueError):
            continue
        if spec is None:
            continue
        found.add(_for_host(module))
        if root in _BY_PARTS and module == root:
            folders = list(spec.submodule_search_locations or ())
            found |= {f"{root}.{name}" for name in names if find_part(root, name, folders)}
    return _without_brought(found)


def find_part(package: str, name: str, folders: list[str]) -> bool:
    """Whether a package has a module or package of this name."""
    return PathFinder.find_spec(f"{package}.{name}", folders) is not None


# Packages whose import takes seconds under the counter, and brings in all that their values name.
_WHOLE = ("torch", "numpy", "pandas", "jax", "polars")
# Those whose parts are imported one by one.
_BY_PARTS = ("scipy", "sklearn", "skimage")
_LARGE = (*_WHOLE, *_BY_PARTS)
_BRINGS_NUMPY = ("pandas", "jax", *_BY_PARTS)


def _for_host(name: str) -> str:
    """The module that a host imports for this one."""
    root, *parts = name.split(".")
    if root in _BY_PARTS and parts and not parts[0].startswith("_"):
        return f"{root}.{parts[0]}"
    return root if root in _LARGE else name


def _without_brought(found: set[str]) -> tuple[str, ...]:
    """Without what another one imports by itself, so that fewer hosts do."""
    roots = {name.partition(".")[0] for name in found}
    brought = {root for root in _BY_PARTS if any(name.startswith(root + ".") for name in found)}
    if any(root in roots for root in _BRINGS_NUMPY):
        brought.add("numpy")
    return tuple(sorted(found - brought))


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
