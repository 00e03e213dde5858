"""Hosts' images that come from elsewhere: the same counts where all files are the same, else an ordinary start."""

import json
import os
import subprocess
import unittest

from images_fixture import NEEDS_COUNTER, PROGRAM, TALLY, ImagesCase


@NEEDS_COUNTER
class CarriedImages(ImagesCase):
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
        done = subprocess.run(
            argv, env=self.environment, cwd=self.folder, text=True, capture_output=True
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


if __name__ == "__main__":
    unittest.main()
