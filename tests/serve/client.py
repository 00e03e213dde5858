"""A client of `tally serve`, as small as the protocol allows (docs/reference/serve.md)."""

import array
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

# Seconds that a test waits for what must come, on a machine that has other things to do.
PATIENCE = 600
BUILD = pathlib.Path(os.environ.get("TALLY_BUILD_DIR", "build/release")).resolve()
TALLY = str(BUILD / "tally")
# Shared by all tests, so that only the first pays for preludes.
CACHE = str(BUILD / "tests" / "cli-cache")
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": CACHE,
    "XDG_CACHE_HOME": CACHE,
    "XDG_RUNTIME_DIR": CACHE + "/none",  # no server of the developer's is found
    "TALLY_CPU_LOCKS": f"{CACHE}/locks-{os.getpid()}",  # and nobody's runs are waited for
}
COUNTS = {"wall": False}


def python(stmt, label="case", **more):
    """A document with one case."""
    timer = {"label": [label], "language": "python", "stmt": stmt, **more}
    return {"document": {"schema": 1, "timer": [timer]}}


def counts_of(record):
    """All that was counted, by case."""
    return {
        case["id"]: case["counts"]["replicates"] + case["counts"]["baseline_replicates"]
        for case in record["cases"]
        if case["counts"]
    }


def tree(pid):
    """The living descendants of a process."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(child) for child in children] + [one for child in children for one in tree(child)]


def read_until(stream, *texts):
    """Reads lines until one has one of these texts. One that ends before fails the test."""
    read = ""
    while not any(text in read for text in texts):
        line = stream.readline()
        if not line:
            raise AssertionError(f"it ended without {' or '.join(texts)}: {read}")
        read += line if isinstance(line, str) else line.decode()


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Client:
    """One connection. Requests are sent as they are; events come one by one."""

    def __init__(self, path, greet=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.pending = b""
        self.files = []
        self.last_id = 0
        if greet:
            self.greeting = self.ask("hello", protocol=1, client="test")

    def send(self, request, **members):
        self.last_id += 1
        message = {"request": request, "id": self.last_id, **members}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        return message["id"]

    def receive(self):
        """The next event, or None at the end."""
        while b"\n" not in self.pending:
            data, ancillary, _, _ = self.socket.recvmsg(1 << 16, socket.CMSG_SPACE(64))
            for _, _, fds in ancillary:
                self.files += array.array("i", fds[: len(fds) - len(fds) % 4])
            if not data:
                return None
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        event = json.loads(line)
        if list(event) != ["passed"]:
            return event
        with open(self.files.pop(0), "rb") as file:
            file.seek(0)
            return json.loads(file.read(event["passed"]))

    def ask(self, request, **members):
        self.send(request, **members)
        return self.receive()

    def measure(self, suite, **members):
        members.setdefault("settings", COUNTS)
        members.setdefault("environment", ENVIRONMENT)
        members.setdefault("working_folder", "/tmp")
        return self.send("measure", suite=suite, **members)

    def until(self, *kinds):
        """The first event of these kinds."""
        while True:
            event = self.receive()
            if event is None or event["event"] in kinds:
                return event

    def record(self, suite, **members):
        """Of a whole run."""
        self.measure(suite, **members)
        event = self.until("record", "error")
        if event["event"] != "record":
            raise AssertionError(event)
        return event["record"]

    def close(self):
        self.socket.close()


class Server:
    """A server of its own, with a folder for its socket and all that is temporary."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="serve")
        self.path = f"{self.folder}/s.sock"
        self.scratch = f"{self.folder}/tmp"
        os.mkdir(self.scratch)
        self.options = options
        self.start()

    def start(self):
        self.errors = open(f"{self.folder}/errors", "a+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [TALLY, "serve", "--socket", self.path, *self.options],
            env={**ENVIRONMENT, "TMPDIR": self.scratch},
            stdin=subprocess.DEVNULL,
            stderr=self.errors,
            start_new_session=True,
        )
        wait_until(lambda: self.answers() or self.process.poll() is not None)
        if not self.answers():
            self.errors.seek(0)
            raise AssertionError(f"the server does not start: {self.errors.read()}")

    def answers(self):
        with socket.socket(socket.AF_UNIX) as one:
            return one.connect_ex(self.path) == 0

    def connect(self):
        return Client(self.path)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.errors.close()
        shutil.rmtree(self.folder)
        return code
