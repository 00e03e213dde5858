"""A made-up project for the tests of CI: a repository with its origin, and a forge that stands beside it.

forge.py stands in for gh and curl. git, pip, tally and what they start are real.
"""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TALLY = pathlib.Path(os.environ["TALLY_BUILD_DIR"]) / "tally"

SUITE = """schema = 1
[toolchain.work]
extends = "cpp"
include = ["."]
prelude = ["work.h"]
[defaults]
toolchain = "work"
[[timer]]
label = ["sum"]
language = "cpp"
stmt = "sum()"
"""


def wheel(folder):
    """A wheel of the name tallymark, whose tally is the one that is tested."""
    path = folder / "tallymark-0.1.0-py3-none-any.whl"
    texts = {
        "tallymark-0.1.0.data/scripts/tally": f'#!/bin/sh\nexec "{TALLY}" "$@"\n',
        "tallymark-0.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tallymark\nVersion: 0.1.0\n",
        "tallymark-0.1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = []
    for name, text in texts.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        lines.append(f"{name},sha256={digest.decode()},{len(text)}\n")
    texts["tallymark-0.1.0.dist-info/RECORD"] = "".join(lines)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in texts.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o100755 << 16  # a file that is executed
            archive.writestr(entry, text)
    return path


class Forge:
    """A project with a bare origin, a working copy and a forge beside them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.work = self.folder / "work"
        self.bin = self.folder / "bin"
        self.state = self.folder / "forge.json"
        self.temp = self.folder / "temp"
        for path in (self.bin, self.temp):
            path.mkdir()
        (self.bin / "tally").symlink_to(TALLY)
        for name in ("gh", "curl"):
            (self.bin / name).write_text(
                f'#!/bin/sh\nexec {sys.executable} {HERE}/forge.py {name} "$@"\n'
            )
        # What is measured is in a header: there is nothing to build.
        (self.bin / "cmake").write_text("#!/bin/sh\nexit 0\n")
        for path in self.bin.iterdir():
            path.chmod(0o755)
        subprocess.run(
            ["git", "init", "-q", "--bare", "-b", "main", self.folder / "origin.git"], check=True
        )
        subprocess.run(
            ["git", "clone", "-q", self.folder / "origin.git", self.work], check=True, stderr=-3
        )
        self.git("checkout", "-q", "-B", "main")
        self.set({"notes": [], "artifacts": str(self.folder / "artifacts")})

    def set(self, changes):
        known = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.state.write_text(json.dumps(known | changes))

    def notes(self):
        return [one["body"] for one in json.loads(self.state.read_text())["notes"]]

    def git(self, *arguments):
        done = subprocess.run(
            ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments],
            cwd=self.work,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, nops):
        work = (
            f'#pragma once\ninline void sum() {{ asm volatile(".rept {nops}\\n nop\\n .endr"); }}\n'
        )
        return self.commit_files({"suite.toml": SUITE, "work.h": work}, f"{nops} instructions")

    def commit_files(self, texts, message):
        for name, text in texts.items():
            (self.work / name).write_text(text)
        self.git("add", *texts)
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def clean(self):
        """What a runner begins with: the commit, and nothing that an earlier job left."""
        shutil.rmtree(self.temp)
        self.temp.mkdir()
        shutil.rmtree(f"{self.work}.base", ignore_errors=True)
        self.git("worktree", "prune")
        self.git("clean", "-q", "-f", "-d", "-x")

    def run(self, script, environment):
        """Runs it as a runner's bash does; a syntax error is a failure."""
        subprocess.run(["bash", "-n", "-c", script], check=True)
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.work,
            env={
                "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin",
                "HOME": str(self.folder),
                "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(self.folder / "cache")),
                "XDG_RUNTIME_DIR": str(self.folder / "none"),
                "FORGE": str(self.state),
            }
            | environment,
            capture_output=True,
            text=True,
        )

    def shell(self, script, environment, wanted=0):
        """The same, and another exit code is a failure, too."""
        done = self.run(script, environment)
        if done.returncode != wanted:
            raise AssertionError(
                f"{script}\nexit {done.returncode}, not {wanted}\n{done.stdout}{done.stderr}"
            )
        return done.stdout
