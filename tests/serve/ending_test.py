"""How a server ends: killed, idle, on request, by a signal; and one on standard input and output."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from client import (
    COUNTS,
    ENVIRONMENT,
    PATIENCE,
    TALLY,
    Server,
    alive,
    python,
    read_until,
    tree,
    wait_until,
)
from serving import SLOW, Serving


class Ending(Serving):
    def test_a_killed_server_leaves_nothing_and_loses_no_case(self):
        server = self.server()
        folder = self.folder()
        client = self.connect(server)
        journal = f"{folder}/run.journal"
        cases = {
            "document": {
                "schema": 1,
                "timer": [
                    {"label": ["quick"], "language": "python", "stmt": "pass"},
                    {"label": ["slow"], "language": "python", "stmt": SLOW},
                ],
            }
        }
        client.measure(cases, journal={"path": journal}, profiles=True)
        self.assertEqual(client.until("case")["case"]["label"], ["quick"])
        processes = tree(server.process.pid)
        self.assertGreater(len(processes), 1)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        self.assertTrue(wait_until(lambda: not any(map(alive, processes))))
        self.assertTrue(
            wait_until(lambda: os.listdir(server.scratch) == []), os.listdir(server.scratch)
        )
        self.assertIsNone(client.until("record"))
        server.errors.close()
        # The socket is stale, and replaced.
        server.start()  # in the place of the stale socket
        client = self.connect(server)
        run = client.measure(cases, journal={"path": journal, "resume": True}, profiles=True)
        begin = client.until("progress")
        self.assertEqual((begin["cases"], begin["finished"]), (2, 1))
        for _ in range(2):
            client.send("cancel", of=run)
        record = client.until("record")["record"]
        self.assertEqual([case["status"] for case in record["cases"]], ["ok", "skipped"])

    def test_without_clients_it_ends(self):
        server = Server("--idle", "0.5s")
        self.addCleanup(shutil.rmtree, server.folder)
        client = server.connect()
        client.record(python("pass"))
        time.sleep(1)
        self.assertIsNone(server.process.poll(), "a client is there")
        client.close()
        self.assertEqual(server.process.wait(PATIENCE), 0)
        server.errors.close()
        self.assertEqual(
            sorted(os.listdir(server.folder)), ["errors", "tmp"], "the socket has gone"
        )
        self.assertEqual(os.listdir(server.scratch), [])

    def test_shutdown_ends_what_runs(self):
        server = self.server()
        client = self.connect(server)
        other = self.connect(server)
        other.measure(python(SLOW))
        other.until("progress")
        processes = tree(server.process.pid)
        self.assertEqual(client.ask("shutdown")["event"], "bye")
        self.assertTrue(other.until("record")["interrupted"])
        self.assertEqual(server.process.wait(PATIENCE), 0)
        self.assertFalse(any(map(alive, processes)))
        self.assertFalse(os.path.exists(server.path))

    def test_a_client_that_leaves_while_it_ends(self):
        for _ in range(5):
            server = self.server()
            client = self.connect(server)
            client.record(python("pass"))
            client.ask("shutdown")
            client.close()
            self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_signals_end_it_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = self.server()
            client = self.connect(server)
            client.record(python("pass"))
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(PATIENCE), 0)
            self.assertFalse(os.path.exists(server.path))

    def test_one_server_for_a_socket(self):
        server = self.server()
        command = [TALLY, "serve", "--socket", server.path]
        second = subprocess.run(
            command, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        self.assertEqual(second.returncode, 1)
        self.assertIn("another server has this socket", second.stderr)
        self.connect(server)

    def test_a_folder_that_others_may_enter_is_refused(self):
        folder = self.folder()
        os.mkdir(f"{folder}/tallymark", 0o755)
        ran = subprocess.run(
            [TALLY, "serve"],
            env={**ENVIRONMENT, "XDG_RUNTIME_DIR": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(ran.returncode, 2)
        self.assertIn("has mode 0755: others could take the server's place", ran.stderr)


class StandardStreams(Serving):
    def test_one_client_until_its_end(self):
        requests = [
            {"request": "hello", "id": 1, "protocol": 1},
            {
                "request": "measure",
                "id": 2,
                "suite": python("sorted(range(10))"),
                "settings": COUNTS,
                "environment": ENVIRONMENT,
                "working_folder": "/tmp",
            },
        ]
        text = "".join(json.dumps(request) + "\n" for request in requests)
        ran = subprocess.run(
            [TALLY, "serve", "--stdio"],
            input=text,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        events = [json.loads(line) for line in ran.stdout.splitlines()]
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual([events[0]["event"], events[-1]["event"]], ["hello", "record"])
        self.assertFalse(events[-1]["interrupted"], "its requests are finished")

    def test_a_client_that_is_gone_ends_it(self):
        process = subprocess.Popen(
            [TALLY, "serve", "--stdio"],
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for request in (
            {"request": "hello", "id": 1, "protocol": 1},
            {
                "request": "measure",
                "id": 2,
                "suite": python(SLOW),
                "settings": COUNTS,
                "environment": ENVIRONMENT,
                "working_folder": "/tmp",
            },
        ):
            process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        read_until(process.stdout, '"session"')
        children = tree(process.pid)
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertFalse(any(map(alive, children)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
