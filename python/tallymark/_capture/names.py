"""Finds the names that a statement or a function takes from outside of itself."""

from __future__ import annotations

import ast
import builtins
import dis
import sys
import textwrap
import types
from collections.abc import Iterable, Iterator, Mapping

_NONE = object()
_EXECUTES = ("eval", "exec")
_NAMESPACES = ("globals", "vars", "locals")
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "DELETE_GLOBAL")


def free_names(setup: str, stmt: str) -> list[str]:
    """What a statement reads that neither it nor its setup makes: globals, in the order of their use, those of constant
    texts for eval and exec among them. Empty where the text does not parse: who measures it says where and why."""
    code = _as_function(setup, stmt)
    if code is None:
        return []
    names = [*_global_reads(code)]
    for text in _executed_texts(setup, stmt):
        names += free_names("", text)
    names += [name for _, name in _subscripted(_nodes(setup, stmt))]
    return list(dict.fromkeys(names))


def names_unseen(*texts: str) -> str:
    """What of texts may read globals by names that are made when it is executed: "eval", "globals()"; "" where there is
    nothing of the kind."""
    nodes = _nodes(*texts)
    named = {id(namespace) for namespace, _ in _subscripted(nodes)}
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        if name in _EXECUTES and not (node.args and isinstance(node.args[0], ast.Constant)):
            return name
        if _is_namespace(node) and id(node) not in named:
            return f"{name}()"
    return ""


def main_names(setup: str, stmt: str) -> list[str]:
    """What texts take from `__main__`: by `from __main__ import x`, or as attributes of it that they do not set. An
    `import *` means every name that they read and do not make."""
    nodes = _nodes(setup, stmt)
    found, modules, made = [], set(), set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module, node.level) == ("__main__", 0):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            modules |= {one.asname or one.name for one in node.names if one.name == "__main__"}
    if "*" in found:
        main = vars(sys.modules["__main__"])
        used = [name for name in free_names(setup, stmt) if name in main]
        found += [name for name in used if main[name] is not getattr(builtins, name, _NONE)]
    for node in nodes:
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in modules:
            found.append(node.attr)
            made |= set() if isinstance(node.ctx, ast.Load) else {node.attr}
    return list(
        dict.fromkeys(
            one for one in found if one != "*" and one not in made and not is_special(one)
        )
    )


def is_special(name: str) -> bool:
    """A name that Python gives a module itself: `__name__`, `__doc__`."""
    return name.startswith("__") and name.endswith("__")


def _nodes(*texts: str) -> list[ast.AST]:
    trees = [parsed(text) for text in texts]
    return [node for tree in trees if tree is not None for node in ast.walk(tree)]


def _executed_texts(*texts: str) -> Iterator[str]:
    for node in _nodes(*texts):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _EXECUTES and node.args:
            text = getattr(node.args[0], "value", None)
            if isinstance(text, str):
                yield text.strip()


def _subscripted(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    """The call and the name of `globals()["d"]`, `vars().get("d")`."""
    for node in nodes:
        if isinstance(node, ast.Subscript):
            holder, name = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            holder, name = node.func.value, node.args[0]
        else:
            continue
        text = name.value if isinstance(name, ast.Constant) else None
        if isinstance(text, str) and _is_namespace(holder):
            yield holder, text


def _is_namespace(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and getattr(node.func, "id", "") in _NAMESPACES and not node.args
    )


def outside_names(function: types.FunctionType) -> dict[str, object]:
    """The variables of its closure and the globals that a function uses, as far as they have values now."""
    found: dict[str, object] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name in _global_reads(function.__code__):
        value = function.__globals__.get(name, _NONE)
        if value is not _NONE and value is not getattr(builtins, name, _NONE):
            found[name] = value
    return found


def default_values(function: types.FunctionType) -> dict[str, object]:
    """What its parameters are when nothing is given, by their names."""
    code, values = function.__code__, function.__defaults__ or ()
    first = code.co_argcount - len(values)
    named = dict(zip(code.co_varnames[first : code.co_argcount], values))
    return {**named, **(function.__kwdefaults__ or {})}


def submodules(modules: Mapping[str, types.ModuleType], *texts: str) -> dict[str, types.ModuleType]:
    """Those of these modules that texts name by the way that leads to them, `xml.etree.ElementTree` where `xml` is one
    of `modules`: code that imports `xml` alone has no such attribute."""
    found = {}
    for text in texts:
        tree = parsed(text)
        for node in ast.walk(tree) if tree is not None else ():
            path = _dotted(node)
            if path is None or path[0] not in modules:
                continue
            for end in range(2, len(path) + 1):
                within = ".".join([modules[path[0]].__name__, *path[1:end]])
                if within in sys.modules:
                    found[".".join(path[:end])] = sys.modules[within]
    return found


def _dotted(node: ast.AST) -> list[str] | None:
    """["a", "b", "c"] of a.b.c"""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return [node.id, *path] if path and isinstance(node, ast.Name) else None


def imported_names(*texts: str) -> list[str]:
    """The modules that import statements of these texts name."""
    found = []
    for text in texts:
        tree = parsed(text)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.append(node.module)
    return list(dict.fromkeys(found))


def leading_imports(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """What the import statements at the beginning of a text name, each with what it takes of it."""
    tree = parsed(text)
    found: list[tuple[str, tuple[str, ...]]] = []
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.Import):
            found += [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append((node.module, tuple(alias.name for alias in node.names)))
        else:
            break
    return found


def _global_reads(code: types.CodeType) -> Iterator[str]:
    for one in dis.get_instructions(code):
        if one.opname in _READS:
            yield str(one.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_reads(constant)


def parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return None


def _is_the_hosts(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (
        node.names[0].name == "*" or node.module == "__future__"
    )


def _as_function(setup: str, stmt: str) -> types.CodeType | None:
    """As the host compiles them: one function, whose variables are the setup's, without what only the host knows: the
    names of `import *`, future imports."""
    first, second = parsed(setup), parsed(stmt)
    if first is None or second is None:
        return None
    first.body = [node for node in first.body if not _is_the_hosts(node)]
    module = ast.parse("def case():\n    pass")
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body += first.body + second.body
    try:
        code = compile(ast.fix_missing_locations(module), "<statement>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return next((one for one in code.co_consts if isinstance(one, types.CodeType)), None)
