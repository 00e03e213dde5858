"""What runs whenever Python starts (`.pth` files, sitecustomize) does in a host what it does in a plain interpreter,
but after all folders have been listed (host/python/tally_start.py)."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

START = pathlib.Path(__file__).resolve().parents[2] / "host" / "python" / "tally_start.py"
RECORD = "sys.__dict__.setdefault('ran', []).append"
FILES = {
    "a_first.pth": f"import sys; {RECORD}('a')\nmore\n# a comment\n\nimport sys; {RECORD}('a again')\n",
    "b_failing.pth": f"import no_such_module\nimport sys; {RECORD}('after a failure')\n",
    "c_namespace.pth": f"import sys; {RECORD}(sys._getframe(1).f_locals['sitedir'])\n",
    "first/sitecustomize.py": f"import sys; {RECORD}('sitecustomize')\n",
    "more/nothing.txt": "",
}
CHILD = """
import json, sys, types
native = types.ModuleType("_tally_host")
native.under_valgrind, native.__file__ = lambda: False, "where it lies"
sys.modules["_tally_host"] = native
start = types.ModuleType("tally_start")
exec(compile(open(sys.argv[1]).read(), "tally_start.py", "exec"), start.__dict__)
import site
site.PREFIXES, site.ENABLE_USER_SITE = [sys.argv[2]], False
before = None
if sys.argv[3] == "plain":
    site.main()
else:
    files = start.StartupFiles(site)
    files.find()
    before = [sys.path[:], getattr(sys, "ran", [])]
    files.run()
print(json.dumps([before, sys.path, sys.ran]))
"""


class StartupFiles(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.prefix = pathlib.Path(room.name)
        found = subprocess.run(
            [sys.executable, "-c", f"import site; print(site.getsitepackages([{room.name!r}])[0])"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        self.folder = pathlib.Path(found.stdout.strip())
        for name, text in FILES.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)

    def run_site(self, how):
        run = subprocess.run(
            [sys.executable, "-S", "-c", CHILD, str(START), str(self.prefix), how],
            env={"PYTHONPATH": str(self.folder / "first")},
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return *json.loads(run.stdout), run.stderr

    def test_the_same_code_runs_with_the_same_path(self):
        _, path, ran, _ = self.run_site("plain")
        self.assertEqual(ran, ["a", "a again", str(self.folder), "sitecustomize"])
        _, path_here, ran_here, errors = self.run_site("staged")
        self.assertEqual((path_here, ran_here), (path, ran))
        self.assertIn("b_failing.pth", errors)
        self.assertIn("no_such_module", errors)
        self.assertNotIn("a_first.pth", errors)

    def test_no_code_runs_while_folders_are_found(self):
        (path, ran), path_at_end, _, _ = self.run_site("staged")
        self.assertEqual(ran, [])
        self.assertEqual(path, path_at_end)
        self.assertIn(str(self.folder / "more"), path)


if __name__ == "__main__":
    unittest.main()
