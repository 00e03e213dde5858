"""What a program that is counted by tally finds around it, for plain Callgrind to give its own program the same.

Counts depend on it: `getenv` takes 6 instructions for each variable before the one that it looks for, and glibc's
`strcmp`, `memcmp` and `strncasecmp` go another way where one of two texts lies near the end of a page (`strcmp` of TZ:
22 instructions more). Variables are the same by name, number, order and address. The loader starts the program, so that
its heap lies below it, as under tally (`std::string` compares the addresses of what it appends and of its own
characters: 3 instructions for each text of the program). Stack and heap are not the same: tally's library and the loop
of a region are another program, so these are moved until the counts agree, or nothing is left to try.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

# Of src/hosts/environment.h; Valgrind adds its own, and shells of its script's put all into an order of their names.
SET_BY_TALLY = {
    "KMP_BLOCKTIME": "0",
    "LC_ALL": "C.UTF-8",
    "MKL_DYNAMIC": "FALSE",
    "OMP_DYNAMIC": "false",
    "OMP_WAIT_POLICY": "passive",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
}
SET_OF_SIDE = {"header": {}, "google": {"LD_BIND_NOW": "1"}}
UNREAD = ("KMP_BLOCKTIME", "MKL_DYNAMIC", "OMP_DYNAMIC", "OPENBLAS_NUM_THREADS")

# Of src/hosts/host_spec.cc: how a program is started, and a variable that is removed before `main`.
LOADER = "/lib64/ld-linux-x86-64.so.2"
STARTED = {
    "header": [LOADER, "/proc/self/fd/4"],
    "google": [LOADER, "--preload", "/proc/self/fd/5", "/proc/self/fd/4"],
}
REMOVED = "TALLY_ASKS_PROGRAM=serve"
STEP = 16  # bytes: what stacks and heaps are aligned to


def counted_environment(side: str) -> dict[str, str]:
    """The variables of a counted program of a side."""
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin")} | SET_BY_TALLY | SET_OF_SIDE[side]


@contextlib.contextmanager
def open_program(path: str) -> Iterator[int]:
    """A descriptor that a process may execute."""
    program = os.open(path, os.O_RDONLY)
    try:
        yield program
    finally:
        os.close(program)


def size_of(texts: Iterable[str]) -> int:
    """Bytes on the stack."""
    return sum(len(text) + 1 for text in texts)


def started(program: int) -> list[str]:
    """The loader, and the program by its descriptor. Above the variables lies the path of what is started, so it is as
    long as the loader's and the variable that is removed.
    """
    folder, _, name = LOADER.rpartition("/")
    missing = size_of([REMOVED])
    return [f"{folder}/{'/' * missing}{name}", f"/proc/self/fd/{program}"]


def padded(flags: dict[str, str], side: str, shift: int, taken: int) -> dict[str, str]:
    """The same flags, with slashes in the last one's path: all texts take as much of the stack as those of a counted
    program, or whole steps more, so that the variables lie where they lie there. `taken`: bytes of the other texts.
    """
    size = size_of(f"{flag}={value}" for flag, value in flags.items()) + taken
    missing = (size_of(STARTED[side]) - size) % STEP + STEP * shift
    *_, out = flags
    folder, _, name = flags[out].rpartition("/")
    return flags | {out: f"{folder}/{'/' * missing}{name}"}


def shifts() -> list[int]:
    """Steps over a page, first those far from each other. A path may not be as long as the longest."""
    order = sorted(range(1, 256), key=lambda step: f"{step:08b}"[::-1])
    return [step for step in order if step < 245]
