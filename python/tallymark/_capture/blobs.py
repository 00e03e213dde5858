"""Files that carry data: named by digest, in the user's cache folder, removed when they are old."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tallymark._errors import Error

if TYPE_CHECKING:
    from typing_extensions import Buffer

_KEPT_SECONDS = 7 * 24 * 3600.0
_KEPT_BYTES = 4 * 1024**3
_swept = False


class NoRoom(Error):
    """The folder's disk is full, or takes no more for another reason."""


def folder() -> Path:
    """Made when it is not there; the user's alone."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    made = Path(cache) / "tallymark" / "data"
    try:
        made.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Error(
            f"cannot make it: {error.strerror}",
            place=str(made),
            hint="set XDG_CACHE_HOME to a folder of yours",
            kind="io",
        ) from None
    return made


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """An error of the disk does not come from the values: the message names the folder."""
    try:
        yield
    except OSError as error:
        raise NoRoom(
            f"cannot write the values that the statement takes along: {error.strerror}",
            place=str(folder()),
            hint="make room, or set XDG_CACHE_HOME to a folder that has some",
            kind="io",
        ) from None


class NewFile:
    """A file of the folder, which somebody writes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.name: str = file.name

    def write(self, piece: Buffer) -> None:
        with _writing():
            self._file.write(piece)

    def flush(self) -> None:
        with _writing():
            self._file.flush()


@contextlib.contextmanager
def new_file() -> Iterator[NewFile]:
    """A file to write, which is gone afterwards unless `keep` has taken it."""
    global _swept
    if not _swept:
        _swept = True
        sweep(folder())
    with _writing():
        file = tempfile.NamedTemporaryFile(dir=folder(), prefix="new-", delete=False)  # noqa: SIM115
    try:
        yield NewFile(file)
    finally:
        with contextlib.suppress(OSError):  # what it could not write was reported, or is of no use
            file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.name)


def keep(file: NewFile, digest: str) -> Path:
    """The file's lasting name. The same content has one file, however often it is written."""
    file.flush()
    path = folder() / f"{digest}.pickle"
    if path.exists():
        os.utime(path)
    else:
        with _writing():
            os.replace(file.name, path)
    return path


def sweep(where: Path, *, seconds: float = _KEPT_SECONDS, size: int = _KEPT_BYTES) -> None:
    """Removes what nobody has used for a week, and the oldest of what is beyond 4 GiB."""
    found = []
    for path in where.iterdir():
        with contextlib.suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    total = 0
    for used, amount, path in sorted(found, reverse=True):
        total += amount
        if used < time.time() - seconds or total > size:
            with contextlib.suppress(OSError):
                path.unlink()
