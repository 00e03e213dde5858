"""What loading the Python host's extension takes of the process is what it has been.

    host_footprint.py EXTENSION

Where its segments lie, and how many versions of libraries' interfaces it asks for: the loader keeps an
array of those in the heap. One more of either puts all that the interpreter allocates after it elsewhere:
with one version more (CPU_COUNT is of GLIBC_2.6), 26 of 35 Python cases of PyTorch's models and trainings
read up to 0.9 % otherwise. To change it is allowed, and has to be meant: measure the standard suite before
and after. Exit code 77 elsewhere than on Debian 12 with the release's flags, where the figures are others.
"""

import re
import subprocess
import sys

SEGMENTS = [0x0, 0x4000, 0xC000, 0x10000]
LAST_PAGE = 0x949000
VERSIONS = 17
NEEDED = 4
PAGE = 0x1000


def readelf(option, path):
    return subprocess.run(
        ["readelf", option, "--wide", path], check=True, capture_output=True, text=True
    ).stdout


def main(path):
    with open("/etc/os-release", encoding="utf-8") as file:
        if "bookworm" not in file.read():
            print("not Debian 12: nothing tested")
            return 77
    loads = [line.split() for line in readelf("--segments", path).splitlines() if " LOAD " in line]
    starts = [int(load[2], 16) // PAGE * PAGE for load in loads]
    last = (int(loads[-1][2], 16) + int(loads[-1][5], 16) - 1) // PAGE * PAGE
    versions = len(re.findall(r"Name: \S+ +Flags", readelf("--version-info", path)))
    needed = readelf("--dynamic", path).count("(NEEDED)")
    found = (starts, last, versions, needed)
    print("segments start at", [hex(start) for start in starts], "the last ends in page", hex(last))
    print(versions, "versions of", needed, "libraries")
    if found != (SEGMENTS, LAST_PAGE, VERSIONS, NEEDED):
        print("FAILED: the extension's footprint is another, and so are counts in Python")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
