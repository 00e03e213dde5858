"""Captures a statement's functions and values: source, references to importable functions, data by value."""

from __future__ import annotations

import builtins
import dataclasses
import hashlib
import inspect
import sys
import types
from collections.abc import Mapping, Sequence
from importlib.util import MAGIC_NUMBER
from typing import Any

from tallymark._capture import blobs as _blobs
from tallymark._capture import rebuild
from tallymark._capture.modes import modes_of
from tallymark._capture.names import (
    free_names,
    imported_names,
    main_names,
    names_unseen,
    submodules,
)
from tallymark._capture.pickling import MODULE, Observer, Sink, TooLarge, make_pickler
from tallymark._capture.pickling_errors import refusal, too_large
from tallymark._capture.references import (
    Reference,
    folders_for,
    modules_of,
    reached_by,
    references_of,
    required_modules,
)
from tallymark._capture.replaced import replaced_by_others
from tallymark._capture.used_values import check_values, used_by_functions
from tallymark._capture.variables import setting_of, variables_named
from tallymark._errors import CaptureError

DATA_LIMIT = 256 * 1024 * 1024  # bytes


@dataclasses.dataclass(frozen=True)
class Source:
    """Text that is measured, or the code of a function or class that goes by value."""

    name: str
    text: str


@dataclasses.dataclass(frozen=True)
class Datum:
    """A value that was written into the stream. What several share is counted with the first."""

    name: str  # "x", or "f: x" of what a function uses
    type: str
    bytes: int


@dataclasses.dataclass(frozen=True)
class Captured:
    """Everything that a statement takes along. `load` is Python that brings it back in the measured interpreter,
    in names of its own, `requires` the modules that its host should have imported, `folders` what its sys.path must
    have besides."""

    load: str = ""
    source: tuple[Source, ...] = ()
    references: tuple[Reference, ...] = ()
    data: tuple[Datum, ...] = ()
    notes: tuple[str, ...] = ()
    digest: str = ""  # of the stream
    bytes: int = 0  # of the stream
    requires: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()  # that the values name
    variables: tuple[str, ...] = ()  # of the environment, which the measured process gets as well
    modes: tuple[str, ...] = ()  # of this process, which the measured one has, too
    device: str = ""  # the kind that tensors among the values are on: "cuda"
    # Nothing is taken along: a fork of this process is measured, which has the values (_here.py).
    here: object = dataclasses.field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        lines = [f"source     {_name_and_size(one)}" for one in self.source]
        lines += [f"reference  {one.target}  {one.digest}".rstrip() for one in self.references]
        lines += [f"data       {one.name}: {one.type}, {one.bytes:,} bytes" for one in self.data]
        lines += [f"device     {self.device}"] if self.device else []
        lines += [f"variable   {one}" for one in self.variables]
        lines += [f"mode       {one}" for one in self.modes]
        lines += [f"note       {one}" for one in self.notes]
        lines += [f"sys.path   {one}" for one in self.folders]
        if self.digest:
            lines.append(f"stream     {self.bytes:,} bytes, {self.digest}")
        return "\n".join(lines) or "nothing"


NOTHING = Captured()
_NO_MODULES: Mapping[str, types.ModuleType] = types.MappingProxyType({})


def capture_text(
    stmt: str,
    setup: str = "",
    values: Mapping[str, object] | None = None,
    *,
    limit: int = DATA_LIMIT,
) -> Captured:
    """Of a Python statement: its text, and those of `values` that it uses, as its globals; what it imports of
    `__main__`, this program, as well."""
    source = [Source("statement", stmt)] + ([Source("setup", setup)] if setup else [])
    known = values or {}
    used = {
        name: known[name]
        for name in free_names(setup, stmt)
        if name in known and not _is_builtin(name, known[name])
    }
    used.update(_of_main(setup, stmt, known))
    packages = {name: one for name, one in used.items() if isinstance(one, types.ModuleType)}
    within = submodules(packages, setup, stmt)
    texts = (setup, stmt)
    if used:
        captured = capture_values(used, limit=limit, within=within, texts=texts)
    else:
        captured = (
            capture_values({}, limit=limit, texts=texts)
            if replaced_by_others(texts, {}, ())
            else NOTHING
        )
    folders = captured.folders or folders_for(imported_names(setup, stmt))
    notes = captured.notes
    variables = tuple(dict.fromkeys([*captured.variables, *variables_named(texts, ())]))
    if known and (unseen := names_unseen(setup, stmt)):
        notes = (*notes, f"{unseen} may read globals whose names no text says: they stay behind")
    source += captured.source
    return dataclasses.replace(
        captured, source=tuple(source), folders=folders, notes=notes, variables=variables
    )


def _of_main(setup: str, stmt: str, known: Mapping[str, object]) -> dict[str, object]:
    """The globals of the measured process are its `__main__`: a name can have one value there."""
    main = vars(sys.modules["__main__"])
    found = {}
    for name in main_names(setup, stmt):
        if name in known and name in main and known[name] is not main[name]:
            raise CaptureError(
                "it is one value in globals= and another in __main__, and the text imports it from there",
                place=name,
                hint="leave the import out, or give both one value",
            )
        if name in known or name in main:  # else the import fails there, as it would here
            found[name] = known[name] if name in known else main[name]
    return found


def capture_values(
    values: Mapping[str, object],
    *,
    limit: int = DATA_LIMIT,
    as_globals: bool = True,
    within: Mapping[str, types.ModuleType] = _NO_MODULES,
    texts: Sequence[str] = (),
) -> Captured:
    """Takes `values` along, in one stream, as global names of the statement (`as_globals`), else as variables of its
    setup; `within` are modules that must have been imported besides, `texts` the setup and the statement. Raises
    CaptureError with the path to what cannot leave, for what this process has replaced, and above `limit` bytes."""
    inner = {**within, **used_by_functions(values)}
    data = []
    with _blobs.new_file() as file:
        with _blobs.new_file() as stream:
            sink = Sink(stream.write, limit)
            pickler = make_pickler(sink)
            for name, value in [*inner.items(), *values.items()]:
                size = _dump(pickler, sink, name, value)
                if not isinstance(value, (types.FunctionType, types.ModuleType, type)):
                    data.append(Datum(name, describe(value), size))
            check_values(reached_by(pickler))
            odd = replaced_by_others(texts, values, _brought_along(pickler))
            header = _header(pickler, sink.needs_rebuild, odd)
            stream.flush()
            file.write(header)
            with open(stream.name, "rb") as written:
                while piece := written.read(1 << 20):
                    file.write(piece)
        digest = hashlib.sha256(header + sink.digest.digest()).hexdigest()[:32]
        path = _blobs.keep(file, digest)
    modules = modules_of(pickler)
    functions = [*pickler.code, *pickler.references.values()]
    return Captured(
        load=_load_text(str(path), len(header), len(inner), list(values), as_globals),
        source=tuple(Source(_title(one), _source_of(one)) for one in pickler.code),
        references=references_of(pickler),
        data=tuple(data),
        notes=tuple(dict.fromkeys(pickler.notes)),
        digest=digest,
        bytes=len(header) + sink.bytes,
        modules=tuple(modules),
        variables=tuple(variables_named((), functions)),
        device=pickler.device,
        requires=required_modules(modules, sink.needs_cloudpickle),
        folders=folders_for([*modules, *(["cloudpickle"] if sink.needs_cloudpickle else [])]),
    )


def with_modes(captured: Captured, *texts: str, threads: int = 1) -> Captured:
    """With the modes of this process, and its environment's variables, that a statement meets with these values and
    texts."""
    if captured.here is not None:
        return captured
    named = {*imported_names(*texts), *free_names("", "\n".join(texts)), *captured.modules}
    modes = modes_of(named, threads)
    return dataclasses.replace(
        captured,
        load="\n".join(filter(None, [setting_of(captured.variables), captured.load, modes.text])),
        modes=tuple(said for said, _ in modes.carried),
        notes=(*captured.notes, *modes.notes),
    )


def _dump(pickler: Observer, sink: Sink, name: str, value: Any) -> int:
    before = sink.bytes
    try:
        pickler.dump(value)
    except TooLarge as error:
        raise too_large(name, error.bytes, sink.limit, of_view=error.of_view) from None
    except _blobs.NoRoom:
        raise
    except Exception as error:
        raise refusal(name, value, error, sink.limit) from error
    return sink.bytes - before


def _brought_along(pickler: Observer) -> list[object]:
    """The functions, classes and modules of a stream, the classes of its values among them."""
    return [
        *pickler.references.values(),
        *pickler.modules.values(),
        *pickler.code,
        *pickler.kinds,
    ]


def _header(pickler: Observer, needed: bool, odd: Mapping[str, str]) -> bytes:
    """Source that the measured process executes first: the functions that the stream names, and the checks. Nothing
    where there are neither: compiling it takes an eighth of a second under Valgrind."""
    checks = {one.target: one.digest for one in references_of(pickler) if one.digest}
    functions = {target: digest for target, digest in checks.items() if ":" in target}
    modules = {target: digest for target, digest in checks.items() if ":" not in target}
    if not checks and not needed and not pickler.code and not odd:
        return b""
    source = inspect.getsource(rebuild)
    return (
        "import sys, types\n"
        f"module = sys.modules[{MODULE!r}] = types.ModuleType({MODULE!r})\n"
        f"exec(compile({source!r}, '<tallymark>', 'exec'), module.__dict__)\n"
        f"module.same_python({MAGIC_NUMBER!r})\n"
        f"module.check({functions!r}, {modules!r})\n"
        + (f"module.check_bindings({odd!r})\n" if odd else "")
    ).encode()


def _load_text(path: str, header: int, inner: int, names: list[str], as_globals: bool) -> str:
    """Run by the host before the setup, in names that end with it: a second reference to a value is another value to
    some code."""
    target = "case_globals" if as_globals else "case_locals"
    lines = [
        "from _pickle import Unpickler",
        f"with open({path!r}, 'rb') as file:",
        *([f"    exec(file.read({header}), {{}})"] if header else []),
        "    stream = Unpickler(file)",
        *([f"    for skipped in range({inner}): stream.load()"] if inner else []),
        *[f"    {target}[{name!r}] = stream.load()" for name in names],
    ]
    return "\n".join(lines)


def describe(value: Any) -> str:
    """The type of a value, with element type and shape of an array or tensor."""
    kind = type(value)
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if isinstance(shape, tuple) and dtype is not None:
        return f"{name} {str(dtype).rpartition('.')[2]} {list(shape)}"
    return name


def _is_builtin(name: str, value: object) -> bool:
    return getattr(builtins, name, None) is value


def _title(value: object) -> str:
    return str(getattr(value, "__qualname__", None) or getattr(value, "__name__", "?"))


def _source_of(value: Any) -> str:
    try:
        return inspect.getsource(value)
    except (OSError, TypeError):
        return ""


def _name_and_size(one: Source) -> str:
    lines = one.text.strip().splitlines()
    if len(lines) == 1:
        short = lines[0] if len(lines[0]) <= 90 else lines[0][:89] + "…"
        return f"{one.name}: {short}"
    return f"{one.name}: {len(lines)} lines" if lines else f"{one.name}: code"
