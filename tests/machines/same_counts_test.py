"""A count is the same on every machine: what differs around a host, and is no code, moves none."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import surroundings

BUILD = pathlib.Path(os.environ.get("TALLY_BUILD_DIR", "build/release")).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
INTERPRETER = "/usr/bin/python3"
# Counts as many rounds as an address has sixteens: what moves an object by one block moves a count.
ADDRESSES = """
schema = 1

[toolchain.asking]
extends = "python"
requires = ["asking"]

[defaults]
toolchain = "asking"

[[variants]]
label = ["Address"]
py = '''
# @setup
after = range(id(asking.AFTER) // 16 % 4096)
classes = range(sum(map(id, asking.CLASSES)) // 16 % 4096)
# @what is made after a look at packages
for _ in after: pass
# @many classes
for _ in classes: pass
'''
"""
# PyTorch 2 asks so in the midst of its import, and makes 1,700 classes.
ASKING = """
import importlib.metadata

try:
    importlib.metadata.version("no-such-package")
except importlib.metadata.PackageNotFoundError:
    pass
AFTER = bytes(3000)
CLASSES = [type("Some", (), {}) for _ in range(1700)]
"""


def counted(record):
    """Of each case all values that were counted, by its id.

    How often each was counted is the scheduler's: the first case of a host is held against a second fork.
    """
    return {
        case["id"]: (set(case["counts"]["replicates"]), set(case["counts"]["baseline_replicates"]))
        for case in json.loads(pathlib.Path(record).read_text())["cases"]
    }


def moved(before, after):
    return {case: (before[case], after[case]) for case in before if before[case] != after[case]}


@unittest.skipUnless(surroundings.available(), "namespaces cannot be made here")
@unittest.skipUnless(os.geteuid() == 0, "only root may mount")
class SameCounts(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.surroundings = surroundings.prepared(self.room / "made")

    def addresses(self, text):
        """Counts that follow from addresses."""
        folder = self.room / "modules"
        folder.mkdir(exist_ok=True)
        (folder / "asking.py").write_text(ASKING)
        suite = self.room / "addresses.toml"
        suite.write_text(ADDRESSES)
        return self.count(suite, f"export PYTHONPATH='{folder}'; " + text)

    def count(self, suite, text="", *options):
        record = self.room / "record.json"
        arguments = [
            BUILD / "tally", "run", ROOT / "suites" / suite, "--counts-only", "--server", "off",
            "--images", "off", "--python", INTERPRETER, "--json", record, "--quiet", *options,
        ]  # fmt: skip
        run = subprocess.run(
            surroundings.command(text, arguments), check=False, capture_output=True, text=True
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return counted(record)

    def test_of_python_all_at_once(self):
        before = self.count("python_standard.toml")
        self.assertGreater(len(before), 40)
        after = self.count("python_standard.toml", self.surroundings["all of these"])
        self.assertEqual(moved(before, after), {})

    def test_of_python_with_more_files_in_a_folder_of_pythonpath(self):
        folder = self.room / "modules"
        folder.mkdir()
        (folder / "one_module.py").touch()
        set_path = f"export PYTHONPATH='{folder}'; "
        before = self.count("python_standard.toml", set_path)
        for number in range(surroundings.MORE_PACKAGES):
            (folder / f"module_{number}.py").touch()
        self.assertEqual(moved(before, self.count("python_standard.toml", set_path)), {})

    def test_of_python_whose_own_start_imports_more(self):
        text = surroundings.copy_on_another_disk(surroundings.LIBRARY, "/mnt/library")
        text += "echo 'import colorsys' >>/mnt/library/copy/traceback.py; "
        after = self.count("python_standard.toml", text, "--filter", "Calls/f*")
        self.assertGreater(len(after), 1)

    def test_of_addresses_in_what_an_import_makes(self):
        before = self.addresses("")
        self.assertEqual(len(before), 2)
        self.assertEqual(moved(before, self.addresses(self.surroundings["more packages"])), {})

    def test_of_pytorch_all_at_once(self):
        before = self.count("torch_quick.toml")
        self.assertGreater(len(before), 20)
        after = self.count("torch_quick.toml", self.surroundings["all of these"])
        self.assertEqual(moved(before, after), {})


if __name__ == "__main__":
    unittest.main()
