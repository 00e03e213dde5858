"""Folders for what a measurement writes."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import time
import uuid

_SHARED_MEMORY = pathlib.Path("/dev/shm")
_OWNER = "owner.pid"


def make_temp_dir(prefix: str | None = None, gc_dev_shm: bool = False) -> str:
    """A new folder, which the caller removes.

    In shared memory when the variable BENCHMARK_USE_DEV_SHM is 1 or true; `gc_dev_shm` then first removes those of
    processes that are gone.
    """
    in_memory = os.environ.get("BENCHMARK_USE_DEV_SHM", "").lower() in ("1", "true")
    root = _shared_root() if in_memory else pathlib.Path(tempfile.gettempdir())
    if in_memory and gc_dev_shm:
        _remove_orphans(root)
    folder = root / f"{prefix or tempfile.gettempprefix()}__{int(time.time())}__{uuid.uuid4()}"
    folder.mkdir(mode=0o700, parents=True)
    if in_memory:
        (folder / _OWNER).write_text(str(os.getpid()))
    return str(folder)


def _shared_root() -> pathlib.Path:
    if not _SHARED_MEMORY.is_dir():
        raise AssertionError(f"This system has no {_SHARED_MEMORY}; unset BENCHMARK_USE_DEV_SHM.")
    root = (
        _SHARED_MEMORY / "pytorch_benchmark_utils"
    )  # theirs too: each removes what the other left
    root.mkdir(exist_ok=True)
    return root


def _remove_orphans(root: pathlib.Path) -> None:
    for owner in root.glob(f"*/{_OWNER}"):
        try:
            os.kill(int(owner.read_text()), 0)
        except PermissionError:
            continue  # another user's, and alive
        except (ProcessLookupError, FileNotFoundError, ValueError):
            print(
                f"{owner.parent} was left in shared memory by a process that is gone; removing it."
            )
            shutil.rmtree(owner.parent, ignore_errors=True)
