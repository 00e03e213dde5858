"""Functions, classes and values of packages that this process has replaced: the measured process imports the originals.

What a statement reaches is held against where it comes from: the names of its text and of its functions, the classes of
captured values with their bases, and what those name in turn, the nearest first. Nothing is imported, called or
looked up by `getattr` for it. What somebody's own code stands in for is refused. What only looks odd (one function of
a package under another's name) is left to the measured process, which compares it with what it has itself.
"""

from __future__ import annotations

import ast
import builtins
import functools
import os
import site
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Union

from tallymark._capture import rebuild
from tallymark._capture.made import Made, stores_of, ways
from tallymark._capture.names import parsed
from tallymark._errors import CaptureError

Owner = Union[types.ModuleType, type]

_MOST = 400  # functions that are looked into: those next to the statement
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_HEAP_TYPE = 1 << 9  # a class that Python code can change
_HINT = (
    "replace it in setup= as well, or measure a function or a subclass of yours that has the change"
)


def replaced_by_others(
    texts: Iterable[str], values: Mapping[str, object], reached: Iterable[object]
) -> dict[str, str]:
    """Looks at what `texts` name, where `values` are their globals, and at `reached`: functions, classes and modules
    that captured values bring along. Returns "module:path" and `identity` of what the measured process should compare.
    Raises CaptureError for what it would measure the original of."""
    search = _Search(set(_assigned(texts)))
    search.texts(texts, values)
    for one in [*values.values(), *reached]:
        search.reach(one, frozenset())
    search.follow()
    return dict(sorted(search.odd.items()))


class _Search:
    def __init__(self, replaced_there: set[str]) -> None:
        self.odd: dict[str, str] = {}
        self._ours = replaced_there  # names of attributes that the setup replaces itself
        self._checked: set[tuple[int, str]] = set()
        self._seen: set[int] = set()
        self._modules: set[tuple[int, frozenset[str]]] = set()
        self._waiting: deque[types.FunctionType] = deque()
        self._direct = True  # what the statement itself names, and not what a package does

    def texts(self, texts: Iterable[str], values: Mapping[str, object]) -> None:
        nodes = [node for text in texts for node in ast.walk(parsed(text) or ast.Module([], []))]
        names = frozenset(
            one.id if isinstance(one, ast.Name) else one.attr
            for one in nodes
            if isinstance(one, (ast.Name, ast.Attribute))
        )
        for name in names:
            if name not in values and name in vars(builtins):
                self._bound(builtins, name, names)
        for one in nodes:
            if isinstance(one, ast.Import):
                for alias in one.names:
                    self._imported(alias.name, names)
            elif isinstance(one, ast.ImportFrom) and one.module and not one.level:
                wanted = {alias.name for alias in one.names}
                self._imported(one.module, names if "*" in wanted else names | wanted)
        for name in names:
            if name in values:
                self.reach(values[name], names)

    def _imported(self, name: str, names: frozenset[str]) -> None:
        for module in {name, name.partition(".")[0]}:
            if module in sys.modules:
                self.reach(sys.modules[module], names)

    def reach(self, value: Any, names: frozenset[str]) -> None:
        """`names` are all that are read where `value` is: attributes of a module, among others."""
        kind = type(value)
        if issubclass(kind, types.ModuleType):
            key = (id(value), names)
            if key not in self._modules and value.__name__ != "__main__":
                self._modules.add(key)
                for name in names & vars(value).keys():
                    self._bound(value, name, names)
        elif kind is types.FunctionType:
            self._wait(value)
        elif issubclass(kind, type):
            self._class(value)
        elif kind is types.MethodType:
            self._wait(value.__func__)
            self._class(type(value.__self__))
        elif kind is functools.partial:
            self.reach(value.func, names)
        else:
            self._class(kind)

    def follow(self) -> None:
        """What the functions that are waiting name, and so on."""
        self._direct = False
        left = _MOST
        while self._waiting and left:
            left -= 1
            function = self._waiting.popleft()
            around = function.__globals__
            module = sys.modules.get(around.get("__name__", ""))
            owner = module if module is not None and vars(module) is around else None
            self._direct = owner is None or owner.__name__ == "__main__"
            names = _names_of(function.__code__)
            for name in names:
                if name in around and owner is not None and owner.__name__ != "__main__":
                    self._bound(owner, name, names)
                elif name in around:
                    self.reach(around[name], names)
                elif name in vars(builtins):
                    self._bound(builtins, name, names)
            for cell in function.__closure__ or ():
                try:
                    self.reach(cell.cell_contents, names)
                except ValueError:  # not assigned yet
                    continue

    def _wait(self, function: types.FunctionType) -> None:
        if id(function) not in self._seen:
            self._seen.add(id(function))
            self._waiting.append(function)

    def _class(self, value: type) -> None:
        for one in type.__dict__["__mro__"].__get__(value):
            if id(one) in self._seen or not one.__flags__ & _HEAP_TYPE:
                continue
            self._seen.add(id(one))
            for name in list(vars(one)):
                self._bound(one, name, frozenset())

    def _bound(self, owner: Owner, name: str, names: frozenset[str]) -> None:
        value = vars(owner)[name]
        if (id(owner), name) not in self._checked:
            self._checked.add((id(owner), name))
            if name not in self._ours:
                self._check(owner, name, value)
        kind = type(value)
        if isinstance(owner, type):
            function = _function_of(value)
            if function is not None:
                self._wait(function)
        elif issubclass(kind, (types.ModuleType, type, types.FunctionType, types.MethodType)):
            self.reach(value, names)

    def _check(self, owner: Owner, name: str, value: Any) -> None:
        function = _function_of(value)
        if function is not None:
            self._check_function(owner, name, function)
        elif isinstance(owner, types.ModuleType) and issubclass(type(value), type):
            self._check_class(owner, name, value)
        elif type(value) in _PLAIN:
            self._check_plain(owner, name, value)
        elif isinstance(owner, type):
            if _is_somebodys(type(value)):
                self._check_object(owner, name, value)
        elif not issubclass(type(value), types.ModuleType):
            self._check_object(owner, name, value)

    def _check_function(self, owner: Owner, name: str, value: types.FunctionType) -> None:
        home = _home(owner)
        if home is None:
            return
        path = f"{owner.__qualname__}.{name}" if isinstance(owner, type) else name
        code = value.__code__
        if (
            value.__globals__ is vars(home)
            and value.__qualname__ == path
            and code.co_filename == _file(home)
        ):
            return
        own = _is_users(value)
        if not own and not self._direct:
            return
        same_root = _root(value.__module__) == _root(home.__name__)
        if not own and not isinstance(owner, type) and same_root and value.__name__ == name:
            return  # what a package shows of a module of its own
        made = ways(owner, name)
        if own:
            if _is_users_module(home):
                # What a program of several modules does to itself it does there, too.
                other = _root(value.__globals__.get("__name__")) != _root(home.__name__)
                if other and made and all(one.kind == "def" and one.value != code for one in made):
                    raise _refused(owner, name, _words_for(value))
            elif made or not isinstance(owner, type) or _is_special(name):
                raise _refused(owner, name, _words_for(value))
            return
        if all(one.kind in ("def", "alias") for one in made):
            odd = bool(made) and not any(_is_made(one, owner, home, value) for one in made)
        else:  # made by a call, such as a decorator's: odd where it is another one of the same owner
            odd = name != value.__name__ and _function_of(vars(owner).get(value.__name__)) is value
        if odd:
            self._odd(owner, name)

    def _check_class(self, owner: types.ModuleType, name: str, value: type) -> None:
        own = value.__module__ == "__main__" or _is_users_module(sys.modules.get(value.__module__))
        if not own and not self._direct:
            return
        if value.__module__ == owner.__name__ and value.__qualname__ == name:
            return
        if owner.__name__ == "__main__" or _root(value.__module__) == _root(owner.__name__):
            return
        self._check_definition(owner, name, own, f"{value.__module__}.{value.__qualname__}")

    def _check_plain(self, owner: Owner, name: str, value: Any) -> None:
        """What the body says once, as a constant, and no function of the file assigns."""
        home = _home(owner)
        if not self._direct or home is None or name.startswith("_") or _is_users_module(home):
            return
        made = ways(owner, name)
        if not made or name in stores_of(home):
            return
        if any(one.kind not in ("value", "def", "class") for one in made):
            return
        if any(one.kind == "value" and _same(one.value, value) for one in made):
            return
        raise _refused(owner, name, f"{value!r:.60}")

    def _check_object(self, owner: Owner, name: str, value: object) -> None:
        kind = type(value)
        own = _is_somebodys(kind)
        if own or self._direct:
            self._check_definition(owner, name, own, f"a {kind.__module__}.{kind.__qualname__}")

    def _check_definition(self, owner: Owner, name: str, own: bool, words: str) -> None:
        """What stands where the body defines a function or a class; `own`: the user's own code made it."""
        made = ways(owner, name)
        if not made or any(one.kind not in ("def", "class") for one in made):
            return
        if own:
            raise _refused(owner, name, words)
        self._odd(owner, name)

    def _odd(self, owner: Owner, name: str) -> None:
        home = _home(owner)
        if home is not None and home.__name__ not in sys.builtin_module_names:
            path = f"{owner.__qualname__}.{name}" if isinstance(owner, type) else name
            self.odd[f"{home.__name__}:{path}"] = rebuild.identity(vars(owner)[name])


def _is_made(made: Made, owner: Owner, home: types.ModuleType, value: types.FunctionType) -> bool:
    if made.kind == "def":
        return bool(made.value == value.__code__)
    other = vars(owner).get(made.value, vars(home).get(made.value))
    function = _function_of(other)
    return function is value or value.__name__ == made.value


def _same(written: object, here: object) -> bool:
    return type(written) is type(here) and (written == here or written != written)


def _function_of(value: Any) -> types.FunctionType | None:
    """The Python function in what a class or a module has."""
    kind = type(value)
    if kind is types.FunctionType:
        return value  # type: ignore[no-any-return]
    if kind in (staticmethod, classmethod):
        return _function_of(value.__func__)
    if kind is property:
        return _function_of(value.fget)
    if kind in (functools.cached_property, functools.partial):
        return _function_of(value.func)
    if kind is functools._lru_cache_wrapper:
        return _function_of(getattr(value, "__wrapped__", None))
    return None


def _home(owner: Owner) -> types.ModuleType | None:
    """The module whose file has the owner's body; None for what travels by itself."""
    if not isinstance(owner, type):
        return None if owner.__name__ == "__main__" else owner
    module = sys.modules.get(owner.__module__)
    if module is None or module.__name__ == "__main__":
        return None
    found: object = module
    for part in owner.__qualname__.split("."):
        found = vars(found).get(part) if isinstance(found, (type, types.ModuleType)) else None
    return module if found is owner else None


def _file(module: types.ModuleType) -> str:
    return getattr(module, "__file__", None) or ""


def _root(name: object) -> str:
    return name.partition(".")[0] if isinstance(name, str) else ""


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_users(function: types.FunctionType) -> bool:
    """Whether it was written in this program, and not in a package."""
    file = function.__code__.co_filename
    name = function.__globals__.get("__name__")
    module = sys.modules.get(name) if isinstance(name, str) else None
    known = module is not None and vars(module) is function.__globals__
    if name == "__main__":  # also of a notebook's, a doctest's, an exec's namespace
        return True
    if file.startswith("<"):  # <stdin>, or text that a package made a function of
        return known and _is_users_module(module)
    return not _is_installed(file)


def _is_users_module(module: types.ModuleType | None) -> bool:
    if module is None:
        return False
    file = getattr(module, "__file__", None)
    return module.__name__ == "__main__" or (bool(file) and not _is_installed(str(file)))


def _is_somebodys(kind: type) -> bool:
    """Of a class: one of this program's, or a stand-in of a test."""
    if kind.__module__ in ("__main__", "unittest.mock", "mock"):
        return True
    can_be = kind.__flags__ & _HEAP_TYPE != 0
    return can_be and _is_users_module(sys.modules.get(kind.__module__))


@functools.lru_cache(maxsize=4096)
def _is_installed(file: str) -> bool:
    if not os.path.isabs(file):
        return file.startswith("<")
    return any(os.path.realpath(file).startswith(folder) for folder in _installed_folders())


@functools.lru_cache(maxsize=1)
def _installed_folders() -> tuple[str, ...]:
    paths = [sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [*site.getsitepackages(), site.getusersitepackages()]
    paths += [path for path in sys.path if path.endswith(".zip")]
    own = os.path.dirname(os.path.abspath(__file__))
    return tuple(os.path.join(os.path.realpath(path), "") for path in {*paths, own} if path)


_known_names: dict[
    int, tuple[types.CodeType, frozenset[str]]
] = {}  # a code's hash costs more than its names


def _names_of(code: types.CodeType) -> frozenset[str]:
    known = _known_names.get(id(code))
    if known is not None:
        return known[1]
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            names |= _names_of(one)
    _known_names[id(code)] = (code, frozenset(names))
    return _known_names[id(code)][1]


def _assigned(texts: Iterable[str]) -> Iterable[str]:
    """The attributes that texts set, `torch.nn.Linear.forward = …` and `setattr(x, "forward", …)`."""
    for text in texts:
        tree = parsed(text)
        for one in ast.walk(tree) if tree is not None else ():
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
                yield one.attr
            elif isinstance(one, ast.Call) and getattr(one.func, "id", "") == "setattr":
                yield from (str(arg.value) for arg in one.args if isinstance(arg, ast.Constant))


def _words_for(function: types.FunctionType) -> str:
    code = function.__code__
    where = os.path.basename(code.co_filename)
    return f"{function.__qualname__} ({where}:{code.co_firstlineno})"


def _refused(owner: Owner, name: str, by: str) -> CaptureError:
    path = f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else owner.__name__
    return CaptureError(
        f"this process has replaced it by {by}, and the measured process imports the original",
        place=f"{path}.{name}",
        hint=_HINT,
    )
