"""Instructions by function, and operations on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Callable, NamedTuple, overload

from .._identity import object_repr, published_in
from .._torch import line_width

_MOST_ROWS = 18
_LEAST_NAME = 40
_CUT = " ... "
# CPython's look-up of names, whose work depended on the addresses of the keys.
_NOISE = "dictobject.c:lookdict_unicode"


class FunctionCount(NamedTuple):
    """Instructions, and `file:function [object]`."""

    count: int  # type: ignore[assignment] # hides tuple.count, as it does in PyTorch
    function: str


FunctionCount.__module__ = f"{__package__}.timer_interface"


@published_in(f"{__package__}.timer_interface")
@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class FunctionCounts:
    """A sequence of FunctionCount, the largest first. Inclusive counts hold what a function called, too.

    A slice is a FunctionCounts that prints every row. Sums and differences go by function, and leave out what is
    nothing."""

    _data: tuple[FunctionCount, ...]
    inclusive: bool
    truncate_rows: bool = True
    _linewidth: int | None = None  # of the repr; else as torch.set_printoptions says

    def __iter__(self) -> Iterator[FunctionCount]:
        yield from self._data

    def __len__(self) -> int:
        return len(self._data)

    @overload
    def __getitem__(self, item: int) -> FunctionCount: ...

    @overload
    def __getitem__(self, item: slice) -> FunctionCounts: ...

    def __getitem__(self, item: int | slice) -> FunctionCount | FunctionCounts:
        if isinstance(item, slice):
            return FunctionCounts(self._data[item], self.inclusive, truncate_rows=False)
        return self._data[item]

    def __add__(self, other: FunctionCounts) -> FunctionCounts:
        return self._combined(other, 1)

    def __sub__(self, other: FunctionCounts) -> FunctionCounts:
        return self._combined(other, -1)

    def __mul__(self, other: float) -> FunctionCounts:
        """Each count times a number, as a whole number towards zero."""
        return _by_function({name: int(count * other) for count, name in self}, self.inclusive)

    def transform(self, map_fn: Callable[[str], str]) -> FunctionCounts:
        """With each function renamed; what gets the same name is added up."""
        counts: dict[str, int] = {}
        for count, name in self:
            renamed = map_fn(name)
            counts[renamed] = counts.get(renamed, 0) + count
        return _by_function(counts, self.inclusive)

    def filter(self, filter_fn: Callable[[str], bool]) -> FunctionCounts:
        """Those functions of which `filter_fn` is true."""
        kept = tuple(row for row in self if filter_fn(row.function))
        return FunctionCounts(kept, self.inclusive)

    def sum(self) -> int:
        """All counts together."""
        return sum(count for count, _ in self)

    def denoise(self) -> FunctionCounts:
        """Without the function of CPython before 3.11 that looks names up."""
        return self.filter(lambda name: _NOISE not in name)

    def _combined(self, other: FunctionCounts, sign: int) -> FunctionCounts:
        if self.inclusive != other.inclusive:
            raise AssertionError("Cannot merge inclusive and exclusive counts.")
        counts: dict[str, int] = {}
        for count, name in self:
            counts[name] = counts.get(name, 0) + count
        for count, name in other:
            counts[name] = counts.get(name, 0) + sign * count
        return _by_function(counts, self.inclusive)

    def __repr__(self) -> str:
        # A negative number has a column more than it needs, as in PyTorch.
        width = max((len(str(count)) + (count < 0) for count, _ in self), default=0)
        room = max((self._linewidth or line_width()) - width - 4, _LEAST_NAME)
        rows = [f"  {count:>{width}}  {_shortened(name, room)}" for count, name in self]
        if self.truncate_rows and len(rows) > _MOST_ROWS:
            half = _MOST_ROWS // 2
            rows = [*rows[:half], "...".rjust(width + 2), *rows[-half:]]
        if not self.inclusive:
            rows += ["", f"Total: {self.sum()}"]
        return "\n".join([object_repr(self), *rows])


def ordered_counts(rows: Iterable[tuple[int, str]], inclusive: bool) -> FunctionCounts:
    """Of pairs of count and function, in any order."""
    data = (FunctionCount(int(count), name) for count, name in rows)
    return FunctionCounts(tuple(sorted(data, reverse=True)), inclusive)


def _by_function(counts: Mapping[str, int], inclusive: bool) -> FunctionCounts:
    return ordered_counts(((count, name) for name, count in counts.items() if count), inclusive)


def _shortened(name: str, room: int) -> str:
    if len(name) <= room:
        return name
    left = (room - len(_CUT)) // 2
    return name[:left] + _CUT + name[-(room - left - len(_CUT)) :]
