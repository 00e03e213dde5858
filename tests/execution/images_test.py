"""Hosts' images: what is counted from one is what an ordinary start counts, and none is used that does not fit."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import unittest

from images_fixture import BUILD, MODULE, NEEDS_COUNTER, PROGRAM, SUITE, TALLY, ImagesCase, counted


@NEEDS_COUNTER
class Images(ImagesCase):
    def test_counts_are_those_of_an_ordinary_start(self):
        off = self.run_tally(start="ordinary", TALLY_IMAGES="off")
        self.assertFalse(self.images.exists())
        first = self.run_tally(start="ordinary")
        second = self.run_tally(start="image")
        self.assertEqual(first, off)
        self.assertEqual(second, off)
        self.assertGreater(off["work [python]"][0], 1000)
        self.assertEqual(self.run_tally("suite.toml", "--images", "off", start="ordinary"), off)

    def test_empty_pages_take_no_room(self):
        self.run_tally(start="ordinary")
        about = self.image().stat()
        self.assertLess(about.st_blocks * 512, about.st_size)

    def test_no_case_that_a_host_has_served_is_in_the_next_ones_start(self):
        alone = self.run_tally("suite.toml", "--filter", "sum*")
        self.run_tally("suite.toml", start="image")
        self.assertEqual(self.run_tally("suite.toml", "--filter", "sum*", start="image"), alone)

    def test_another_shell_is_no_other_start(self):
        """Where the user's shell stands is said to a host once it is there, and moves nothing."""
        options = ("suite.toml", "--python", sys.executable)
        # Where a setup loads it, a second process confirms the count.
        self.write("slowly_imported.py", MODULE + "import ctypes\n")

        def suite(path, environment):
            return (
                SUITE
                + f"""
[[benchmark]]
label = "shell"
toolchain = "slow"
setup.py = '''
import ctypes, os
library = ctypes.CDLL(None)
library.getenv.restype = ctypes.c_char_p
for name, value in (("PATH", {path!r}), ("VIRTUAL_ENV", {environment!r}), ("CONDA_PREFIX", None)):
    assert os.environ.get(name) == value and library.getenv(name.encode()) == (value and value.encode()), name
'''
py = "sum(range(10))"
"""
            )

        usual = self.environment["PATH"]
        self.write("suite.toml", suite(usual, None))
        off = self.run_tally(*options, start="ordinary", TALLY_IMAGES="off")
        self.run_tally(*options, start="ordinary")
        for path, environment in ((usual + ":/" + "x" * 999, "/venv"), ("/bin", None)):
            self.write("suite.toml", suite(path, environment))
            shell = {"PATH": path} | ({"VIRTUAL_ENV": environment} if environment else {})
            self.assertEqual(self.run_tally(*options, start="image", **shell), off)

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
        # The folder that it stood in is gone: nothing that a key or a seal could show.
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
        done = subprocess.run(
            argv, env=self.environment, cwd=self.folder, text=True, capture_output=True
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

    def test_what_ends_while_it_is_written_is_none(self):
        """No file may grow beyond 16 MiB, which ends the writing as a full disk does."""
        self.assertFalse(list(self.images.glob("*")))
        record, argv = self.command("suite.toml")
        limit = 16 << 20
        done = subprocess.run(
            argv,
            env=self.environment,
            cwd=self.folder,
            text=True,
            capture_output=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        read = counted(json.loads(record.read_text()))
        self.assertEqual(list(self.images.glob("*")), [])
        self.assertEqual(self.run_tally(start="ordinary"), read)
        self.assertGreater(self.image().stat().st_size, limit)

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

    def stop_while_an_image_is_written(self, signal_):
        """Where the signal comes too late, on a busy machine, the image is complete: then once more."""
        for _ in range(20):
            for file in self.images.glob("*"):
                file.unlink()
            _, argv = self.command("suite.toml")
            process = subprocess.Popen(
                argv, env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL
            )
            while process.poll() is None and not list(self.images.glob("*.new")):
                pass
            process.send_signal(signal_)
            process.wait()
            if not list(self.images.glob("*.image")):
                return

    def test_nothing_of_a_stopped_run_is_used(self):
        for signal_, left in ((signal.SIGINT, 0), (signal.SIGKILL, 1)):
            with self.subTest(signal_.name):
                self.stop_while_an_image_is_written(signal_)
                self.assertLessEqual(len(list(self.images.glob("*.new"))), left)
                self.assertEqual(list(self.images.glob("*.image")), [])
        right = self.run_tally(start="ordinary")
        self.assertEqual(self.run_tally(start="image"), right)


if __name__ == "__main__":
    unittest.main()
