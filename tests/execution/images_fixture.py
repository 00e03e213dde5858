"""What the tests of hosts' images share: a module and a program that take long to start, a cache, and runs of them."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("TALLY_BUILD_DIR", "build/release")).resolve()
TALLY = str(BUILD / "tally")

# A module that takes so long to import that the start is worth an image, and reads a file.
MODULE = """
import pathlib
for i in range(200_000): hash(str(i))
WORDS = pathlib.Path(__file__).with_name("words.txt").read_text().split()
def work():
    return sorted(WORDS, key=len)
"""
SUITE = """
schema = 1
[toolchain.slow]
extends = "python"
requires = ["slowly_imported"]
[[benchmark]]
label = "work"
toolchain = "slow"
py = "slowly_imported.work()"
[[benchmark]]
label = "sum"
toolchain = "slow"
py = "sum(range(100))"
"""
# The same of a program: its static set-up takes long on any processor (0.7 s make an image), and reads a file.
PROGRAM = """
#include <tallymark/bench.h>
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>
static std::vector<int> numbers = [] {
  std::vector<int> read;
  std::ifstream file("numbers.txt");
  for (int number = 0; file >> number;) read.push_back(number);
  volatile unsigned long spent = 0;
  for (unsigned long i = 0; i < 1500000000; ++i) spent = spent + i;
  return read;
}();
TALLY_BENCH("sort") (tally::State& state) {
  for (auto& v : state.each([&] { return numbers; })) { std::sort(v.begin(), v.end()); tally::keep(v); }
}
int main(int argc, char** argv) { return tally::bench_main(argc, argv); }
"""


def counted(record):
    """All that was counted, by case."""
    return {
        case["id"]: case["counts"]
        and (
            case["counts"]["per_iteration"],
            case["counts"]["replicates"],
            case["counts"]["baseline_replicates"],
        )
        for case in record["cases"]
    }


NEEDS_COUNTER = unittest.skipUnless(
    (BUILD / "libexec/tallymark/tally-restore").exists(), "no tally-counter for this Valgrind"
)


class ImagesCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # One cache: what an interpreter says of itself, and what is compiled, is found out once.
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="images"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(cls.folder),
            "PYTHONPATH": str(cls.folder),
            "XDG_CACHE_HOME": str(cls.folder / "cache"),
            "XDG_RUNTIME_DIR": str(cls.folder / "none"),
            "TALLY_CPU_LOCKS": str(cls.folder / "locks"),
        }
        cls.images = cls.folder / "cache/tallymark/1/images"

    def setUp(self):
        if self.images.is_dir():
            shutil.rmtree(self.images)
        self.images.unlink(missing_ok=True)
        self.write("slowly_imported.py", MODULE)
        self.write("words.txt", "some words of which few are long " * 3)
        self.write("suite.toml", SUITE)
        (self.folder / "more.txt").unlink(missing_ok=True)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def command(self, *options):
        record = self.folder / f"record{len(list(self.folder.glob('record*')))}.json"
        return record, [
            TALLY,
            "run",
            *options,
            "--counts-only",
            "--server",
            "off",
            "-v",  # a failure then says why a host was started
            "--json",
            str(record),
        ]

    def run_tally(self, *options, start=None, **more):
        """What was counted, and how its host came to be."""
        record, argv = self.command(*(options or ("suite.toml",)))
        done = subprocess.run(
            argv, env=self.environment | more, cwd=self.folder, text=True, capture_output=True
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        read = json.loads(record.read_text())
        if start is not None:
            self.assertEqual(set(read["settings"]["host_start"].values()), {start}, done.stderr)
        return counted(read)

    def image(self):
        images = list(self.images.glob("*.image"))
        self.assertEqual(len(images), 1)
        return images[0]

    def build(self, source):
        self.write("bench.cc", source)
        include = BUILD.parent.parent / "include"
        archive = BUILD / "host/embedded/libtallymark_bench.a"
        subprocess.run(
            [
                "g++",
                "-O2",
                "-std=c++20",
                f"-I{include}",
                "bench.cc",
                str(archive),
                "-o",
                "bench",
                "-pthread",
            ],
            cwd=self.folder,
            check=True,
        )
