"""Several clients at once, those that misbehave, and those that change their mind."""

import json
import os
import socket
import unittest

from client import COUNTS, ENVIRONMENT, Client, python
from serving import SLOW, Serving


class Clients(Serving):
    def test_two_take_turns_and_are_notified(self):
        server = self.server()
        first = self.connect(server)
        second = self.connect(server)
        first.measure(python("sorted(range(100))"))
        first.until("progress")
        second.measure(python("pass"))
        self.assertEqual(second.receive(), {"event": "waiting", "id": 2, "ahead": 1})
        status = second.ask("status")
        self.assertEqual((status["clients"], status["running"], status["waiting"]), (2, 1, 1))
        kinds = []
        while not kinds or kinds[-1] not in ("record", "error"):
            kinds.append(first.receive()["event"])
        self.assertEqual(kinds[-2:], ["progress", "record"])
        self.assertEqual(kinds.count("case"), 1)
        self.assertEqual(second.until("record", "error")["event"], "record")

    def test_one_that_dies_in_the_middle_holds_nobody_up(self):
        server = self.server()
        dying = self.connect(server)
        other = self.connect(server)
        dying.measure(python(SLOW))
        dying.until("progress")
        other.measure(python("pass"))
        self.assertEqual(other.receive()["event"], "waiting")
        dying.close()
        self.assertEqual(other.until("record")["record"]["cases"][0]["status"], "ok")
        self.assertEqual(other.ask("status")["clients"], 1)

    def test_malformed_lines_are_answered_and_the_connection_stays(self):
        client = self.connect(self.server())
        client.socket.sendall(b'\x00\xff\n{"request":"measure","id":"m"}\n' + b"[" * 1000 + b"\n")
        for id in (None, "m", None):
            event = client.receive()
            self.assertEqual((event["event"], event["kind"], event["id"]), ("error", "input", id))
        self.assertEqual(
            client.ask("dance")["hint"],
            "there are hello, measure, profile, compare, check, cancel, status, shutdown",
        )
        client.measure({"text": "schema = 1\nbenchmrk = 1", "path": "s.toml"})
        self.assertEqual(client.receive()["place"], "s.toml:2:1")
        client.measure(python("pass"), working_folder="/not/there")
        self.assertIn("cannot enter the working folder", client.receive()["message"])
        client.measure(python("pass"), cores="900")
        self.assertEqual(client.until("error", "record")["event"], "error")
        self.assertEqual(client.record(python("pass"))["cases"][0]["status"], "ok")

    def test_hello_comes_first_and_in_one_protocol(self):
        server = self.server()
        client = Client(server.path, greet=False)
        self.addCleanup(client.close)
        self.assertEqual(client.ask("status")["message"], "the first request must be hello")
        refused = client.ask("hello", protocol=99)
        self.assertEqual(refused["message"], "this server speaks protocol 1, the client 99")
        hello = client.ask("hello", protocol=1)
        self.assertEqual((hello["event"], hello["pid"]), ("hello", server.process.pid))

    def test_a_long_document_is_passed_as_a_file(self):
        client = self.connect(self.server())
        setup = "x = 1 #" + "y" * 1_500_000
        cases = [
            {"label": [str(i)], "language": "python", "stmt": "x", "setup": setup} for i in range(4)
        ]
        request = {
            "request": "measure",
            "id": "long",
            "suite": {"document": {"schema": 1, "timer": cases}},
            "settings": COUNTS,
            "environment": ENVIRONMENT,
            "working_folder": "/tmp",
        }
        text = json.dumps(request).encode()
        self.assertGreater(len(text), 4 << 20)
        file = os.memfd_create("request")
        os.write(file, text)
        socket.send_fds(client.socket, [json.dumps({"passed": len(text)}).encode() + b"\n"], [file])
        os.close(file)
        event = client.until("record", "error")
        self.assertEqual((event["event"], event["id"]), ("record", "long"))
        self.assertEqual({case["status"] for case in event["record"]["cases"]}, {"ok"})
        self.assertGreater(len(json.dumps(event)), 4 << 20, "and so was the answer")


class Cancelling(Serving):
    def cases(self, number):
        stmt = "for _ in range(30_000): pass"
        return {
            "document": {
                "schema": 1,
                "timer": [
                    {"label": [str(i)], "language": "python", "stmt": stmt} for i in range(number)
                ],
            }
        }

    def test_what_is_finished_stays(self):
        client = self.connect(self.server())
        run = client.measure(self.cases(40))
        client.until("case")
        client.send("cancel", of=run)
        event = client.until("record", "error")
        self.assertEqual((event["event"], event["interrupted"]), ("record", True))
        statuses = [case["status"] for case in event["record"]["cases"]]
        self.assertIn("ok", statuses)
        self.assertIn("skipped", statuses)
        # And the next one is whole.
        self.assertEqual(client.record(python("pass"))["cases"][0]["status"], "ok")

    def test_one_is_of_its_own_run_only(self):
        client = self.connect(self.server())
        for _ in range(3):
            first = client.measure(python("pass"))
            for _ in range(2):
                client.send("cancel", of=first)
            second = client.measure(python("pass"))
            ends = [client.until("record", "error") for _ in range(2)]
            self.assertEqual([end["id"] for end in ends], [first, second])
            self.assertEqual(ends[1]["event"], "record", ends[1])
            self.assertFalse(ends[1]["interrupted"])

    def test_a_second_one_kills(self):
        client = self.connect(self.server())
        run = client.measure(python(SLOW))
        while client.receive().get("kind") != "session":
            pass
        client.send("cancel", of=run)
        self.assertTrue(client.until("cancelled")["running"])
        client.send("cancel", of=run)
        self.assertTrue(client.until("record")["interrupted"])

    def test_one_that_waits_never_begins(self):
        server = self.server()
        busy = self.connect(server)
        client = self.connect(server)
        first = busy.measure(python(SLOW))
        busy.until("progress")
        run = client.measure(python("pass"))
        self.assertEqual(client.receive()["event"], "waiting")
        client.send("cancel", of=run)
        self.assertFalse(client.receive()["running"])
        refused = client.receive()
        self.assertEqual(
            (refused["event"], refused["kind"], refused["id"]), ("error", "interrupted", run)
        )
        for _ in range(2):
            busy.send("cancel", of=first)
        busy.until("record")


if __name__ == "__main__":
    unittest.main(verbosity=2)
