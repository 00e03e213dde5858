"""Images that bring their libraries along: the same counts where neither the interpreter nor its modules are installed.

The interpreter is a virtual environment of its own, and its module lies in there. On "the other machine" that folder is
gone and no other Python is on PATH.
"""

import json
import os
import shutil
import subprocess
import sys
import unittest

from images_fixture import MODULE, NEEDS_COUNTER, TALLY, ImagesCase, counted

SUITE = """
schema = 1
[toolchain.slow]
extends = "python"
requires = ["slowly_imported"]
[[benchmark]]
label = "work"
toolchain = "slow"
py = "slowly_imported.work()"
[[benchmark]]
label = "path"
toolchain = "slow"
setup.py = "import pathlib"
py = "pathlib.PurePath('a', 'b')"
"""
LAZY = """
schema = 1
[toolchain.slow]
extends = "python"
requires = ["slowly_imported"]
[[benchmark]]
label = "lazy"
toolchain = "slow"
py = "import lazily"
[[benchmark]]
label = "found"
toolchain = "slow"
py = "import wave"
[[benchmark]]
label = "swallowed"
toolchain = "slow"
setup.py = '''
def f():
    try:
        import lazily
    except ImportError:
        pass'''
py = "f()"
[[benchmark]]
label = "error"
toolchain = "slow"
py = "slowly_imported.work('too much')"
"""


@NEEDS_COUNTER
class SelfContainedImages(ImagesCase):
    def setUp(self):
        super().setUp()
        (self.folder / "slowly_imported.py").unlink()
        self.environment = {
            name: value for name, value in self.environment.items() if name != "PYTHONPATH"
        }
        self.venv = self.folder / "venv"
        if not self.venv.exists():
            base = os.path.realpath(sys.executable)
            subprocess.run([base, "-m", "venv", "--copies", "--without-pip", self.venv], check=True)
        packages = next(self.venv.glob("lib/python3*/site-packages"))
        (packages / "slowly_imported.py").write_text(MODULE)
        (packages / "lazily.py").write_text("")
        (packages / "words.txt").write_text("some words of which few are long " * 3)
        self.write("suite.toml", SUITE)
        self.write("lazy.toml", LAZY)
        self.empty = self.folder / "empty"
        self.empty.mkdir(exist_ok=True)

    def tally(self, *arguments, code=0, path=None):
        done = subprocess.run(
            [TALLY, *map(str, arguments)],
            env=self.environment | ({"PATH": str(path)} if path else {}),
            cwd=self.folder,
            text=True,
            capture_output=True,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def at_origin(self):
        """A record of the machine where all is installed, and the file of its images."""
        python = self.venv / "bin/python3"
        self.tally("run", "suite.toml", *self.options("there.json"), "--python", python)
        kept = self.folder / "hosts.tally"
        self.assertIn(
            "Python host of slow", self.tally("cache", "export", "--self-contained", kept)
        )
        shutil.rmtree(self.venv)
        self.tally("cache", "clear")
        return json.loads((self.folder / "there.json").read_text()), kept

    def options(self, record):
        return "--counts-only", "--server", "off", "--json", self.folder / record

    def run_here(self, *more, code=0):
        """On the other machine."""
        said = self.tally(
            "run",
            *(more or ("suite.toml",)),
            *self.options("here.json"),
            code=code,
            path=self.empty,
        )
        return json.loads((self.folder / "here.json").read_text()), said

    def failures(self, record):
        return {
            case["label"][0]: case["failure"]["message"]
            for case in record["cases"]
            if case["status"] != "ok"
        }

    def test_counts_are_the_origins_where_nothing_is_installed(self):
        there, kept = self.at_origin()
        self.assertIn(
            "no Python interpreter works", self.tally("run", "suite.toml", code=2, path=self.empty)
        )
        self.tally("cache", "import", kept, path=self.empty)
        for _ in range(2):  # as it is carried, and of the store
            here, said = self.run_here()
            self.assertEqual(counted(here), counted(there))
            self.assertIn("is not installed here", said)
            name = "slow [python]"
            self.assertEqual(here["settings"]["host_start"], {name: "image"})
            for kind in ("facts", "subject", "fingerprint"):
                self.assertEqual(
                    here["environments"][name][kind], there["environments"][name][kind]
                )
            self.assertEqual(here["environments"][name]["machine"]["python.libraries"], "carried")
        self.assertIn("with its libraries", self.tally("cache"))
        # Times are of a process that the interpreter starts.
        times = self.tally(
            "run", "suite.toml", "--wall-only", "--server", "off", code=1, path=self.empty
        )
        self.assertIn("only counts", times)
        self.assertIn(
            "--self-contained is of export alone",
            self.tally("cache", "show", "--self-contained", code=2),
        )

    def test_what_a_case_looks_for_beside_them_is_no_count(self):
        _, kept = self.at_origin()
        self.tally("cache", "import", kept, path=self.empty)
        record, _ = self.run_here("lazy.toml", code=1)
        failed = self.failures(record)
        looks = "it looks for /.*, and its image brought"
        self.assertRegex(failed["lazy"], f"No module named 'lazily'.*: {looks}")
        for name in ("found", "swallowed"):  # the standard library is here, but it may be another
            self.assertRegex(failed[name], f"exited .*: {looks}")
        self.assertIn("TypeError", failed["error"])
        self.assertNotIn("looks for", failed["error"])

    def test_an_installed_one_goes_first(self):
        there, kept = self.at_origin()
        self.tally("cache", "import", kept)
        self.write("slowly_imported.py", MODULE)
        self.write("words.txt", "other words")
        record, said = self.run_here_with_python()
        self.assertNotIn("is not installed here", said)
        self.assertNotEqual(counted(record)["work [python]"], counted(there)["work [python]"])
        self.assertNotIn("python.libraries", record["environments"]["slow [python]"]["machine"])

    def run_here_with_python(self):
        said = self.tally(
            "run", "suite.toml", *self.options("here.json"), "--python", sys.executable
        )
        return json.loads((self.folder / "here.json").read_text()), said

    def test_a_library_of_the_store_that_was_written_to(self):
        there, kept = self.at_origin()
        self.tally("cache", "import", kept, path=self.empty)
        self.run_here()
        library = max(self.images.glob("*.library"), key=lambda file: file.stat().st_size)
        with library.open("r+b") as file:
            file.seek(library.stat().st_size // 2)
            file.write(b"x")
        record, _ = self.run_here(code=1)
        self.assertEqual(set(self.failures(record)), {"work", "path"})
        # Carried anew, it counts again.
        self.tally("cache", "import", kept, path=self.empty)
        record, _ = self.run_here()
        self.assertEqual(counted(record), counted(there))

    def test_damaged_files(self):
        _, kept = self.at_origin()
        whole = kept.read_bytes()
        for at in (len(whole) // 3, len(whole) - 1000):
            kept.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            self.assertIn(str(kept), self.tally("cache", "import", kept, code=2))
            kept.write_bytes(whole[:at])
            self.assertIn(str(kept), self.tally("cache", "import", kept, code=2))
        self.assertEqual(list(self.images.glob("*.carried")), [])


if __name__ == "__main__":
    unittest.main()
