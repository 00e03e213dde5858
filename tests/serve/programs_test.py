"""Benchmark programs that a server measures: it lists them itself, counts as without it, notices when they change."""

import json
import pathlib
import subprocess
import unittest

from client import BUILD, ENVIRONMENT, TALLY, counts_of
from serving import Serving

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build(path, *flags):
    path.unlink(missing_ok=True)  # as linkers do: it may be running
    command = ["clang++-19", "-O2", "-std=c++17", f"-I{ROOT}/include", *flags]
    command += [
        f"{ROOT}/tests/programs/two_versions.cc",
        f"{BUILD}/host/embedded/libtallymark_bench.a",
    ]
    subprocess.run([*command, "-Wl,-z,now", "-o", str(path)], check=True)


class Programs(Serving):
    def run_tally(self, folder, *arguments):
        """The record of `tally run`."""
        command = [
            TALLY,
            "run",
            *arguments,
            "--counts-only",
            "--quiet",
            "--json",
            f"{folder}/r.json",
        ]
        subprocess.run(command, env=ENVIRONMENT, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        return json.loads(pathlib.Path(folder, "r.json").read_text())

    def test_count_the_same_with_and_without_a_server(self):
        folder = self.folder()
        build(pathlib.Path(folder, "bench"))
        suite = 'schema = 1\n[[program]]\npath = "bench"\nargs = "3"\nexclude = "only"\n'
        pathlib.Path(folder, "suite.toml").write_text(suite)
        without = self.run_tally(folder, "suite.toml", "--server", "off")
        self.assertEqual(len(counts_of(without)), 2)
        server = self.server()
        client = self.connect(server)
        ask = {"suite": {"text": suite, "path": "suite.toml"}, "working_folder": folder}
        self.assertEqual(counts_of(client.record(**ask)), counts_of(without))
        self.assertEqual(counts_of(client.record(**ask)), counts_of(without), "of a warm host")
        # The same program named by the command line, and by a document.
        alone = self.run_tally(folder, "--program", "bench", "--server", "off")
        served = self.run_tally(folder, "--program", "bench", "--server", server.path)
        self.assertEqual(served["server"]["pid"], server.process.pid)
        self.assertEqual(counts_of(served), counts_of(alone))
        document = {"document": {"schema": 1, "program": [{"path": "bench"}]}}
        record = client.record(suite=document, working_folder=folder)
        self.assertEqual(counts_of(record), counts_of(alone))

    def test_a_rebuilt_program_is_another_one(self):
        folder = self.folder()
        bench = pathlib.Path(folder, "bench")
        client = self.connect(self.server())
        ask = {
            "suite": {"text": 'schema = 1\n[[program]]\npath = "bench"\n'},
            "working_folder": folder,
        }

        def common():
            (one,) = [c for c in client.record(**ask)["cases"] if c["label"][1] == "common"]
            return one["counts"]["per_iteration"]

        build(bench)
        old = common()
        build(bench, "-DNEWER")
        self.assertAlmostEqual(common() - old, 500, delta=1)
        self.assertEqual(len(client.ask("status")["hosts"]), 1, "the older one has gone")

    def test_a_file_that_an_import_has_read_is_read_again_once_it_changes(self):
        folder = self.folder()
        data = pathlib.Path(folder, "n.txt")
        pathlib.Path(folder, "data_of.py").write_text(
            f"N = int(open({str(data)!r}).read())\ndef f():\n    return sum(range(N))\n"
        )
        suite = (
            'schema = 1\n[toolchain.own]\nextends = "python"\nrequires = ["data_of"]\n'
            '[[benchmark]]\nlabel = ["f"]\ntoolchain = "own"\npy = "data_of.f()"\n'
        )
        client = self.connect(self.server())

        def count():
            (one,) = client.record(suite={"text": suite}, working_folder=folder)["cases"]
            return one["counts"]["per_iteration"]

        data.write_text("10")
        few = count()
        self.assertEqual(count(), few)
        data.write_text("10000")
        self.assertGreater(count(), 100 * few)
        self.assertEqual(len(client.ask("status")["hosts"]), 1, "the older one has gone")

    def test_what_is_no_program_is_an_error_with_its_place(self):
        client = self.connect(self.server())
        client.measure({"text": 'schema = 1\n[[program]]\npath = "/bin/true"\n', "path": "a.toml"})
        error = client.until("error")
        self.assertEqual((error["kind"], error["place"]), ("input", "a.toml:3:8"))
        self.assertIn("/bin/true is not a benchmark program", error["message"])


if __name__ == "__main__":
    unittest.main()
