"""A server that speaks the protocol and measures nothing: what a test scripts is what it answers.

Run as `fake_server.py serve --socket PATH`, it stands in for tally: `$FAKE_SERVER` names what it does with a measure.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time
from typing import Any

Document = dict[str, Any]


def case_of(timer: Document) -> Document:
    return {
        "id": f"{'/'.join(timer['label'])} [{timer['language']}]",
        "label": timer["label"],
        "language": timer["language"],
        "status": "ok",
        "definition": {key: timer.get(key, "") for key in ("stmt", "setup", "global_setup")},
        "counts": {"per_iteration": float(len(timer["stmt"]))},
        "wall": None,
        "failure": None,
    }


class FakeServer:
    """One client after another, on one thread."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour = behaviour
        self.link: socket.socket
        self.buffer = b""
        self.descriptors: list[int] = []

    def serve(self, path: str) -> None:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(path)
        listening.listen()
        with open(path + ".pids", "a") as file:
            file.write(f"{os.getpid()}\n")
        while True:
            self.link, _ = listening.accept()
            self.buffer = b""
            try:
                while self.answer(self.receive()):
                    pass
            except (ConnectionError, EOFError):
                pass
            self.link.close()

    def receive(self) -> Document:
        while b"\n" not in self.buffer:
            data, descriptors, _, _ = socket.recv_fds(self.link, 65536, 4)
            if not data:
                raise EOFError
            self.buffer += data
            self.descriptors += descriptors
        line, self.buffer = self.buffer.split(b"\n", 1)
        document: Document = json.loads(line)
        if "passed" not in document:
            return document
        with open(self.descriptors.pop(0), "rb") as file:
            file.seek(0)
            return dict(json.loads(file.read()))

    def send(self, event: Document) -> None:
        data = json.dumps(event).encode() + b"\n"
        if len(data) <= 4 << 20:
            self.link.sendall(data)
            return
        descriptor = os.memfd_create("event")
        os.write(descriptor, data)
        socket.send_fds(self.link, [b'{"passed": %d}\n' % len(data)], [descriptor])
        os.close(descriptor)

    def answer(self, request: Document) -> bool:
        kind, number = request["request"], request["id"]
        if kind == "hello":
            protocol = 2 if self.behaviour == "other protocol" else 1
            self.send(
                {
                    "event": "hello",
                    "id": number,
                    "protocol": protocol,
                    "version": "0",
                    "pid": os.getpid(),
                }
            )
        elif kind == "status":
            self.send({"event": "status", "id": number, "clients": 1, "hosts": []})
        elif kind == "shutdown":
            self.send({"event": "bye", "id": number})
            sys.exit(0)
        elif kind == "measure":
            self.measure(request)
        elif kind == "profile":
            self.send({"event": "profile", **{key: request[key] for key in ("id", "of", "case")}})
        return True

    def measure(self, request: Document) -> None:
        number = request["id"]
        if self.behaviour == "dies":
            os._exit(9)
        if self.behaviour == "refuses":
            self.send(
                {
                    "event": "error",
                    "id": number,
                    "kind": "input",
                    "place": "timer 1",
                    "message": "no",
                    "hint": "yes",
                }
            )
            return
        self.send({"event": "waiting", "id": number, "ahead": 1})
        cases = [case_of(one) for one in request["suite"]["document"]["timer"]]
        cancelled = self.wait_for_cancel() if self.behaviour == "slow" else False
        record: Document = {"schema": 2, "cases": cases, "request": request}
        if self.behaviour == "large":
            record["padding"] = "x" * (5 << 20)
        for case in cases:
            self.send({"event": "case", "id": number, "case": case})
        if self.behaviour == "dies late":
            os._exit(9)
        self.send(
            {
                "event": "record",
                "id": number,
                "record": record,
                "interrupted": cancelled,
                "stopped": None,
            }
        )

    def wait_for_cancel(self) -> bool:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if b"\n" in self.buffer or select.select([self.link], [], [], 0.1)[0]:
                request = self.receive()
                if request["request"] == "cancel":
                    return True
        return False


if __name__ == "__main__":
    FakeServer(os.environ.get("FAKE_SERVER", "")).serve(sys.argv[sys.argv.index("--socket") + 1])
