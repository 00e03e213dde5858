"""The console script `tallymark-config`: where the C++ half lies that came with this package, for compilers and CMake.

The wheel has all that `cmake --install` makes, without its links: a wheel cannot hold any. Only the folder that takes
Google Benchmark's place (docs/guides/cmake.md) has some. So a prefix that has them is laid out in the user's cache when
somebody requests it."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence

from tallymark import __version__
from tallymark._client.program import NO_PROGRAM, program_path
from tallymark._errors import Error

_DROP_IN = os.path.join("lib", "tallymark", "drop-in")
_PACKAGE = os.path.join("lib", "cmake", "tallymark")


def installation() -> str:
    """The prefix that the program is installed in. Raises Error where there is none, or where it has no C++ half."""
    program = program_path(scripts=False)
    if program is None:
        raise Error(NO_PROGRAM.partition(": ")[2])
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(program)))
    if not os.path.isfile(os.path.join(prefix, _PACKAGE, "tallymarkConfig.cmake")):
        raise Error(
            f"{prefix} has no libraries and headers for C++",
            hint="install the wheel, Debian's libtallymark-dev, or run cmake --install",
        )
    return prefix


def _package_files(prefix: str) -> str:
    """The folder of the files that pkg-config reads: Debian has them by architecture."""
    for folder in ("lib/pkgconfig", "lib/x86_64-linux-gnu/pkgconfig"):
        if os.path.isfile(os.path.join(prefix, folder, "tallymark-bench.pc")):
            return os.path.join(prefix, folder)
    raise Error(f"{prefix} has no tallymark-bench.pc")


def _flags(prefix: str, key: str) -> str:
    """What pkg-config would print of tallymark-bench."""
    values = {"pcfiledir": _package_files(prefix)}
    with open(os.path.join(values["pcfiledir"], "tallymark-bench.pc"), encoding="utf-8") as file:
        for line in file:
            for name, value in values.items():
                line = line.replace("${" + name + "}", value)
            name, equals, value = line.strip().partition("=")
            if equals and name.isidentifier():
                values[name] = os.path.normpath(value)
            elif line.startswith(key + ":"):
                return line.partition(":")[2].strip()
    raise Error(f"tallymark-bench.pc has no {key}")


def _cache() -> str:
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(root, "tallymark", "drop-in")


def drop_in(prefix: str) -> str:
    """The folder that has what an installation of Google Benchmark has. Of a wheel it is laid out once, with links into
    the wheel, and again where the wheel is another one."""
    inside = os.path.join(prefix, _DROP_IN)
    listed = os.path.join(prefix, "links.json")
    if not os.path.exists(listed):
        return inside
    with open(listed, encoding="utf-8") as file:
        links: dict[str, str] = json.load(file)
    key = f"{prefix} {os.stat(listed).st_mtime_ns} {sorted(links.items())}"
    made = os.path.join(_cache(), hashlib.sha256(key.encode()).hexdigest()[:16])
    if os.path.isdir(made):
        return os.path.join(made, _DROP_IN)
    os.makedirs(_cache(), exist_ok=True)
    stage = tempfile.mkdtemp(dir=_cache())
    try:
        _mirror(prefix, links, stage)
        os.chmod(stage, 0o755)
        try:
            os.rename(stage, made)
        except OSError:
            if not os.path.isdir(made):  # not by another one, at the same time
                raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return os.path.join(made, _DROP_IN)


def _mirror(prefix: str, links: dict[str, str], folder: str) -> None:
    """A prefix with the wheel's links, all else of which is the wheel's own."""
    shutil.copytree(os.path.join(prefix, _DROP_IN), os.path.join(folder, _DROP_IN))
    for name, target in links.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        os.symlink(target, os.path.join(folder, name))
    for part in ("", "lib"):
        for name in os.listdir(os.path.join(prefix, part)):
            if not os.path.lexists(os.path.join(folder, part, name)):
                os.symlink(os.path.join(prefix, part, name), os.path.join(folder, part, name))


_ANSWERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "prefix": ("the folder for CMAKE_PREFIX_PATH", str),
    "cmakedir": ("the folder for tallymark_DIR", lambda prefix: os.path.join(prefix, _PACKAGE)),
    "pkgconfigdir": ("the folder for PKG_CONFIG_PATH", _package_files),
    "cflags": ("options of a compiler", lambda prefix: _flags(prefix, "Cflags")),
    "libs": ("options of a linker", lambda prefix: _flags(prefix, "Libs")),
    "drop-in": ("the folder that takes Google Benchmark's place", drop_in),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what is requested, a line each, in the order of the help. Exit code 2 where it is not available."""
    parser = argparse.ArgumentParser(
        prog="tallymark-config",
        description="Say where the C++ half of Tallymark lies.",
        epilog="cmake -S . -B build -DCMAKE_PREFIX_PATH=$(tallymark-config --prefix)",
    )
    parser.add_argument("--version", action="version", version=__version__)
    for name, (meaning, _) in _ANSWERS.items():
        parser.add_argument(f"--{name}", action="store_true", help=meaning)
    asked = vars(parser.parse_args(arguments))
    wanted = [name for name in _ANSWERS if asked[name.replace("-", "_")]]
    if not wanted:
        parser.print_help(sys.stderr)
        return 2
    try:
        prefix = installation()
        for name in wanted:
            print(_ANSWERS[name][1](prefix))
    except (Error, OSError) as error:
        print(f"tallymark-config: {error}", file=sys.stderr)
        return 2
    return 0
