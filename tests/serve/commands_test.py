"""`tally time`, `run` and `ab` with a server that is running."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from client import ENVIRONMENT, PATIENCE, TALLY, counts_of, read_until, wait_until
from serving import SLOW, SUITE, Serving


class Commands(Serving):
    """`tally run` and its like on a server, by --server."""

    def tally(self, *arguments, **environment):
        return subprocess.run(
            [TALLY, *arguments],
            env={**ENVIRONMENT, "XDG_RUNTIME_DIR": self.folder(), **environment},
            cwd=self.work,
            capture_output=True,
            text=True,
            check=False,
        )

    def setUp(self):
        self.work = self.folder()
        pathlib.Path(self.work, "suite.toml").write_text(SUITE)

    def record(self, name):
        return json.loads(pathlib.Path(self.work, name).read_text())

    def test_print_and_record_the_same(self):
        server = self.server()
        run = ("run", "suite.toml", "--counts-only", "--profiles", "--filter", "sort", "--json")
        without = self.tally(*run, "without.json", "--server", "off")
        with_one = self.tally(*run, "with.json", "--server", server.path, "-v")
        self.assertEqual((without.returncode, with_one.returncode), (0, 0), with_one.stderr)

        def table(text):
            return text.rpartition(";")[0]  # the last line ends with the seconds

        self.assertEqual(table(with_one.stdout), table(without.stdout))
        self.assertIn(f"measured by the server at {server.path}", with_one.stderr)
        ours, its = self.record("without.json"), self.record("with.json")
        self.assertEqual(counts_of(its), counts_of(ours))
        self.assertEqual(
            (its["environments"], its["settings"]), (ours["environments"], ours["settings"])
        )
        self.assertEqual(its["server"]["pid"], server.process.pid)
        self.assertNotIn("server", ours)
        self.assertFalse(os.path.exists(f"{self.work}/with.json.journal"))
        self.assertTrue(os.path.exists(f"{self.work}/{its['cases'][0]['profile']}"))
        # All that is kept beside a profile, too: allocation sites, Python functions, source texts.
        kept, its_kept = (
            sorted(os.listdir(f"{self.work}/{one}.json.profiles")) for one in ("without", "with")
        )
        self.assertEqual(its_kept, kept)
        self.assertTrue(any(name.endswith(".allocations.json") for name in its_kept), its_kept)
        self.assertEqual(
            [one["inputs"] for one in its["cases"]], [one["inputs"] for one in ours["cases"]]
        )

    def test_a_relative_interpreter_is_the_clients(self):
        os.mkdir(f"{self.work}/bin")
        pathlib.Path(self.work, "bin/py").symlink_to(
            shutil.which("python3", path=ENVIRONMENT["PATH"])
        )
        time_one = ("time", "pass", "-l", "python", "--counts-only", "-q", "--python", "bin/py")
        ran = self.tally(*time_one, "--server", self.server().path)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_the_one_in_the_default_place_is_used(self):
        runtime = self.folder()
        process = subprocess.Popen(
            [TALLY, "serve", "--idle", "60s"],
            env={**ENVIRONMENT, "XDG_RUNTIME_DIR": runtime},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.terminate)
        self.assertTrue(wait_until(lambda: os.path.exists(f"{runtime}/tallymark/serve.sock")))
        time_one = (
            "time",
            "x += 1",
            "-s",
            "x = 1",
            "-l",
            "python",
            "--counts-only",
            "-q",
            "--json",
            "r.json",
        )
        self.assertEqual(self.tally(*time_one, XDG_RUNTIME_DIR=runtime).returncode, 0)
        served = self.record("r.json")
        self.assertEqual(served["server"]["pid"], process.pid)
        self.assertEqual(
            self.tally(*time_one, "--server", "off", XDG_RUNTIME_DIR=runtime).returncode, 0
        )
        self.assertNotIn("server", self.record("r.json"))
        self.assertEqual(counts_of(served), counts_of(self.record("r.json")))

    def test_both_sides_of_ab(self):
        server = self.server()
        sides = ("--a", "export X=1", "--b", "export X=2", "--rounds", "2", "--counts-only", "-q")
        ran = self.tally("ab", "suite.toml", *sides, "--filter", "imports", "--server", server.path)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("1 same", ran.stdout)
        ran = self.tally("ab", "suite.toml", *sides, "--same-result", "--server", server.path)
        self.assertEqual(ran.returncode, 2)

    def test_another_build_is_not_used(self):
        runtime = self.folder()
        os.mkdir(f"{runtime}/tallymark", 0o700)
        build = f"{runtime}/build"
        shutil.copytree(pathlib.Path(TALLY).parent / "libexec", f"{build}/libexec")
        other = shutil.copy2(TALLY, f"{build}/tally")
        path = f"{runtime}/tallymark/serve.sock"
        server = subprocess.Popen([other, "serve", "--socket", path], stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.assertTrue(wait_until(lambda: os.path.exists(path)))
        time_one = ("time", "pass", "-l", "python", "--counts-only")
        ran = self.tally(*time_one, XDG_RUNTIME_DIR=runtime)
        self.assertEqual(ran.returncode, 0)
        self.assertIn("it is another build of tally than this one", ran.stderr)
        ran = self.tally(*time_one, "--server", path)
        self.assertEqual(ran.returncode, 2)
        said = f"process {server.pid}: tally "
        ran = self.tally("serve", "--status", XDG_RUNTIME_DIR=runtime)
        self.assertEqual((ran.returncode, ran.stdout[: len(said)]), (0, said))
        self.assertIn("another build than this one", ran.stdout)
        ran = self.tally("serve", "--stop", XDG_RUNTIME_DIR=runtime)
        self.assertEqual((ran.returncode, server.wait(PATIENCE)), (0, 0), ran.stdout)
        ran = self.tally("serve", "--status", XDG_RUNTIME_DIR=runtime)
        self.assertEqual((ran.returncode, ran.stdout), (1, f"no server listens on {path}\n"))

    def test_another_tally_is_not_used(self):
        runtime = self.folder()
        os.mkdir(f"{runtime}/tallymark", 0o700)
        path = f"{runtime}/tallymark/serve.sock"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path)
            listening.listen()

            def answer():
                with contextlib.suppress(OSError):
                    while True:
                        one, _ = listening.accept()
                        other = {"protocol": 1, "version": "9", "commit": "c", "pid": 1}
                        with one:
                            id = json.loads(one.recv(4096))["id"]
                            hello = {"event": "hello", "id": id, **other}
                            one.sendall(json.dumps(hello).encode() + b"\n")

            threading.Thread(target=answer, daemon=True).start()
            time_one = ("time", "pass", "-l", "python", "--counts-only")
            ran = self.tally(*time_one, XDG_RUNTIME_DIR=runtime)
            self.assertEqual(ran.returncode, 0)
            self.assertIn("measuring without the server", ran.stderr)
            self.assertIn("it is another tally: 9 (c), this one is", ran.stderr)
            ran = self.tally(*time_one, "--server", path)
            self.assertEqual(ran.returncode, 2)
            self.assertIn("end it (tally serve --stop), and start this one", ran.stderr)
        ran = self.tally(*time_one, "--server", f"{self.work}/none.sock")
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))

    def test_its_temporary_files_cannot_be_kept(self):
        ran = self.tally("time", "pass", "-l", "python", "--keep", "--server", "/none.sock")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--keep: a server's temporary files cannot be kept; take --keep", ran.stderr)

    def test_one_that_dies_leaves_a_journal_to_resume_from(self):
        pathlib.Path(self.work, "slow.toml").write_text(
            'schema = 1\n[[timer]]\nlabel = ["quick"]\nlanguage = "python"\nstmt = "pass"\n'
            f'[[timer]]\nlabel = ["slow"]\nlanguage = "python"\nstmt = "{SLOW}"\niterations = 10\n'
        )
        server = self.server()
        command = [TALLY, "run", "slow.toml", "--counts-only", "--json", "r.json"]
        running = subprocess.Popen(
            [*command, "--server", server.path],
            env=ENVIRONMENT,
            cwd=self.work,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertIn("[1/2] ok quick [python]", running.stderr.readline())
        server.process.kill()
        _, errors = running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, 1)
        self.assertIn("the server has gone in the middle of the run", errors)
        self.assertIn("r.json.journal: run again with --resume", errors)
        server.process.wait()
        server.errors.close()
        server.start()
        resumed = self.tally(*command[1:], "--resume", "--server", server.path)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertNotIn("quick", resumed.stderr, "it was not measured again")
        self.assertEqual([case["status"] for case in self.record("r.json")["cases"]], ["ok", "ok"])

    def test_interruptions_are_passed_on(self):
        server = self.server()
        running = subprocess.Popen(
            [TALLY, "time", SLOW, "-l", "python", "--counts-only", "-v", "--server", server.path],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        read_until(running.stderr, "counting")
        running.send_signal(signal.SIGINT)
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, 130)
        self.assertEqual(self.connect(server).ask("status")["running"], 0)

    def started(self, server, *wanted):
        """A command that waits for something; it has said so."""
        running = subprocess.Popen(
            [TALLY, "time", SLOW, "-l", "python", "--counts-only", "-v", "--server", server.path],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(running.kill)
        read_until(running.stderr, *wanted)
        return running

    def test_a_run_that_waits_and_is_interrupted_ends_as_others_do(self):
        server = self.server()
        first = self.started(server, "counting")
        second = self.started(server, "waiting for the server")
        second.send_signal(signal.SIGINT)
        _, errors = second.communicate(timeout=PATIENCE)
        self.assertEqual(second.returncode, 130, errors)
        for _ in range(2):
            first.send_signal(signal.SIGINT)
        first.communicate(timeout=PATIENCE)
        self.assertEqual(first.returncode, 130)

    def test_a_server_that_does_not_heed_interruptions_is_left(self):
        server = self.server()
        running = self.started(server, "counting")
        server.process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(3):
                running.send_signal(signal.SIGINT)
                time.sleep(0.1)
            _, errors = running.communicate(timeout=PATIENCE)
        finally:
            server.process.send_signal(signal.SIGCONT)
        self.assertEqual(running.returncode, 130)
        self.assertIn("the server does not heed interruptions", errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)
