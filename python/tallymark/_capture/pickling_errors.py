"""Finds the part of a value that cannot be pickled, and words the error."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterator

from tallymark._capture.names import default_values, outside_names
from tallymark._capture.pickling import Sink, TooLarge, make_pickler
from tallymark._errors import CaptureError

_HINT = "make it in setup, leave it out of what the statement uses, or give its class a __reduce__ that does"


def refusal(name: str, value: object, error: Exception, limit: int) -> CaptureError:
    """`error` came when `value` was pickled: the same with the path to the part that it is about."""
    if _is_too_deep(error):
        return CaptureError(
            "it is nested deeper than pickle follows",
            place=name,
            hint="make it in setup, or sys.setrecursionlimit(…) a higher one",
        )
    path, error = _search(name, value, error, limit, set())
    if isinstance(error, CaptureError):
        return CaptureError(error.message, place=path, hint=error.hint or _HINT)
    return CaptureError(_reason(error), place=path, hint=_HINT)


def too_large(name: str, size: int, limit: int, *, of_view: bool = False) -> CaptureError:
    part = (
        "it is a view of something larger: pass x.copy() (a tensor's .clone()), " if of_view else ""
    )
    return CaptureError(
        f"{_bytes(size)} or more would leave this process, and the limit is {_bytes(limit)}",
        place=name,
        hint=f"{part}make it in setup, or raise the limit: data_limit={size}",
    )


def _search(
    path: str, value: object, error: Exception, limit: int, seen: set[int]
) -> tuple[str, Exception]:
    seen.add(id(value))
    for part, child in _parts(value):
        if id(child) in seen:
            continue
        try:
            make_pickler(Sink(None, limit)).dump(child)
        except TooLarge:
            continue
        except Exception as inner:
            if _is_too_deep(inner):
                continue
            return _search(path + part, child, inner, limit, seen)
    return path, error


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", one) for key, one in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"[{number}]", one) for number, one in enumerate(value))
    elif isinstance(value, types.FunctionType):
        yield from ((f": {name}", one) for name, one in outside_names(value).items())
        yield from ((f": {name}", one) for name, one in default_values(value).items())
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif isinstance(value, functools.partial):
        yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
    elif _has_state(value):
        state = value.__getstate__()
        if isinstance(state, dict):
            yield from ((f".{name}", one) for name, one in state.items())
        else:
            yield ".__getstate__()", state
    elif not isinstance(value, (type, types.ModuleType)):
        for name in getattr(type(value), "__slots__", ()):
            with contextlib.suppress(AttributeError):
                yield f".{name}", getattr(value, name)
        yield from ((f".{name}", one) for name, one in getattr(value, "__dict__", {}).items())


def _is_too_deep(error: Exception) -> bool:
    return isinstance(error, RecursionError) or isinstance(error.__cause__, RecursionError)


def _has_state(value: object) -> bool:
    """Whether its class says itself what of it is pickled; object has such a method since 3.11."""
    own = getattr(type(value), "__getstate__", None)
    return own is not None and own is not getattr(object, "__getstate__", None)


def _reason(error: Exception) -> str:
    text = str(error)
    if isinstance(error, TypeError) and text.startswith("cannot pickle "):
        kind = text[len("cannot pickle ") :].split()[0].strip("'").rpartition(".")[2]
        return f"cannot pickle {_article(kind)} {kind}"
    return f"pickling it raised {type(error).__name__}: {text}"


def _article(word: str) -> str:
    return "an" if word[:1].lower() in ("a", "e", "i", "o", "u") else "a"


def _bytes(size: int) -> str:
    value = float(size)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.4g} {unit}"
