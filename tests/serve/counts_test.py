"""What a server answers: counts that do not depend on it, from hosts that are what they are taken for."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from client import COUNTS, ENVIRONMENT, TALLY, counts_of, python, wait_until
from serving import SUITE, Serving


class Counts(Serving):
    """The same to the instruction, whoever asks and whatever was served before."""

    def test_with_and_without_a_server(self):
        folder = self.folder()
        suite = pathlib.Path(folder, "suite.toml")
        suite.write_text(SUITE)
        subprocess.run(
            [TALLY, "run", str(suite), "--counts-only", "--quiet", "--json", f"{folder}/r.json"],
            env=ENVIRONMENT,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        without = counts_of(json.loads(pathlib.Path(folder, "r.json").read_text()))
        self.assertEqual(len(without), 5)
        server = self.server()
        client = self.connect(server)
        ask = {"suite": {"text": SUITE, "path": "suite.toml"}, "working_folder": folder}
        fresh = client.record(**ask)
        self.assertEqual(counts_of(fresh), without)
        hosts = client.ask("status")["hosts"]
        self.serve_others(client, int(os.environ.get("TALLY_SERVED", "60")))
        again = client.record(**ask)
        self.assertEqual(counts_of(again), without)
        after = client.ask("status")["hosts"]
        names = [sorted(host["name"] for host in those) for those in (after, hosts)]
        self.assertEqual(names[0], names[1], "none was new")
        for name, environment in fresh["environments"].items():
            self.assertEqual(environment, again["environments"][name])

    def serve_others(self, client, number):
        timers = [
            {
                "label": [f"other {i}"],
                "language": "python",
                "setup": f"import string; x{i} = [{i}] * {i % 100}",
                "stmt": f"y = [*x{i}, 'text {i}', {{{i}: x{i}}}]",
            }
            for i in range(number)
        ]
        # In several runs, as a notebook has them.
        for first in range(0, number, 100):
            part = timers[first : first + 100]
            record = client.record({"document": {"schema": 1, "timer": part}})
            self.assertEqual({case["status"] for case in record["cases"]}, {"ok"})

    def test_a_document_counts_as_the_text_does(self):
        client = self.connect(self.server())
        text = 'schema = 1\n[[timer]]\nlabel = ["case"]\nlanguage = "python"\nstmt = "sorted(x)"\nsetup = "x = [3, 1]"'
        from_text = counts_of(client.record({"text": text}))
        from_document = counts_of(client.record(python("sorted(x)", setup="x = [3, 1]")))
        self.assertEqual(from_text, from_document)

    def test_a_profile_adds_up(self):
        client = self.connect(self.server())
        run = client.measure(python("sorted(range(10))"), profiles=True)
        record = client.until("record")["record"]
        (case,) = record["cases"]
        self.assertIsNone(case["profile"], "it is nowhere but in the server")
        profile = client.ask("profile", of=run, case=case["id"])
        self.assertEqual(profile["iterations"], 100)
        self.assertEqual(profile["replicate_totals"], case["counts"]["replicates"])
        self.assertEqual(profile["baseline"]["replicate_totals"][0], case["counts"]["baseline"])
        for side in (profile["statement"], profile["baseline"]):
            self.assertEqual(
                sum(count for count, _ in side["exclusive"]), side["replicate_totals"][0]
            )
            self.assertIn(side["replicate_totals"][0], [count for count, _ in side["inclusive"]])
        self.assertIn(
            "_PyEval_EvalFrameDefault",
            " ".join(name for _, name in profile["statement"]["exclusive"]),
        )
        self.assertNotIn("callgrind", profile["statement"])
        again = client.ask("profile", of=run, case=case["id"], callgrind=True)
        self.assertIn("\nevents: Ir\n", again["statement"].pop("callgrind"))
        self.assertEqual(again["statement"], profile["statement"])
        self.assertEqual(client.ask("profile", of=run, case="none")["place"], "none")
        own = client.measure(python("sorted(range(10))"), profiles=True, functions_alone=True)
        counted = client.until("record")["record"]
        self.assertEqual(counted["cases"][0]["counts"], case["counts"])
        alone = client.ask("profile", of=own, case=case["id"])
        for name in ("statement", "baseline"):
            self.assertEqual(alone[name].keys(), {"replicate_totals", "exclusive"})
            self.assertEqual(
                sum(count for count, _ in alone[name]["exclusive"]),
                profile[name]["replicate_totals"][0],
            )
        client.record(python("pass"))
        self.assertEqual(client.ask("profile", of=run, case=case["id"])["event"], "error")


class WarmHosts(Serving):
    """Never answer for something that they are not."""

    def per_iteration(self, client, **ask):
        (case,) = client.record(**ask)["cases"]
        self.assertEqual(case["status"], "ok", case["failure"])
        return case["counts"]["per_iteration"]

    def test_an_edited_module_is_counted_anew(self):
        folder = self.folder()
        os.mkdir(f"{folder}/edited")
        pathlib.Path(folder, "edited/__init__.py").write_text("from .core import work\n")
        core = pathlib.Path(folder, "edited/core.py")
        client = self.connect(self.server())
        environment = {**ENVIRONMENT, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        for toolchain in ('requires = ["edited"]', 'warm_up = { py = "import edited.core" }'):
            text = (
                f'schema = 1\n[toolchain.mine]\n{toolchain}\n[[timer]]\nlabel = ["m"]\nlanguage = "python"\n'
                'setup = "import edited"\nstmt = "edited.work()"\n'
            )
            counts = []
            for loops in (10, 10, 30, 10):
                source = f"def work():\n    for _ in range({loops}): pass\n"
                # Written only where it changes: the second of these must find its host warm.
                if not core.exists() or core.read_text() != source:
                    core.write_text(source)
                counts.append(
                    self.per_iteration(client, suite={"text": text}, environment=environment)
                )
            self.assertEqual(counts[0], counts[1])
            self.assertGreater(counts[2], counts[1])
            self.assertEqual(counts[3], counts[1])
        self.assertLess(len(client.ask("status")["hosts"]), 4, "older ones have gone")

    def test_what_has_come_onto_the_path_since_is_found(self):
        folder = self.folder()
        client = self.connect(self.server())
        environment = {**ENVIRONMENT, "PYTHONPATH": folder}
        suite = python("work()", setup="from installed import work")
        ask = {"suite": suite, "environment": environment}
        (case,) = client.record(**ask)["cases"]
        self.assertIn("No module named 'installed'", case["failure"]["message"])
        # As an editable installation's .pth file adds its folder.
        start = "import sys; sys.path.append({!r})\n"
        pathlib.Path(folder, "sitecustomize.py").write_text(start.format(f"{folder}/sources"))
        os.mkdir(f"{folder}/sources")
        pathlib.Path(folder, "sources/installed.py").write_text("def work(): pass\n")
        self.assertGreater(self.per_iteration(client, **ask), 0)

    def test_a_file_with_its_old_time_and_size_is_seen(self):
        folder = self.folder()
        module = pathlib.Path(folder, "kept.py")
        client = self.connect(self.server())
        environment = {**ENVIRONMENT, "PYTHONPATH": folder}
        text = (
            'schema = 1\n[toolchain.mine]\nrequires = ["kept"]\n[[timer]]\nlabel = ["m"]\nlanguage = "python"\n'
            'setup = "import kept"\nstmt = "kept.work()"\n'
        )
        counts = []
        for loops in (10, 30):
            module.write_text(f"def work():\n    for _ in range({loops}): pass\n")
            os.utime(module, (1_700_000_000, 1_700_000_000))
            # The interpreter itself trusts time and size.
            shutil.rmtree(f"{folder}/__pycache__", ignore_errors=True)
            counts.append(self.per_iteration(client, suite={"text": text}, environment=environment))
        self.assertGreater(counts[1], counts[0])

    def test_a_library_that_was_built_anew_is_counted(self):
        folder = self.folder()
        text = (
            'schema = 1\n[toolchain.mine]\nextends = "cpp"\nlink = ["./libwork.so"]\npreload = ["./libwork.so"]\n'
            '[[timer]]\nlabel = ["m"]\nlanguage = "cpp"\n'
            'global_setup = "int work(int);"\nstmt = "tally::keep(work(3));"\n'
        )
        client = self.connect(self.server())
        counts = []
        for loops in (10, 10, 1000):
            source = f"int work(int x) {{ for (volatile int i = 0; i < {loops}; i = i + 1) x += i; return x; }}"
            if len(counts) != 1:
                command = ["c++", "-O1", "-fPIC", "-shared", "-x", "c++", "-", "-o", "libwork.so"]
                subprocess.run(command, input=source.encode(), cwd=folder, check=True)
            counts.append(self.per_iteration(client, suite={"text": text}, working_folder=folder))
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[2], counts[1] + 1000)

    def test_each_client_has_its_own_environment_and_folder(self):
        client = self.connect(self.server())
        folder = self.folder()
        pathlib.Path(folder, "part.toml").write_text(
            'schema = 1\n[[timer]]\nlabel = ["m"]\nlanguage = "python"\nsetup = "import os"\n'
            """stmt = "for _ in range(int(os.environ['LOOPS'])): pass"\n"""
        )
        ask = {
            "suite": {"text": 'schema = 1\ninclude = "part.toml"\n'},
            "working_folder": folder,
            "settings": {**COUNTS, "kept_environment": ["LOOPS"]},
        }
        few = self.per_iteration(client, environment={**ENVIRONMENT, "LOOPS": "10"}, **ask)
        more = self.per_iteration(client, environment={**ENVIRONMENT, "LOOPS": "50"}, **ask)
        self.assertGreater(more, few)
        self.assertEqual(
            self.per_iteration(client, environment={**ENVIRONMENT, "LOOPS": "10"}, **ask), few
        )
        self.assertEqual(client.record(python("pass"), command=["me"])["command"], ["me"])

    def test_the_least_recently_used_go_when_memory_is_short(self):
        client = self.connect(self.server("--memory", "1M"))
        client.record(python("pass"))
        self.assertTrue(wait_until(lambda: client.ask("status")["hosts"] == []))
        client.record(python("pass"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
