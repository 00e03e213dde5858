"""Hosts' images: what is counted from one is what an ordinary start counts, and none is used that does not fit."""

import json
import os
import pathlib
import resource
import shutil
import signal
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
# The same of a program: its static set-up takes long, and reads a file.
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
  for (unsigned long i = 0; i < 400000000; ++i) spent = spent + i;
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


@unittest.skipUnless(
    (BUILD / "libexec/tallymark/tally-restore").exists(), "no tally-counter for this Valgrind"
)
class Images(unittest.TestCase):
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
            "--quiet",
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

    def test_counts_are_those_of_an_ordinary_start(self):
        off = self.run_tally(start="ordinary", TALLY_IMAGES="off")
        self.assertFalse(self.images.exists())
        first = self.run_tally(start="ordinary")
        second = self.run_tally(start="image")
        self.assertEqual(first, off)
        self.assertEqual(second, off)
        self.assertGreater(off["work [python]"][0], 1000)
        self.assertEqual(self.run_tally("suite.toml", "--images", "off", start="ordinary"), off)

    def test_no_case_that_a_host_has_served_is_in_the_next_ones_start(self):
        alone = self.run_tally("suite.toml", "--filter", "sum*")
        self.run_tally("suite.toml", start="image")
        self.assertEqual(self.run_tally("suite.toml", "--filter", "sum*", start="image"), alone)

    def test_a_changed_module_is_another_start(self):
        before = self.run_tally()
        self.run_tally(start="image")
        self.write("slowly_imported.py", MODULE.replace("key=len", "key=lambda word: len(word)"))
        after = self.run_tally(start="ordinary")
        self.assertGreater(after["work [python]"][0], before["work [python]"][0] + 100)
        self.assertEqual(self.run_tally(start="image"), after)

    def test_a_file_that_an_import_has_read(self):
        before = self.run_tally()
        self.run_tally(start="image")
        self.write("words.txt", "others")
        after = self.run_tally(start="ordinary")
        self.assertLess(after["work [python]"][0], before["work [python]"][0])
        self.assertEqual(self.run_tally(start="image"), after)

    def test_a_file_that_an_import_has_not_found(self):
        self.write(
            "slowly_imported.py",
            MODULE + "if pathlib.Path('/proc/self').exists():\n"
            f"    try: WORDS += open('{self.folder}/more.txt').read().split()\n    except OSError: pass\n",
        )
        before = self.run_tally()
        self.assertEqual(self.run_tally(start="image"), before)
        self.write("more.txt", "and some more words than before")
        after = self.run_tally(start="ordinary")
        self.assertGreater(after["work [python]"][0], before["work [python]"][0])

    def test_a_package_that_was_installed_since(self):
        """What it says of itself may make it a plugin of what is imported."""
        packages = self.folder / "site-packages"
        packages.mkdir(exist_ok=True)
        self.addCleanup(shutil.rmtree, packages)
        finds = f"import importlib.metadata\nPLUGINS = list(importlib.metadata.distributions(path=['{packages}']))\n"
        self.write("slowly_imported.py", MODULE + finds)
        self.run_tally(start="ordinary")
        self.run_tally(start="image")
        self.write("beside.txt", "a file beside it, which is no package")
        self.run_tally(start="image")
        (packages / "plugin-1.0.dist-info").mkdir()
        self.run_tally(start="ordinary")
        self.run_tally(start="image")

    def test_a_program_with_a_long_start(self):
        self.build(PROGRAM)
        self.write("numbers.txt", " ".join(str(i * 7919 % 1000) for i in range(1000)))
        off = self.run_tally("--program", "./bench", start="ordinary", TALLY_IMAGES="off")
        self.assertEqual(self.run_tally("--program", "./bench", start="ordinary"), off)
        self.assertEqual(self.run_tally("--program", "./bench", start="image"), off)
        self.write("numbers.txt", "3 2 1")
        few = self.run_tally("--program", "./bench", start="ordinary")
        self.assertLess(few["bench/sort [cpp]"][0], off["bench/sort [cpp]"][0] / 10)
        self.build(PROGRAM.replace("std::sort(v.begin(), v.end());", ""))
        none = self.run_tally("--program", "./bench", start="ordinary")
        self.assertLess(none["bench/sort [cpp]"][0], few["bench/sort [cpp]"][0])

    def cache(self, *arguments, code=0):
        done = subprocess.run(
            [TALLY, "cache", *map(str, arguments)],
            env=self.environment,
            text=True,
            capture_output=True,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def carry(self):
        """The images in a file, and none in the store; as on another machine, all that was read is written anew."""
        kept = self.folder / "hosts.tally"
        said = self.cache("export", kept)
        self.cache("clear", "--images")
        for name in ("slowly_imported.py", "words.txt"):
            text = (self.folder / name).read_text()
            (self.folder / name).unlink()
            self.write(name, text)
            os.utime(self.folder / name, (1_700_000_000, 1_700_000_000))
        return kept, said

    def test_one_that_was_carried_here(self):
        right = self.run_tally()
        kept, said = self.carry()
        self.assertIn("Python host of slow under Valgrind", said)
        self.assertLess(kept.stat().st_size, 20_000_000)
        self.assertIn("Python host of slow", self.cache("import", kept))
        self.assertIn("carried here", self.cache())
        self.assertEqual(self.run_tally(start="image"), right)
        self.assertEqual(self.run_tally(start="image"), right)
        self.assertEqual(len(list(self.images.glob("*.image"))), 1)

    def test_one_that_was_carried_here_and_is_of_other_files(self):
        self.run_tally()
        kept, _ = self.carry()
        self.write("words.txt", "others")
        self.cache("import", kept)
        record, argv = self.command("suite.toml")
        argv.remove("--quiet")
        done = subprocess.run(
            [*argv, "-v"], env=self.environment, cwd=self.folder, text=True, capture_output=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"another file is here than was there: {self.folder}/words.txt", done.stderr)
        start = json.loads(record.read_text())["settings"]["host_start"]
        self.assertEqual(start, {"slow [python]": "ordinary"})
        self.assertNotIn("carried here", self.cache())
        self.run_tally(start="image")

    def test_a_carried_program(self):
        self.build(PROGRAM)
        self.write("numbers.txt", " ".join(str(i * 7919 % 1000) for i in range(1000)))
        right = self.run_tally("--program", "./bench", start="ordinary")
        kept, _ = self.carry()
        self.cache("import", kept)
        os.utime(self.folder / "bench", (1_700_000_000, 1_700_000_000))
        self.assertEqual(self.run_tally("--program", "./bench", start="image"), right)

    def test_files_that_are_no_carried_images(self):
        self.run_tally()
        kept = self.folder / "hosts.tally"
        none = self.folder / "none.tally"
        self.assertIn(
            "no image is of a host", self.cache("export", none, "--filter", "C++*", code=2)
        )
        self.assertFalse(none.exists())
        self.cache("export", kept)
        whole = kept.read_bytes()
        for name, data in {
            "nothing": b"",
            "another file": b"#!/bin/sh\n",
            "cut off": whole[: len(whole) // 2],
            "a byte": whole[:-1000] + b"x" + whole[-999:],
        }.items():
            with self.subTest(name):
                kept.write_bytes(data)
                self.assertIn(str(kept), self.cache("import", kept, code=2))
        self.assertIn("missing.tally", self.cache("import", self.folder / "missing.tally", code=2))
        self.assertIn("which file?", self.cache("export", code=2))
        self.assertIn("takes no file", self.cache("show", kept, code=2))
        self.assertEqual(list(self.images.glob("*.carried")), [])
        # A disk that is full is not bad input, and nothing of it stays.
        self.assertIn("/dev/full", self.cache("export", "/dev/full", code=1))

    def test_a_damaged_one_is_not_used(self):
        right = self.run_tally()
        whole = self.image().stat().st_size
        with self.subTest("cut off"):
            os.truncate(self.image(), whole // 2)
            self.assertEqual(self.run_tally(start="ordinary"), right)
        with self.subTest("a byte"):
            with self.image().open("r+b") as file:
                file.seek(whole // 2)
                file.write(b"x")
            self.assertEqual(self.run_tally(start="ordinary"), right)
        with self.subTest("others may write it"):
            self.image().chmod(0o622)
            self.assertEqual(self.run_tally(start="ordinary"), right)
        self.assertEqual(self.run_tally(start="image"), right)

    def test_the_loader_refuses_what_it_cannot_restore(self):
        """Each word of the head and of the first tables is wrong once, under a seal that fits."""
        right = self.run_tally()
        good = self.image().read_bytes()
        loader = str(BUILD / "libexec/tallymark/tally-restore")
        broken = self.folder / "broken"
        for offset in [*range(0, 176, 8), 176 + 1040, 176 + 1048, 1600, 1608]:
            for value in (b"\xff" * 8, b"\x01" + b"\0" * 7):
                with self.subTest(offset=offset, value=value):
                    if good[offset : offset + 8] == value:
                        continue
                    broken.write_bytes(good[:offset] + value + good[offset + 8 :])
                    with broken.open("rb") as file:
                        done = self.restore(loader, file)
                    # What it cannot know to be wrong ends the process; nothing is served.
                    self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.run_tally(start="image"), right)

    @staticmethod
    def restore(loader, file):
        def place():
            os.dup2(file.fileno(), 4)

        return subprocess.run(
            [loader, "/tmp/%p"],
            preexec_fn=place,
            pass_fds=(4,),
            capture_output=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def test_an_ordinary_start_follows_where_the_loader_refuses(self):
        right = self.run_tally()
        self.run_tally(start="image")
        # The folder that it stood in is gone: nothing that a key or a seal could tell.
        with self.image().open("r+b") as file:
            file.seek(0)
            file.write(b"another version")
        info = self.image().stat()
        seal = self.image().with_suffix(".seal")
        times = [f"{ns // 10**9}.{ns % 10**9:09}" for ns in (info.st_mtime_ns, info.st_ctime_ns)]
        lines = seal.read_text().split("\n")
        lines[2] = f"{info.st_ino} {info.st_size} {times[0]} {times[1]}"
        seal.write_text("\n".join(lines))
        record, argv = self.command("suite.toml")
        argv.remove("--quiet")
        done = subprocess.run(
            [*argv, "-v"], env=self.environment, cwd=self.folder, text=True, capture_output=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the host's image is not used: it is none of this version", done.stderr)
        self.assertNotIn("warning", done.stderr)
        read = json.loads(record.read_text())
        self.assertEqual(read["settings"]["host_start"], {"slow [python]": "ordinary"})
        self.assertEqual(counted(read), right)
        self.assertEqual(self.run_tally(start="image"), right)

    def test_what_cannot_be_written_has_none(self):
        for name, text in {
            "a thread": "import threading, time\n"
            "threading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n",
            "a pipe": "import os\nPIPE = os.pipe()\n",
            "a file that it writes to": "LOG = open('/tmp/' + __name__, 'w')\n",
        }.items():
            with self.subTest(name):
                self.write("slowly_imported.py", MODULE + text)
                first = self.run_tally("suite.toml", "--filter", "sum*", start="ordinary")
                self.assertEqual(
                    self.run_tally("suite.toml", "--filter", "sum*", start="ordinary"), first
                )
                self.assertEqual(sorted(self.images.iterdir()), [])

    def test_fewer_descriptors_are_another_start(self):
        right = self.run_tally()
        self.run_tally(start="image")
        record, argv = self.command("suite.toml")
        subprocess.run(
            argv,
            env=self.environment,
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512)),
        )
        read = json.loads(record.read_text())
        self.assertEqual(read["settings"]["host_start"], {"slow [python]": "ordinary"})
        self.assertEqual(counted(read), right)

    def test_a_store_that_cannot_be_written_costs_nothing_but_time(self):
        right = self.run_tally()
        shutil.rmtree(self.images)
        self.images.write_text("a file where the folder would be")
        self.assertEqual(self.run_tally(start="ordinary"), right)

    def run_at_once(self, number):
        """Their records."""
        runs = []
        for _ in range(number):
            record, argv = self.command("suite.toml")
            record.touch()
            process = subprocess.Popen(
                argv, env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL
            )
            runs.append((record, process))
        for _, process in runs:
            self.assertEqual(process.wait(), 0)
        return [json.loads(record.read_text()) for record, _ in runs]

    def test_many_at_once(self):
        right = self.run_tally()
        for read in self.run_at_once(8):
            self.assertEqual(read["settings"]["host_start"], {"slow [python]": "image"})
            self.assertEqual(counted(read), right)

    def test_many_that_write_at_once(self):
        counts = [counted(read) for read in self.run_at_once(3)]
        self.assertEqual(counts[1:], counts[:-1])
        self.assertEqual(self.run_tally(start="image"), counts[0])

    def test_the_cache_command(self):
        self.run_tally()
        shown = subprocess.run(
            [TALLY, "cache", "--json"],
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        images = json.loads(shown)["images"]
        self.assertEqual([one["key"] for one in images], [self.image().stem])
        self.assertGreater(images[0]["bytes"], 1 << 20)
        subprocess.run(
            [TALLY, "cache", "clear", "--images"],
            env=self.environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.assertEqual(list(self.images.iterdir()), [])

    def test_nothing_of_a_stopped_run_is_used(self):
        for signal_, left in ((signal.SIGINT, 0), (signal.SIGKILL, 1)):
            with self.subTest(signal_.name):
                _, argv = self.command("suite.toml")
                process = subprocess.Popen(
                    argv, env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL
                )
                while process.poll() is None and not list(self.images.glob("*.new")):
                    pass
                process.send_signal(signal_)
                process.wait()
                self.assertLessEqual(len(list(self.images.glob("*.new"))), left)
                self.assertEqual(list(self.images.glob("*.image")), [])
        right = self.run_tally(start="ordinary")
        self.assertEqual(self.run_tally(start="image"), right)


if __name__ == "__main__":
    unittest.main()
