"""Finds the program `tally`, its socket, and a server of the same build; starts one where there is none."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
import time
from pathlib import Path

from tallymark._client.program import bundled_tally
from tallymark._client.protocol import Connection
from tallymark._errors import Error, ServerLost

_START = 15.0  # seconds for a server to listen
_STARTS_AGAIN = 3
_PAUSE = 0.1  # seconds before each of these
_started: list[subprocess.Popen[bytes]] = []  # looked after so that none becomes a zombie


def find_tally(name: str | None = None) -> str:
    """The program's path: `name`, $TALLY, the wheel's own, or the first on PATH. Raises Error when there is none."""
    asked = name or os.environ.get("TALLY")
    if asked:
        found = shutil.which(os.path.expanduser(asked))
        if found is None:
            raise Error(
                f"'{asked}' is not a program",
                place="tally" if name else "$TALLY",
                hint="give the path of tally, or unset it",
                kind="missing",
            )
        return os.path.realpath(found)
    found = bundled_tally() or shutil.which("tally")
    if found is None:
        raise Error(
            "there is no tally",
            hint="install the tallymark wheel, put tally on PATH, or set TALLY to its path",
            kind="missing",
        )
    return os.path.realpath(found)


def runtime_folder() -> Path:
    """The folder of sockets, made when it is not there. Raises Error when another user could reach into it."""
    parent = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(parent) / "tallymark" if parent else Path(f"/tmp/tallymark-{os.getuid()}")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Error(
            f"cannot make it: {error.strerror}",
            place=str(folder),
            hint="set XDG_RUNTIME_DIR to a folder of yours, or unset it",
            kind="io",
        ) from None
    found = folder.lstat()
    if (
        not stat.S_ISDIR(found.st_mode)
        or found.st_uid != os.getuid()
        or stat.S_IMODE(found.st_mode) & 0o077
    ):
        raise Error(
            "others could put a server here",
            place=str(folder),
            hint=f"make it yours alone: chmod 700 {folder}, or remove it",
            kind="io",
        )
    return folder


def connect_to(path: str) -> Connection:
    """A server that must already be there. Raises Error when nobody listens."""
    try:
        return Connection.connect(path)
    except OSError as error:
        raise Error(
            f"no server listens: {error.strerror or error}",
            place=path,
            hint="start one with `tally serve --socket PATH`, or let one be started: unset TALLY_SERVER",
            kind="io",
        ) from None


def find_or_start(tally: str) -> Connection:
    """A server of this very program: the user's, one of its own where that is another build, or a new one."""
    for process in _started[:]:
        if process.poll() is not None:
            _started.remove(process)
    folder = runtime_folder()
    for name in ("serve.sock", f"serve-{_identity(tally)}.sock"):
        path = str(folder / name)
        try:
            connection = Connection.connect(path)
        except OSError:
            return _start(tally, path)
        if _runs(tally, connection.hello.get("pid")):
            return connection
        connection.close()
    raise Error(
        "the server there is of another tally", place=path, hint="end it: kill its pid", kind="io"
    )


def _runs(tally: str, pid: object) -> bool:
    """Whether that process executes this very file: one that was built anew since may count otherwise. Where there is
    nothing to distinguish them by (a script that becomes the program, another mount of /proc) it does."""
    try:
        with open(tally, "rb") as file:
            if file.read(4) != b"\x7fELF":
                return True
        return os.path.samefile(f"/proc/{pid}/exe", tally)
    except OSError:
        return True


def _identity(tally: str) -> str:
    status = os.stat(tally)
    text = f"{tally} {status.st_ino} {status.st_mtime_ns}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _start(tally: str, path: str) -> Connection:
    """A new server, or the one that another process has just started there.

    A server that ends at once is started again: it may have found one at its place that was about to end."""
    _sweep_logs(Path(path).parent)
    deadline = time.monotonic() + _START
    process, begin = _spawn(tally, path)
    again = _STARTS_AGAIN
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            connection = Connection.connect(path)
            if process.poll() is None:
                _started.append(process)
            return connection
        # One that found another server at its place has ended; that one listens, or will.
        if process.poll() is not None and again > 0:
            again -= 1
            time.sleep(_PAUSE)
            process, begin = _spawn(tally, path)
        elif process.poll() not in (None, 0) and _log_since(path, begin):
            with contextlib.suppress(OSError):
                return Connection.connect(path)
            break
        time.sleep(0.01)
    if process.poll() is None:
        process.kill()
        process.wait()
    raise ServerLost(
        f"the server did not start: {_log_since(path, begin) or 'it wrote nothing'}",
        place=tally,
        hint=f"see what `{tally} serve` says",
    )


def _spawn(tally: str, path: str) -> tuple[subprocess.Popen[bytes], int]:
    """A server's process, and where what it says begins in the log. In a session of its own, so that a terminal's or a
    notebook's Ctrl-C never reaches it."""
    with open(f"{path}.log", "ab") as log:
        begin = log.tell()
        process = subprocess.Popen(
            [tally, "serve", "--socket", path],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return process, begin


def _sweep_logs(folder: Path) -> None:
    """Of servers of other builds that are gone."""
    for log in folder.glob("serve-*.sock.log"):
        if not log.with_suffix("").exists():
            with contextlib.suppress(OSError):
                log.unlink()


def _log_since(path: str, begin: int) -> str:
    with contextlib.suppress(OSError), open(f"{path}.log", "rb") as log:
        log.seek(begin)
        return log.read()[-1000:].decode(errors="replace").strip()
    return ""


@atexit.register
def _leave_to_themselves() -> None:
    """Servers outlive this process; a Popen that is still running complains when it is collected."""
    for process in _started:
        if process.poll() is None:
            process.returncode = 0
