"""A count is the same on every machine: what differs around a host, and is no code, moves none."""

import json
import os
import pathlib
import shutil
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
import os
# What the import was answered is true, and what it has kept of os still answers.
assert asking.USER == (os.getuid(), os.getgid(), os.path.expanduser("~/.local"))
about = [(x[:7], x.st_mtime, x.st_mtime_ns, x.st_blocks) for x in (*asking.OWNER, asking.stat(asking.__file__))]
assert len(set(about)) == 1 and type(asking.OWNER[0]) is os.stat_result
assert "function" in repr(os.stat) and os.stat is not asking.stat
after = range(id(asking.AFTER) // 16 % 4096)
classes = range(sum(map(id, asking.CLASSES)) // 16 % 4096)
# @what is made after a look at packages
for _ in after: pass
# @many classes
for _ in classes: pass
# @what is made after questions about the user
for _ in asking.rounds: pass
'''
"""
# PyTorch 2 asks for a version in the midst of its import, and makes 1,700 classes.
ASKING = """
import importlib.metadata
import os
import pathlib
from os import stat

try:
    importlib.metadata.version("no-such-package")
except importlib.metadata.PackageNotFoundError:
    pass
AFTER = bytes(3000)
CLASSES = [type("Some", (), {}) for _ in range(1700)]
USER = os.getuid(), os.getgid(), os.path.expanduser("~/.local")
OWNER = os.stat(__file__), os.lstat(__file__), pathlib.Path(__file__).stat()
MADE = [1 << number for number in range(40, 60)] + [str(n) * times for n in range(1000, 1020) for times in (3, 6, 10)]
rounds = range(sum(map(id, MADE)) // 16 % 4096)
"""
ROOMS = "tally-machines-"
USER = 54321  # nobody's number


def setUpModule():
    """Removes the rooms of such tests that were killed: each has 300 MB."""
    for room in pathlib.Path(tempfile.gettempdir()).glob(f"{ROOMS}*"):
        owner = room.name.removeprefix(ROOMS).partition("-")[0]
        if not pathlib.Path("/proc", owner).exists():
            shutil.rmtree(room, ignore_errors=True)


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
        room = tempfile.TemporaryDirectory(prefix=f"{ROOMS}{os.getpid()}-")
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.surroundings = surroundings.prepared(self.room / "made")

    def of_somebody(self, text=""):
        """For count(): these surroundings, of another user with a long name, who owns what this test wrote."""
        name = "somebody_with_a_long_name"
        entries = {
            "passwd": f"{name}:x:{USER}:{USER}::/home/somebody/with/a/long/name:/bin/sh",
            # Where /etc/group has none, the C library loads other services' modules to find one.
            "group": f"{name}:x:{USER}:",
        }
        for file, entry in entries.items():
            extended = self.room / file
            extended.write_text(f"{pathlib.Path('/etc', file).read_text()}{entry}\n")
            text += surroundings.bind(extended, f"/etc/{file}")
        text += f"export XDG_CACHE_HOME='{self.room}/cache'; "
        for file in self.room.glob("modules/*"):
            os.chown(file, USER, USER)
        # He may read and write what root may: the folders of this build and of this test.
        may_read = "+dac_override,+dac_read_search"
        start = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        start += [f"--inh-caps={may_read}", f"--ambient-caps={may_read}"]
        return {"text": text, "start": start}

    def addresses(self, text, start=()):
        """Counts that follow from addresses."""
        folder = self.room / "modules"
        folder.mkdir(exist_ok=True)
        (folder / "asking.py").write_text(ASKING)
        suite = self.room / "addresses.toml"
        suite.write_text(ADDRESSES)
        return self.count(suite, f"export PYTHONPATH='{folder}'; " + text, start=start)

    def count(self, suite, text="", *options, start=()):
        record = self.room / "record.json"
        arguments = [
            *start, BUILD / "tally", "run", ROOT / "suites" / suite, "--counts-only", "--server", "off",
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
        self.assertEqual(len(before), 3)
        self.assertEqual(moved(before, self.addresses(self.surroundings["more packages"])), {})

    def test_of_addresses_for_another_user_with_files_of_his_own(self):
        before = self.addresses("")
        self.assertEqual(moved(before, self.addresses(**self.of_somebody())), {})

    def test_of_pytorch_all_at_once(self):
        before = self.count("torch_quick.toml")
        self.assertGreater(len(before), 20)
        after = self.count(
            "torch_quick.toml", **self.of_somebody(self.surroundings["all of these"])
        )
        self.assertEqual(moved(before, after), {})


if __name__ == "__main__":
    unittest.main()
