#!/usr/bin/env python3
"""The platform tag of a wheel that holds these programs: manylinux_2_N_x86_64, N the newest glibc that any asks for.

    tools/wheel/platform_tag.py FOLDER

Exit code 1, with the program and the library, where one needs a library that is not in every distribution (PEP 600).
Reads what `objdump -p` says (binutils, which clang brings along)."""

from __future__ import annotations

import os
import re
import subprocess
import sys

EVERYWHERE = {
    *("libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0"),
    *("libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"),
}


def programs(folder: str) -> list[str]:
    """Every ELF file below `folder`."""
    found = []
    for root, _, names in os.walk(folder):
        for path in (os.path.join(root, name) for name in sorted(names)):
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    found.append(path)
    return found


def main() -> int:
    newest = 5  # what PEP 600 begins with
    found = programs(sys.argv[1])
    if not found:
        print(f"platform_tag: {sys.argv[1]}: no program in it", file=sys.stderr)
        return 1
    for path in found:
        text = subprocess.run(
            ["objdump", "-p", path], check=True, capture_output=True, text=True
        ).stdout
        if "file format elf64-x86-64" not in text:
            print(f"platform_tag: {path}: not of x86_64", file=sys.stderr)
            return 1
        foreign = set(re.findall(r"NEEDED +(\S+)", text)) - EVERYWHERE
        if foreign:
            print(
                f"platform_tag: {path} needs {', '.join(sorted(foreign))}, which not every distribution has: "
                "link it statically (src/cli/CMakeLists.txt, cmake/StaticLibraries.cmake)",
                file=sys.stderr,
            )
            return 1
        newest = max([newest, *(int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", text))])
    print(f"manylinux_2_{newest}_x86_64")
    return 0


if __name__ == "__main__":
    sys.exit(main())
