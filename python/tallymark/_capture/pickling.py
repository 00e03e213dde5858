"""Writes values as one stream: cloudpickle where it is there, with what pickling loses by itself (memory that NumPy's
and PyTorch's objects share, strides), a limit, and a note of everything that goes by reference or as code."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.machinery
import importlib.util
import io
import operator
import pickle
import sys
import types
from typing import TYPE_CHECKING, Any, Callable, cast

from tallymark._capture import rebuild
from tallymark._errors import CaptureError

if TYPE_CHECKING:
    import numpy
    import torch
    from typing_extensions import Buffer

PROTOCOL = 5
_LARGE_VIEW = 16  # times what is looked at: worth a note
MODULE = "_tallymark_rebuild"  # what the stream calls the module `rebuild`
_PLAIN_LOADERS = (
    importlib.machinery.SourceFileLoader,
    importlib.machinery.SourcelessFileLoader,
    importlib.machinery.ExtensionFileLoader,
)

sys.modules.setdefault(MODULE, rebuild)
for _function in (
    rebuild.ndarray,
    rebuild.torch_memory,
    rebuild.torch_tensor,
    rebuild.torch_parameter,
    rebuild.event_loop,
    rebuild.expect_done,
):
    _function.__module__ = MODULE


class TooLarge(Exception):
    """More than the limit; `bytes` is what was reached or would be, `of_view` whether a part of it was requested."""

    def __init__(self, size: int, *, of_view: bool = False) -> None:
        super().__init__(size)
        self.bytes = size
        self.of_view = of_view


class Sink(io.RawIOBase):
    """Counts and digests what goes through it, and refuses what goes beyond the limit before it is written. `keep`
    writes it; None: nothing keeps it."""

    def __init__(self, keep: Callable[[Buffer], object] | None, limit: int) -> None:
        self.keep = keep
        self.limit = limit
        self.bytes = 0
        self.digest = hashlib.sha256()
        self.named = dict.fromkeys((b"cloudpickle", MODULE.encode()), False)  # what stands in it
        self._end = b""

    def write(self, data: Buffer) -> int:
        size = memoryview(data).nbytes
        if self.bytes + size > self.limit:
            raise TooLarge(self.bytes + size)
        self.bytes += size
        self.digest.update(data)
        if size < 1 << 20:  # the names of functions are never in a larger piece
            tail = self._end + bytes(data)
            for name in self.named:
                self.named[name] = self.named[name] or name in tail
            self._end = tail[-32:]
        if self.keep is not None:
            self.keep(data)
        return size

    @property
    def needs_cloudpickle(self) -> bool:
        return self.named[b"cloudpickle"]

    @property
    def needs_rebuild(self) -> bool:
        return self.named[MODULE.encode()]


def is_importable(module: types.ModuleType) -> bool:
    """Whether another interpreter with our path would import this module from the same file as it stands there."""
    name = module.__name__
    if name == "__main__" or sys.modules.get(name) is not module:
        return False
    if name in sys.builtin_module_names:
        return True
    spec = getattr(module, "__spec__", None)
    # A package without an __init__.py is found by its folders.
    if spec is not None and spec.origin is None and spec.submodule_search_locations is not None:
        return True
    # A loader of its own (pytest rewrites asserts) has made other code than the file's.
    if spec is None or not isinstance(spec.loader, _PLAIN_LOADERS):
        return spec is not None and spec.origin in ("frozen", "built-in")
    return type(spec.loader) in _PLAIN_LOADERS


def reference_to(value: object) -> str | None:
    """ "module:qualname" under which another interpreter finds this very function or class; None when none is."""
    name, qualname = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    module = sys.modules.get(name) if isinstance(name, str) else None
    if module is None or not isinstance(qualname, str) or not is_importable(module):
        return None
    found: object = module
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return f"{name}:{qualname}" if found is value else None


class Observer:
    """What happens to each object that a pickler asks about: `references`, `modules`, `code` and `notes` of what went
    through it. Mixed into the two kinds of pickler."""

    limit: int
    references: dict[str, object]  # "module:qualname" → the function or class
    modules: dict[str, types.ModuleType]
    code: list[object]  # functions and classes that go by value
    kinds: dict[type, None]  # the classes of what was written
    libraries: set[str]  # whose values are rebuilt by functions of ours
    notes: list[str]
    device: (
        str  # the kind of device that tensors are on, that of the first; "" where none is on one
    )
    by_value: bool

    if TYPE_CHECKING:

        def dump(self, value: object) -> None:
            """May be called again: what was written before is shared."""

    def prepare(self, limit: int, by_value: bool) -> None:
        self.limit, self.by_value = limit, by_value
        self.references, self.modules, self.code, self.notes = {}, {}, [], []
        self.libraries = set()
        self.kinds = {}
        self.device = ""
        self.forced: list[types.ModuleType] = []
        self._memory: dict[tuple[int, int], _TorchMemory] = {}

    def observe(self, value: Any) -> Any:
        """A reduction, or NotImplemented."""
        if isinstance(value, types.ModuleType):
            return self._module(value)
        if isinstance(value, (type, types.FunctionType)):
            return self._named(value)
        kind = type(value)
        self.kinds[kind] = None
        if isinstance(getattr(value, "__qualname__", None), str):
            self._named_by_another(value)
        if issubclass(kind, io.IOBase) and kind.__module__ in ("_io", "io"):
            self._file(value)
        elif kind is memoryview:
            return self._view_of_bytes(value)
        elif kind.__module__ == "logging" and kind.__name__ in ("Logger", "RootLogger"):
            self.notes.append("a logger goes by its name: its level and its handlers stay behind")
        root = kind.__module__.partition(".")[0]
        if root == "numpy" and kind.__name__ == "ndarray":
            self.libraries.add(root)
            return self._array(value)
        if root == "torch" and kind.__name__ in ("Tensor", "Parameter"):
            self.libraries.add(root)
            return self._tensor(value)
        return NotImplemented

    def _module(self, value: types.ModuleType) -> object:
        if value.__name__ == "__main__":
            raise CaptureError(
                "cannot pickle __main__, this program itself", hint="name what is used of it"
            )
        if not is_importable(value):
            return self._as_code(value)
        self.modules[value.__name__] = value
        return importlib.import_module, (value.__name__,)

    def _named(self, value: object) -> object:
        target = reference_to(value)
        if target is not None:
            if target.partition(":")[0] != MODULE:
                self.references[target] = value
            return NotImplemented
        if (
            value.__module__ == "builtins"
        ):  # types without a name there, such as those of code and None
            return NotImplemented
        return self._as_code(value)

    def _named_by_another(self, value: object) -> None:
        """What is not a function of Python's, but goes by its name as one does: cached, or compiled."""
        target = reference_to(value)
        if target is not None:
            self.references[target] = value
        elif isinstance(value, functools._lru_cache_wrapper):
            raise CaptureError(
                "a cached function goes by its name, and another process cannot import it",
                hint="measure its __wrapped__, or put it into a module",
            )

    def _as_code(self, value: object) -> object:
        if not self.by_value:
            kind = "module" if isinstance(value, types.ModuleType) else "function or class"
            raise CaptureError(
                f"this {kind} cannot be imported by another process, and taking it along by value needs cloudpickle",
                hint=f"{sys.executable} -m pip install cloudpickle, or put it into a module",
            )
        if not any(value is one for one in self.code):
            self.code.append(value)
        module = sys.modules.get(getattr(value, "__module__", None) or "__main__")
        if module is not None and module.__name__ != "__main__" and not is_importable(module):
            self.force(module)
        return NotImplemented

    def force(self, module: types.ModuleType) -> None:
        """Has cloudpickle take a module's code along although it is in sys.modules."""

    def _file(self, value: object) -> None:
        """cloudpickle would take a copy of a text file along, as a StringIO."""
        streams = (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)
        if type(value) in (io.StringIO, io.BytesIO) or any(value is one for one in streams):
            return
        raise CaptureError("cannot pickle an open file", hint="open it in setup=, or pass its path")

    def _view_of_bytes(self, view: memoryview) -> object:
        """cloudpickle would take it along as bytes, which are something else."""
        data = view.tobytes()
        plain = data if view.readonly else bytearray(data)
        kind = view.format.lstrip("@")
        if kind == "B" and view.ndim == 1:
            return memoryview, (plain,)
        if len(kind) != 1 or not view.shape:
            raise CaptureError(f"cannot pickle a memoryview of format {view.format!r}")
        return operator.methodcaller("cast", kind, list(view.shape)), (memoryview(plain),)

    def _array(self, array: numpy.ndarray) -> object:
        self._check(array.nbytes)
        if array.dtype.hasobject:
            return NotImplemented
        owner = array
        while isinstance(owner.base, type(array)):
            owner = owner.base
        if owner is array:
            return self._owner(array)
        self._check(owner.nbytes, of_view=True)
        self._say_of_view(array.nbytes, owner.nbytes)
        if owner.dtype.hasobject or not _is_contiguous(owner):
            self.notes.append("an array that shares memory was taken along as a copy")
            return NotImplemented
        offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        return rebuild.ndarray, (array.shape, array.dtype, owner, offset, array.strides)

    def _owner(self, array: numpy.ndarray) -> object:
        if array.base is not None:
            kind = type(array.base).__name__
            self.notes.append(f"an array on the memory of a {kind} was taken along as a copy")
        # The reduction without buffers: what is loaded owns its memory, as this one does.
        return array.__reduce__() if _is_contiguous(array) else NotImplemented

    def _tensor(self, tensor: torch.Tensor) -> object:
        torch = sys.modules["torch"]
        self.device = self.device or device_of(tensor)
        if tensor.grad_fn is not None:
            raise CaptureError(
                "this tensor is the result of what autograd records, and the graph behind it cannot leave",
                hint="compute it in setup, or take .detach()",
            )
        if tensor.is_leaf and tensor.requires_grad and tensor.grad is not None:
            self.notes.append("the .grad of a tensor stays behind: it is None in what is measured")
        plain = tensor.device.type == "cpu" and tensor.layout is torch.strided
        if not plain or tensor.is_quantized or tensor.__dict__ or tensor._backward_hooks:
            return NotImplemented
        if type(tensor) is torch.nn.Parameter:
            return rebuild.torch_parameter, (tensor.data, tensor.requires_grad)
        if type(tensor) is not torch.Tensor:
            return NotImplemented
        where = (tensor.storage_offset(), tuple(tensor.size()), tuple(tensor.stride()))
        bits = (tensor.requires_grad, tensor.is_conj(), tensor.is_neg())
        return rebuild.torch_tensor, (self._storage(tensor), tensor.dtype, *where, *bits)

    def _storage(self, tensor: torch.Tensor) -> _TorchMemory:
        """One object for all tensors on the same memory, so that the stream has it once."""
        own = tensor.untyped_storage if hasattr(tensor, "untyped_storage") else tensor._storage
        storage = own()
        key = (storage.data_ptr(), storage.nbytes())
        if key not in self._memory:
            used = tensor.element_size() * tensor.nelement()
            self._check(storage.nbytes(), of_view=used < storage.nbytes())
            self._say_of_view(used, storage.nbytes())
            self._memory[key] = _TorchMemory(storage)
        return self._memory[key]

    def _check(self, size: int, *, of_view: bool = False) -> None:
        if size > self.limit:
            raise TooLarge(size, of_view=of_view)

    def _say_of_view(self, part: int, whole: int) -> None:
        if whole > _LARGE_VIEW * max(part, 1 << 10):
            self.notes.append(f"a view of {part:,} bytes took all {whole:,} of its memory along")


def device_of(tensor: torch.Tensor) -> str:
    """The kind of device that has its values, of those that a toolchain has hosts for; "" where it is none of these."""
    other = getattr(sys.modules["torch"]._C, "_get_privateuse1_backend_name", str)()
    kind = str(tensor.device.type)
    return kind if kind in ("cuda", "xpu", other) else ""


class _TorchMemory:
    def __init__(self, storage: torch.UntypedStorage) -> None:
        self.storage = storage

    def __reduce__(self) -> tuple[Callable[[bytes], object], tuple[bytes]]:
        import ctypes

        size = self.storage.nbytes()
        data = ctypes.string_at(self.storage.data_ptr(), size) if size else b""
        return rebuild.torch_memory, (data,)


def _is_contiguous(array: numpy.ndarray) -> bool:
    return bool(array.flags.c_contiguous or array.flags.f_contiguous)


class _Plain(Observer, pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        return self.observe(value)


def make_pickler(sink: Sink) -> Observer:
    """By cloudpickle, where it is there."""
    try:
        from cloudpickle import CloudPickler, register_pickle_by_value, unregister_pickle_by_value
        from cloudpickle.cloudpickle import list_registry_pickle_by_value
    except ImportError:
        plain = _Plain(sink, PROTOCOL)
        plain.prepare(sink.limit, by_value=False)
        return plain
    from cloudpickle import cloudpickle as inner

    # Where a later cloudpickle has them no more, a class has another name in each process, and nothing else.
    classes = getattr(inner, "_DYNAMIC_CLASS_TRACKER_BY_CLASS", {})
    classes_by_name = getattr(inner, "_DYNAMIC_CLASS_TRACKER_BY_ID", {})

    class Pickler(Observer, CloudPickler):  # type: ignore[misc]
        def _as_code(self, value: object) -> object:
            reduced = super()._as_code(value)
            if isinstance(value, type):
                self._name_class(value)
            return reduced

        def _name_class(self, value: type) -> None:
            """cloudpickle would draw a name by which the class is known when it is loaded twice: this one is the same
            in every process."""
            if value not in classes:
                digest = rebuild.function_digest(value)
                name = f"{value.__module__}:{value.__qualname__}:{digest}:{len(self.code)}"
                classes[value] = name
                classes_by_name[name] = value

        def force(self, module: types.ModuleType) -> None:
            if module.__name__ not in list_registry_pickle_by_value():
                register_pickle_by_value(module)
                self.forced.append(module)

        def dump(self, value: object) -> None:
            try:
                super().dump(value)
            finally:
                while self.forced:
                    unregister_pickle_by_value(self.forced.pop())

        def reducer_override(self, value: object) -> object:
            if isinstance(value, types.CodeType) and "ipykernel_" in value.co_filename:
                # The name of a notebook's cell has the process in it.
                return self.dispatch_table[types.CodeType](value.replace(co_filename="<cell>"))
            reduced = self.observe(value)
            if reduced is NotImplemented:
                return super().reducer_override(value)
            return reduced

    pickler = Pickler(sink, PROTOCOL)
    pickler.prepare(sink.limit, by_value=True)
    return cast(Observer, pickler)
