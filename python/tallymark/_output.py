"""Writes texts to where a user says. A file is replaced, and keeps its permissions and its owner; links are followed;
devices, pipes and descriptors (`/dev/fd/3`) are written into. The command does the same (`base/output_place.h`)."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat

_MOST_LINKS = 40  # the kernel's own limit
# A file that cannot be replaced: another's, in a folder that must not be written, mounted by itself.
_STAYS = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Raises OSError. What fails leaves the old file as it was, where that could be replaced."""
    data = text.encode()
    place, is_kernels = _target(os.fspath(path))
    try:
        about = None if is_kernels else os.stat(place)
    except FileNotFoundError:
        _replace(place, data, None)
        return
    if about is None or not stat.S_ISREG(about.st_mode):
        # A descriptor has a position, and text before it.
        _write_into(place, data, os.O_APPEND if is_kernels else 0)
        return
    if not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), place)
    try:
        _replace(place, data, about)
    except OSError as error:
        if error.errno not in _STAYS:
            raise
        _write_into(place, data, os.O_TRUNC)


def _target(path: str) -> tuple[str, bool]:
    """What the path names behind its links; True where the last of them is the kernel's own, to what a process has
    open."""
    for _ in range(_MOST_LINKS + 1):
        if not os.path.islink(path):
            return path, False
        folder = os.path.realpath(os.path.dirname(path) or ".")
        if folder.startswith("/proc/"):
            return path, True
        path = os.path.join(folder, os.readlink(path))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _replace(place: str, data: bytes, about: os.stat_result | None) -> None:
    """By a file beside it that takes its name; a new one has the permissions of new files."""
    beside = f"{place}.{secrets.token_hex(4)}"
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if about else 0o666)
    try:
        with open(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            if about:
                now = os.fstat(file)
                if (now.st_uid, now.st_gid) != (about.st_uid, about.st_gid):
                    os.fchown(file, about.st_uid, about.st_gid)
                os.fchmod(file, stat.S_IMODE(about.st_mode))
        os.replace(beside, place)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _write_into(place: str, data: bytes, how: int) -> None:
    with open(os.open(place, os.O_WRONLY | os.O_NOCTTY | how), "wb") as stream:
        stream.write(data)
