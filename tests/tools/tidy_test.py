"""tools/tidy.py with a clang-tidy that finds the word FINDING, and writes down what it has read."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDY = """#!/bin/sh
if [ "$1" = --version ]; then cat version; exit; fi
for file; do :; done
echo "$file" >>read
if grep -q KILLED "$file"; then kill -9 $PPID; fi
echo '3 warnings generated.' >&2
if grep FINDING "$file"; then exit 1; fi
"""


class Tidy(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        (self.room / "bin").mkdir()
        (self.room / "build").mkdir()
        self.write("bin/clang-tidy-19", TIDY)
        (self.room / "bin/clang-tidy-19").chmod(0o755)
        self.write("version", "19.1.7")
        self.write(".clang-tidy", "Checks: bugprone-*\n")
        self.write("deep.h", "\n")
        self.write("common.h", '#include "deep.h"\n')
        self.write("a.cc", '#include "common.h"\n')
        self.write("b.cc", '#include "common.h"\n')
        self.write("c.cc", "int three;\n")
        self.set_commands("-O1")

    def write(self, name, text):
        (self.room / name).write_text(text)

    def set_commands(self, option):
        entries = [
            {
                "directory": str(self.room / "build"),
                "command": f"c++ {option} -o {name}.o -c {self.room}/{name}.cc",
                "file": f"{self.room}/{name}.cc",
            }
            for name in "abc"
        ]
        self.write("build/compile_commands.json", json.dumps(entries))

    def tidy(self):
        """What it has read, its exit code, and what it has printed between its first and its last line."""
        self.write("read", "")
        done = subprocess.run(
            [sys.executable, str(ROOT / "tools/tidy.py"), "build", "--jobs", "1"],
            input="a.cc\nb.cc\nc.cc\n",
            cwd=self.room,
            env={**os.environ, "PATH": f"{self.room}/bin:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        read = "".join(name[0] for name in (self.room / "read").read_text().split())
        return read, done.returncode, done.stdout.splitlines()[1:-1]

    def test_what_has_passed_is_read_again_when_it_changes(self):
        self.assertEqual(self.tidy(), ("abc", 0, []))
        self.assertEqual(self.tidy(), ("", 0, []))
        self.write("c.cc", "int four;\n")
        self.assertEqual(self.tidy(), ("c", 0, []))
        self.write("deep.h", "int five;\n")
        self.assertEqual(self.tidy(), ("ab", 0, []))

    def test_what_is_changed_back_has_passed_with_its_last_text_only(self):
        self.tidy()
        self.write("c.cc", "int FINDING;\n")
        self.assertEqual(self.tidy()[0], "c")
        self.write("c.cc", "int three;\n")
        self.assertEqual(self.tidy()[0], "")

    def test_a_finding_is_printed_until_it_is_gone(self):
        self.write("b.cc", "int FINDING;\n")
        self.assertEqual(self.tidy(), ("abc", 1, ["int FINDING;"]))
        self.assertEqual(self.tidy(), ("b", 1, ["int FINDING;"]))
        self.write("b.cc", "int found;\n")
        self.assertEqual(self.tidy(), ("b", 0, []))

    def test_checks_commands_and_the_version_are_parts_of_a_verdict(self):
        self.tidy()
        self.write(".clang-tidy", "Checks: performance-*\n")
        self.assertEqual(self.tidy()[0], "abc")
        self.set_commands("-O2")
        self.assertEqual(self.tidy()[0], "abc")
        self.write("version", "19.1.8")
        self.assertEqual(self.tidy()[0], "abc")

    def test_one_that_is_killed_continues_where_it_was(self):
        self.write("b.cc", "int KILLED;\n")
        read, ended, _ = self.tidy()
        self.assertEqual((read, ended), ("ab", -signal.SIGKILL))
        self.write("b.cc", "int two;\n")
        self.assertEqual(self.tidy(), ("bc", 0, []))

    def test_a_line_that_a_kill_cut_off_is_none(self):
        self.tidy()
        journal = self.room / "build/tidy.passed"
        journal.write_text(journal.read_text()[:-4])
        self.assertEqual(self.tidy()[0], "c")


if __name__ == "__main__":
    unittest.main()
