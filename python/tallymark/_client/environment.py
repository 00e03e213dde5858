"""The surroundings that the measured interpreter gets from this process: program, environment, working folder, folders
of modules."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import cast

from tallymark._client.request import Tools
from tallymark._errors import Error

_NEEDED = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSAFEPATH", "VIRTUAL_ENV", "CONDA_PREFIX")


@dataclasses.dataclass(frozen=True)
class Surroundings:
    tools: Tools
    environment: dict[str, str]
    working_folder: str

    @classmethod
    def of_this_process(cls, tools: Mapping[str, str], folders: Iterable[str] = ()) -> Surroundings:
        """This interpreter, unless `tools` names another or a command that makes the environment; with `folders` on its
        path, before what PYTHONPATH has."""
        chosen = dict(tools)
        if "python" not in chosen and "env_command" not in chosen:
            chosen["python"] = this_interpreter()
        try:
            working_folder = os.getcwd()
        except OSError as error:
            raise Error(
                f"the working folder is gone: {error.strerror}", hint="change into one that exists"
            ) from None
        environment = _readable_environment()
        if not finds_in_working_folder():
            environment["PYTHONSAFEPATH"] = "1"
        path = [*dict.fromkeys(folders), *filter(None, [environment.get("PYTHONPATH")])]
        if path:
            environment["PYTHONPATH"] = os.pathsep.join(path)
        return cls(cast(Tools, chosen), environment, working_folder)


def this_interpreter() -> str:
    """Raises Error in a program that embeds Python and names no interpreter."""
    if not sys.executable:
        raise Error(
            "this process does not say which interpreter it is",
            place="sys.executable",
            hint='name one: tools={"python": "/usr/bin/python3"}',
        )
    return sys.executable


def _readable_environment() -> dict[str, str]:
    """All variables whose text is UTF-8, as JSON wants it. What measured processes need must be."""
    result = {}
    for name, value in os.environ.items():
        try:
            f"{name}={value}".encode()
        except UnicodeEncodeError:
            if name in _NEEDED:
                raise Error(
                    "is not UTF-8 text", place=f"${name}", hint="set it to a path that is"
                ) from None
            continue
        result[name] = value
    return result


def finds_in_working_folder() -> bool:
    """Whether this process finds modules in its working folder. Where it does not (`pytest` in a checkout whose package
    is installed), the measured interpreter must not either: it would import the checkout."""
    here = os.path.realpath(os.curdir)
    return any(os.path.realpath(path or os.curdir) == here for path in sys.path)


def missing_folders() -> tuple[str, ...]:
    """The entries of sys.path that the measured interpreter would not have by itself, in their order."""
    own = _own_path(
        this_interpreter(),
        os.environ.get("PYTHONPATH", ""),
        os.getcwd() if finds_in_working_folder() else None,
    )
    real = {os.path.realpath(path or os.curdir) for path in own}
    found = []
    for path in sys.path:
        # What is not a folder and no archive is a hook's name; an interpreter that has the hook has it, too.
        if os.path.exists(path or os.curdir) and os.path.realpath(path or os.curdir) not in real:
            found.append(os.path.abspath(path))
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=16)
def _own_path(python: str, pythonpath: str, folder: str | None) -> tuple[str, ...]:
    """Asked of the interpreter itself: .pth files and venvs decide. `folder` is None where it is not searched."""
    done = subprocess.run(
        [python, "-c", f"import json, sys; print(json.dumps(sys.path[{int(folder is None)}:]))"],
        env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    try:
        return tuple(str(path) for path in json.loads(done.stdout))
    except ValueError:
        raise Error(
            f"it does not start: {done.stderr.decode(errors='replace').strip()}",
            place=python,
            hint='name another: tools={"python": …}',
        ) from None
