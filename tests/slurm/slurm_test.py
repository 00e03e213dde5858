"""`tally submit --slurm` on a real Slurm: eight parts on two nodes of this machine, one of which dies in the middle."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from cluster import Cluster, why_not

BUILD = pathlib.Path(os.environ["TALLY_BUILD_DIR"])
TALLY = str(BUILD / "tally")
PARTS = 8
PATIENCE = 600  # seconds, for what must come on a machine that has other things to do


def suite():
    """Eight small cases of each language."""
    values = ", ".join(str(i) for i in range(1, 9))
    return f"""schema = 1
[[benchmark]]
label = ["work"]
cpp = "for (int i = 0; i < ${{n}}; ++i) tally::keep(i);"
py = "sum(range(${{n}}))"
params.n = [{values}]
"""


def counts(record):
    return {one["id"]: (one["status"], one["counts"]) for one in record["cases"]}


class Slurm(unittest.TestCase):
    def setUp(self):
        reason = why_not()
        if reason:
            self.skipTest(reason)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tally-slurm-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cluster = Cluster(self.folder)
        self.addCleanup(self.cluster.stop)
        try:
            self.cluster.start()
        except RuntimeError as why:
            self.skipTest(str(why))
        (self.folder / "suite.toml").write_text(suite())
        self.environment = {
            **self.cluster.environment,
            "XDG_CACHE_HOME": str(BUILD / "tests/cli-cache"),
            "XDG_RUNTIME_DIR": str(self.folder / "none"),
        }

    def tally(self, *argv):
        with (
            open(self.folder / f"{argv[0]}.out", "w") as out,
            open(self.folder / f"{argv[0]}.err", "w") as err,
        ):
            started = subprocess.Popen(
                [TALLY, *argv], cwd=self.folder, env=self.environment, stdout=out, stderr=err
            )
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)  # what has ended is left alone
        return started

    def said(self, command):
        """What it wrote to standard error."""
        return (self.folder / f"{command}.err").read_text()

    def record(self, name):
        return json.loads((self.folder / name).read_text())

    def submit_and_kill_node(self):
        """What was started, how many parts were there when a node was killed, and how many ran on that."""
        submitted = self.tally(
            "submit",
            "--slurm",
            "suite.toml",
            "--counts-only",
            "--parts",
            str(PARTS),
            "--json",
            "all.json",
            "--",
            "--time=5",
        )
        parts = self.folder / "all.json.parts"
        end = time.monotonic() + PATIENCE
        there = killed = 0
        # A part is measured, and another one is being measured there.
        while not killed and submitted.poll() is None and time.monotonic() < end:
            there = len(list(parts.glob("part-*[0-9].json")))
            if 0 < there < PARTS:
                killed = self.cluster.kill_node("two")
            time.sleep(0.02)
        return submitted, there, killed

    def test_a_node_that_dies_loses_nothing(self):
        whole = self.tally("run", "suite.toml", "--counts-only", "--quiet", "--json", "whole.json")
        self.assertEqual(whole.wait(120), 0, self.said("run"))
        for _ in range(10):
            submitted, there, killed = self.submit_and_kill_node()
            if killed and there < PARTS:
                break
            # On a busy machine all parts may be done before one looks.
            self.assertEqual(submitted.wait(PATIENCE), 0, self.said("submit"))
            (self.folder / "all.json").unlink()
        self.assertLess(there, PARTS, "it dies in the middle")
        self.assertGreater(killed, 0, f"no part ran on it:\n{self.said('submit')}")
        try:
            submitted.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            submitted.kill()
            queue = self.cluster.run("squeue", "--array", check=False).stdout
            self.fail(f"it does not end:\n{self.said('submit')}\n{queue}")
        self.assertEqual(submitted.returncode, 0, self.said("submit"))
        self.assertIn(f"[{PARTS}/{PARTS}] parts", self.said("submit"))
        merged = self.record("all.json")
        self.assertEqual(counts(merged), counts(self.record("whole.json")))
        self.assertEqual(
            [one["id"] for one in merged["cases"]],
            [one["id"] for one in self.record("whole.json")["cases"]],
        )
        self.assertIn(
            f"{len(merged['cases'])} cases: {len(merged['cases'])} ok",
            (self.folder / "submit.out").read_text(),
        )
        self.assertLessEqual({one["name"] for one in merged["machines"]}, {"one", "two"})

    def test_what_is_cancelled_is_gone_on_with(self):
        arguments = [
            "submit",
            "--slurm",
            "suite.toml",
            "--counts-only",
            "--parts",
            "3",
            "--json",
            "all.json",
        ]
        submitted = self.tally(*arguments)
        parts = self.folder / "all.json.parts"
        end = time.monotonic() + PATIENCE
        while (
            not list(parts.glob("part-*[0-9].json"))
            and submitted.poll() is None
            and time.monotonic() < end
        ):
            time.sleep(0.02)
        submitted.send_signal(signal.SIGINT)
        self.assertEqual(submitted.wait(PATIENCE), 130, self.said("submit"))
        there = sorted(parts.glob("part-*[0-9].json"))
        self.assertGreater(len(there), 0)
        written = there[0].stat().st_mtime_ns
        self.assertEqual(
            self.tally(
                "submit", "--slurm", "suite.toml", "--parts", "3", "--json", "all.json", "--resume"
            ).wait(PATIENCE),
            2,
        )
        self.assertIn("with other options", self.said("submit"))
        self.assertEqual(
            self.tally(*arguments, "--resume", "--detach").wait(PATIENCE), 0, self.said("submit")
        )
        end = time.monotonic() + PATIENCE
        while not (self.folder / "all.json").exists() and time.monotonic() < end:
            time.sleep(0.1)
        merged = self.record("all.json")
        self.assertEqual(len(merged["cases"]), 16)
        self.assertEqual(merged["part"]["count"], 3)
        self.assertNotIn("missing", merged["part"])
        self.assertEqual(there[0].stat().st_mtime_ns, written, "what was measured stays")
        self.assertIn("binds it to none", (parts / "part-1.log").read_text())


if __name__ == "__main__":
    unittest.main()
