"""Modes of this process that change what a statement does: carried into the measured process, or named among the notes.

Only modules that this process has imported are asked, and only those that the statement uses. A mode that is as
its module starts with adds nothing.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any, Callable

_RECURSION_LIMITS = (1000, 3000)  # CPython's own, and the one that jedi sets in every notebook
_NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_NUMPY_BUFFER = 8192
_NUMPY_PRINT = {
    "precision": 8,
    "threshold": 1000,
    "edgeitems": 3,
    "linewidth": 75,
    "suppress": False,
    "nanstr": "nan",
    "infstr": "inf",
    "sign": "-",
    "floatmode": "maxprec",
}
_DECIMAL = {
    "prec": 28,
    "rounding": "ROUND_HALF_EVEN",
    "Emin": -999999,
    "Emax": 999999,
    "capitals": 1,
    "clamp": 0,
}
_DECIMAL_TRAPS = ("InvalidOperation", "DivisionByZero", "Overflow")
# What is entered for the rest of the process: nothing else refers to it.
_KEPT = (
    "import atexit; mode = {}; mode.__enter__(); atexit.register(mode.__exit__, None, None, None)"
)


@dataclasses.dataclass(frozen=True)
class Modes:
    """`carried`: what this process has, as one says it in Python, with the text that sets it there; `notes`: what
    stays behind."""

    carried: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Runs in the measured process, in names of its own, once the values are there and before the setup."""
        return "\n".join(text for _, text in self.carried)


def modes_of(modules: Iterable[str], threads: int = 1) -> Modes:
    """Of this process, as far as a statement meets them that uses these modules and runs with so many threads."""
    used = _Used({name.partition(".")[0] for name in modules})
    carried = [*_interpreters()]
    notes = []
    if sys.flags.optimize:
        notes.append(f"called under python -{'O' * sys.flags.optimize}, measured without")
    for name, find in (("decimal", _decimals), ("numpy", _numpys), ("torch", _torchs)):
        module = sys.modules.get(name)
        # One that is still being imported has no modes yet.
        if module is not None and (found := [*_safely(find, module)]) and used.reach(name):
            carried += found
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_default_dtype") and used.reach("torch"):
        notes += _torch_notes(torch, threads)
    return Modes(tuple(carried), tuple(notes))


class _Used:
    """Which packages a statement uses through those that it names: as far as their modules name them."""

    def __init__(self, roots: set[str]) -> None:
        self._roots = roots
        self._all: set[str] | None = None

    def reach(self, name: str) -> bool:
        if name in self._roots:
            return True
        if self._all is None:
            self._all = {root for module in self._modules() for root in _roots_in(module)}
        return name in self._all

    def _modules(self) -> Iterator[types.ModuleType]:
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in self._roots and isinstance(module, types.ModuleType):
                yield module


def _roots_in(module: types.ModuleType) -> Iterator[str]:
    for value in list(vars(module).values()):
        kind = type(value)
        if issubclass(kind, types.ModuleType):
            yield str(value.__name__).partition(".")[0]
        elif issubclass(kind, type) or kind is types.FunctionType:
            yield str(value.__module__).partition(".")[0]


def _safely(
    find: Callable[[types.ModuleType], Iterator[tuple[str, str]]], module: types.ModuleType
) -> Iterator[tuple[str, str]]:
    """A version of a package that lacks one of these names has no such mode."""
    modes = find(module)
    while True:
        try:
            yield next(modes)
        except (StopIteration, AttributeError):
            return


def _interpreters() -> Iterator[tuple[str, str]]:
    limit = sys.getrecursionlimit()
    if limit not in _RECURSION_LIMITS:
        said = f"sys.setrecursionlimit({limit})"
        yield said, f"import sys; {said}"
    digits = getattr(sys, "get_int_max_str_digits", lambda: 4300)()
    if digits != 4300:
        said = f"sys.set_int_max_str_digits({digits})"
        yield said, f"import sys; {said}"


def _decimals(decimal: types.ModuleType) -> Iterator[tuple[str, str]]:
    context = decimal.getcontext()
    here = {name: getattr(context, name) for name in _DECIMAL}
    traps = sorted(signal.__name__ for signal, on in context.traps.items() if on)
    if here == _DECIMAL and traps == sorted(_DECIMAL_TRAPS):
        return
    changed = ", ".join(
        f"{name}={value!r}" for name, value in here.items() if value != _DECIMAL[name]
    )
    if traps != sorted(_DECIMAL_TRAPS):
        changed = ", ".join(filter(None, [changed, f"traps=[{', '.join(traps)}]"]))
    signals = ", ".join(f"decimal.{name}" for name in traps)
    values = ", ".join(f"{name}={value!r}" for name, value in here.items())
    yield (
        f"decimal.Context({changed})",
        f"import decimal; decimal.setcontext(decimal.Context({values}, traps=[{signals}]))",
    )


def _numpys(numpy: types.ModuleType) -> Iterator[tuple[str, str]]:
    errors = {key: value for key, value in numpy.geterr().items() if value != _NUMPY_ERRORS[key]}
    if errors and "call" not in errors.values() and "log" not in errors.values():
        said = f"numpy.seterr({', '.join(f'{key}={value!r}' for key, value in errors.items())})"
        yield said, f"import numpy; {said}"
    if numpy.getbufsize() != _NUMPY_BUFFER:
        said = f"numpy.setbufsize({numpy.getbufsize()})"
        yield said, f"import numpy; {said}"
    printed = numpy.get_printoptions()
    changed = {key: printed[key] for key in _NUMPY_PRINT if printed[key] != _NUMPY_PRINT[key]}
    if changed:
        said = f"numpy.set_printoptions({', '.join(f'{key}={value!r}' for key, value in changed.items())})"
        yield said, f"import numpy; {said}"


def _torchs(torch: types.ModuleType) -> Iterator[tuple[str, str]]:
    if not hasattr(torch, "get_default_dtype"):
        return

    def set_by(said: str) -> tuple[str, str]:
        return said, f"import torch; {said}"

    if torch.get_default_dtype() is not torch.float32:
        yield set_by(f"torch.set_default_dtype({torch.get_default_dtype()})")
    if torch.are_deterministic_algorithms_enabled():
        only = torch.is_deterministic_algorithms_warn_only_enabled()
        yield set_by(f"torch.use_deterministic_algorithms(True, warn_only={only})")
    if torch.get_float32_matmul_precision() != "highest":
        yield set_by(
            f"torch.set_float32_matmul_precision({torch.get_float32_matmul_precision()!r})"
        )
    if torch.is_anomaly_enabled():
        yield set_by("torch.autograd.set_detect_anomaly(True)")
    if torch.is_inference_mode_enabled():
        said = "torch.inference_mode()"
        yield said, f"import torch; {_KEPT.format(said)}"
    elif not torch.is_grad_enabled():
        yield set_by("torch.set_grad_enabled(False)")
    for device in ("cpu", "cuda"):
        if (dtype := _autocast_dtype(torch, device)) is not None:
            cached = torch.is_autocast_cache_enabled()
            keep = "" if cached else ", cache_enabled=False"
            said = f"torch.autocast({device!r}, dtype={dtype}{keep})"
            yield said, f"import torch; {_KEPT.format(said)}"
    device = str(torch.get_default_device()) if hasattr(torch, "get_default_device") else "cpu"
    if device != "cpu":
        yield set_by(f"torch.set_default_device({device!r})")


def _autocast_dtype(torch: types.ModuleType, device: str) -> Any:
    """What autocast casts to on that kind of device; None where it is off."""
    if hasattr(torch, "get_autocast_dtype"):  # from 2.4 on
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
    if device == "cpu":
        return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
    return torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None


def _torch_notes(torch: types.ModuleType, threads: int) -> Iterator[str]:
    here = torch.get_num_threads()
    processors = os.cpu_count() or 1
    usual = {1, processors, processors // 2, len(os.sched_getaffinity(0)), threads}
    if here not in usual:
        yield (
            f"torch has {here} threads in this process, and {threads} in what is measured: threads={here}"
        )
    for mode in _active(torch):
        yield f"called under {mode}, measured without"


def _active(torch: types.ModuleType) -> list[str]:
    """Modes of __torch_function__ and __torch_dispatch__, but for the one of the default device."""
    found = []
    for module, function in (
        ("torch.overrides", "_get_current_function_mode_stack"),
        ("torch.utils._python_dispatch", "_get_current_dispatch_mode_stack"),
    ):
        stack = getattr(sys.modules.get(module), function, list)
        found += [type(mode).__qualname__ for mode in stack()]
    return [name for name in found if name != "DeviceContext"]
