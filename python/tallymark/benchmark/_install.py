"""The drop-in under PyTorch's own name, for code that imports `torch.utils.benchmark` itself.

PyTorch's modules stay PyTorch's. Each is executed as it is when somebody imports it. Then, before anybody else sees it,
its names that stand in `__all__` of our module of the same path are replaced by ours. So there is one class of each
public name on every path; PyTorch's helpers, examples and templates are all there; and `Measurement` in PyTorch's code
means ours. PyTorch is never imported from here, but for those of its benchmark modules that are imported already.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_OURS = __name__.rpartition(".")[0]
_THEIRS = "torch.utils.benchmark"


def install() -> None:
    """Makes `torch.utils.benchmark`, with all of its modules, answer with the drop-in's classes and functions.

    It may be called before PyTorch is imported or after, and more than once. Where PyTorch is not installed it has no
    effect. Where `torch.utils.benchmark` is imported already, its modules answer with ours from now on, through
    whatever name holds them. Objects and classes that somebody holds by then stay PyTorch's, and continue to work among
    themselves. Raises what the second import of those modules raises, and has changed nothing then."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    imported = {
        name: module
        for name, module in list(sys.modules.items())
        if _is_theirs(name) and isinstance(module, ModuleType)  # None forbids an import
    }
    try:
        _renew(imported)
    except BaseException:
        sys.meta_path.remove(finder)
        sys.modules.update(imported)
        parent, _, name = _THEIRS.rpartition(".")
        setattr(sys.modules[parent], name, imported[_THEIRS])
        raise


def _is_theirs(name: str) -> bool:
    return name == _THEIRS or name.startswith(_THEIRS + ".")


def _offered(theirs: str) -> Mapping[str, Any]:
    """What the drop-in has for one of PyTorch's modules, by name."""
    if not _is_theirs(theirs):
        return {}
    name = _OURS + theirs[len(_THEIRS) :]
    try:
        ours = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return {}
    return {public: getattr(ours, public) for public in getattr(ours, "__all__", ())}


class _Finder(MetaPathFinder):
    """Finds PyTorch's modules where they lie, those with a counterpart with a loader that replaces names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        offered = _offered(fullname)
        spec = PathFinder.find_spec(fullname, path, target) if offered else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, offered)
        return spec


class _Loader(Loader):
    """Another loader, after which names are replaced."""

    def __init__(self, loader: Loader, offered: Mapping[str, object]) -> None:
        self._loader = loader
        self._offered = offered

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        names = vars(module)
        # None is added: what this version of PyTorch does not have, its users do not ask for.
        names.update((name, value) for name, value in self._offered.items() if name in names)

    def __getattr__(self, name: str) -> Any:  # get_source, get_data, get_resource_reader, …
        return getattr(self._loader, name)


def _renew(imported: Mapping[str, ModuleType]) -> None:
    """Imports these modules again, and lets the old ones answer as the new."""
    for name in imported:
        del sys.modules[name]
    for name in imported:
        importlib.import_module(name)
    # A module of another name was put in PyTorch's place by somebody, such as the drop-in itself.
    own = {name: module for name, module in imported.items() if module.__name__ == name}
    _keep_among_themselves(own)
    for name, module in own.items():
        module.__class__ = _answering_as(sys.modules[name])


def _keep_among_themselves(modules: Mapping[str, ModuleType]) -> None:
    """Lets the functions of these modules find each other when the modules answer as others: an old Timer continues
    making the Measurements that an old Compare takes."""
    kept = {id(module): ModuleType(name) for name, module in modules.items()}
    for module in modules.values():
        names = vars(module)
        names.update([(name, kept[id(one)]) for name, one in names.items() if id(one) in kept])
        vars(kept[id(module)]).update(names)


def _answering_as(successor: ModuleType) -> type[ModuleType]:
    """A class of modules that have the attributes of `successor`. Their functions' globals stay what they were."""

    class Renewed(ModuleType):
        def __getattribute__(self, name: str) -> Any:
            return getattr(successor, name)

        def __setattr__(self, name: str, value: object) -> None:
            setattr(successor, name, value)

        def __delattr__(self, name: str) -> None:
            delattr(successor, name)

        def __dir__(self) -> list[str]:
            return dir(successor)

    return Renewed
