"""tools/check_layers.py on trees with one planted violation each, and on the repository itself."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools/check_layers.py"
HEADER = "/// Owns nothing.\n#pragma once\n"


def check(files, *options):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            [sys.executable, TOOL, "--root", folder, *options],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


class Layers(unittest.TestCase):
    def test_the_repository_is_in_order(self):
        done = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_the_design_allows(self):
        code, text = check(
            {
                "src/plan/plan.cc": '#include "base/error.h"\n#include "definition/suite.h"\n#include <vector>\n',
                "src/cli/main.cc": '#include "trace/figures.h"\n#include "engine/engine.h"\n',
                "host/cpp/main.cc": '#include "protocol/frame.h"\n#include "regions.h"\n#include "tally/snippet.h"\n',
                "src/base/error.h": HEADER,
            }
        )
        self.assertEqual((code, text), (0, "layers: in order\n"))

    def test_planted_violations(self):
        for path, line, reason in [
            ("src/base/a.cc", '#include "cli/context.h"', "base includes"),
            ("src/definition/a.cc", '#include "expansion/case.h"', "definition includes"),
            ("src/plan/a.cc", '  #  include "build/builder.h"', "plan includes"),
            ("src/trace/a.cc", '#include "profile/profile.h"', "trace includes"),
            ("src/measurement/a.cc", '#include "record/record.h"', "measurement includes"),
            ("src/report/text/a.cc", '#include "engine/engine.h"', "report/text includes"),
            ("src/report/text/a.cc", '#include "report/html/page.h"', "report/text includes"),
            ("host/common/a.cc", '#include "process/process.h"', "host includes"),
            ("src/plan/a.cc", '#include "../build/builder.h"', "write it from src/ on"),
            ("src/attic/a.cc", "", "src/attic is no layer"),
        ]:
            with self.subTest(path=path, line=line):
                code, text = check({path: "\n" + line + "\n"})
                self.assertEqual(code, 1)
                self.assertIn(f"{path}:{2 if line else 1}: ", text)
                self.assertIn(reason, text)

    def test_headers(self):
        self.assertIn("opens with a comment", check({"src/base/a.h": "#pragma once\n"})[1])
        self.assertIn("needs #pragma once", check({"src/base/a.h": "/// Text.\n"})[1])
        self.assertEqual(
            check(
                {"src/base/a.h": HEADER + "#include <string>\nstd::string f();\n"},
                "--headers",
                "clang++-19",
            )[0],
            0,
        )
        code, text = check(
            {"src/base/a.h": HEADER + "std::string f();\n"}, "--headers", "clang++-19"
        )
        self.assertEqual(code, 1)
        self.assertIn("src/base/a.h:1: does not compile alone", text)

    def test_only_headers_that_a_touched_file_reaches(self):
        bad = "std::string f();\n"
        tree = {
            "src/base/low.h": HEADER,
            "src/plan/middle.h": HEADER + '#include "base/low.h"\n',
            "src/cli/high.h": HEADER + '#include "plan/middle.h"\n' + bad,
            "src/cli/other.h": HEADER + bad,
            "host/common/near.h": HEADER + '#include "beside.h"\n' + bad,
            "host/common/beside.h": HEADER,
        }
        with tempfile.TemporaryDirectory() as folder:
            names = pathlib.Path(folder) / "touched"
            for touched, compiled, found in [
                ("README.md\n", 0, []),
                ("src/cli/other.h\n", 1, ["src/cli/other.h"]),
                ("docs/a.md\nsrc/base/low.h\n", 3, ["src/cli/high.h"]),
                ("src/base/was_deleted.h\nhost/common/beside.h\n", 2, ["host/common/near.h"]),
                (
                    "packages.txt\n",
                    6,
                    ["host/common/near.h", "src/cli/high.h", "src/cli/other.h"],
                ),
            ]:
                with self.subTest(touched=touched):
                    names.write_text(touched)
                    _, text = check(tree, "--headers", "clang++-19", "--touched", str(names))
                    self.assertIn(f"layers: {compiled} headers are compiled alone\n", text)
                    self.assertEqual(
                        sorted(re.findall(r"(\S+):1: does not compile alone", text)), found
                    )

    def test_a_long_file_is_a_warning(self):
        code, text = check({"src/base/a.cc": "\n" * 451})
        self.assertEqual(code, 0)
        self.assertIn("warning: src/base/a.cc: 451 lines", text)


if __name__ == "__main__":
    unittest.main()
