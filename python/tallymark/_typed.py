"""Dataclasses of JSON objects, each built once. A field's metadata may name another key than its own."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def build(cls: type[T], document: Mapping[str, object]) -> T:
    """The dataclass of a JSON object. Keys that it has no field for are left out; one that it needs and that is not
    there is a TypeError: the program is older than this package."""
    hints = typing.get_type_hints(cls)
    values = {}
    for one in dataclasses.fields(cls):  # type: ignore[arg-type]
        key = one.metadata.get("key", one.name)
        if key in document:
            values[one.name] = _typed(hints[one.name], document[key])
    return cls(**values)


def _typed(hint: Any, value: object) -> object:
    """`value` as the type says: a dataclass, Optional of one, a tuple of them, or what JSON gave."""
    inner = [one for one in typing.get_args(hint) if one not in (type(None), Ellipsis)]
    if isinstance(value, list):
        return tuple(_typed(inner[0], item) for item in value)
    cls = inner[0] if inner else hint
    if isinstance(value, dict) and dataclasses.is_dataclass(cls) and isinstance(cls, type):
        return build(cls, value)
    return value
