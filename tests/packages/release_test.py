"""tools/release.sh in a small repository that has what it reads, with a Makefile whose packages are empty files."""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {
    "CMakeLists.txt": "project(tallymark VERSION {version} LANGUAGES C CXX)\n",
    "python/pyproject.toml": '[project]\nname = "tallymark"\nversion = "{version}"\n',
    "python/tallymark/__init__.py": '__version__ = "{version}"\n',
    "packaging/conda/meta.yaml": '{{% set version = "{version}" %}}\n',
    "debian/changelog": "tallymark ({version}-1) unstable; urgency=medium\n\ntallymark (0.0.9-1) unstable\n",
    "CHANGELOG.md": "# Changes\n\n## {version} (2026-11-29)\n\n- **Count**.\n\n## 0.0.9 (2026-01-01)\n\n- First.\n",
    "src/measurement/settings.h": "inline constexpr int kCountingVersion = 6;\n",
    "src/record/record.h": "inline constexpr int kRecordSchema = 2;\n",
    ".gitignore": "/build/\n",
    "Makefile": (
        "wheel:\n\tmkdir -p build/wheel && echo wheel >build/wheel/tallymark-{version}-py3-none-any.whl\n"
        "deb:\n\tmkdir -p build/deb && echo deb >build/deb/tallymark_{version}-1_amd64.deb\n"
        "source:\n\tmkdir -p build/source && echo source >build/source/tallymark-{version}.tar.gz\n"
    ),
}
PARTS = ("sanitize", "fuzz", "tidy", "busy", "deb", "source", "references")


class Release(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.git("init", "-q", "-b", "main")
        self.write("tools/release.sh", (ROOT / "tools/release.sh").read_text())
        (self.room / "tools/release.sh").chmod(0o755)
        self.set_version("0.1.0")

    def write(self, name, text):
        path = self.room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_in(self, *argv):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.room),
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        return subprocess.run(
            argv, cwd=self.room, env=environment, capture_output=True, text=True, check=False
        )

    def git(self, *arguments):
        done = self.run_in(
            "git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "A change")
        for part in PARTS:
            self.write(
                f"build/nightly/{part}.result", f"{self.git('rev-parse', 'HEAD')} passed in 1 s"
            )

    def set_version(self, version):
        for name, text in FILES.items():
            self.write(name, text.format(version=version))
        self.commit()

    def replace(self, name, old, new):
        text = (self.room / name).read_text()
        self.assertIn(old, text)
        self.write(name, text.replace(old, new))
        self.commit()

    def release(self, *options):
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        done = self.run_in("tools/release.sh", *options)
        return done.returncode, done.stdout + done.stderr

    def refused(self, *texts):
        code, said = self.release("--dry-run")
        self.assertEqual(code, 1, said)
        for text in texts:
            self.assertIn(text, said)
        self.assertEqual(said.count("release: "), len(texts), said)

    def test_a_dry_run_builds_and_tags_nothing(self):
        code, said = self.release("--dry-run")
        self.assertEqual(code, 0, said)
        self.assertIn("release: 0.1.0 of ", said)
        self.assertEqual(self.git("tag"), "")
        self.assertFalse((self.room / "build/wheel").exists())

    def test_files_checksums_and_the_tag(self):
        code, said = self.release()
        self.assertEqual(code, 0, said)
        self.assertEqual(self.git("rev-parse", "v0.1.0^{commit}"), self.git("rev-parse", "HEAD"))
        made = self.room / "build/released/0.1.0"
        sums = dict(line.split()[::-1] for line in (made / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(
            sorted(sums),
            [
                "tallymark-0.1.0-py3-none-any.whl",
                "tallymark-0.1.0.tar.gz",
                "tallymark_0.1.0-1_amd64.deb",
            ],
        )
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((made / name).read_bytes()).hexdigest(), digest)
        self.refused("the tag v0.1.0 exists")

    def test_a_tree_that_is_not_clean(self):
        self.write("new.txt", "")
        self.refused("the working tree is not clean")

    def test_versions_that_differ(self):
        self.replace("python/pyproject.toml", "0.1.0", "0.1.1")
        self.replace("python/tallymark/__init__.py", "0.1.0", "0.1.1")
        self.replace("packaging/conda/meta.yaml", "0.1.0", "0.1.2")
        self.replace("debian/changelog", "0.1.0", "0.1.3")
        self.refused(
            "python/pyproject.toml says '0.1.1', and CMakeLists.txt '0.1.0'",
            "python/tallymark/__init__.py says '0.1.1'",
            "packaging/conda/meta.yaml says '0.1.2'",
            "debian/changelog says '0.1.3'",
        )

    def test_the_changelog(self):
        for old, new, reason in [
            ("## 0.1.0 (2026-11-29)", "## 0.1.0 (not released)", "has no date"),
            ("(not released)\n\n- **Count**.\n", "(2026-11-29)\n", "is empty"),
            ("## 0.1.0 ", "## 0.1.01 ", "no entry '## 0.1.0 (DATE)'"),
        ]:
            with self.subTest(reason):
                self.replace("CHANGELOG.md", old, new)
                self.refused(reason)

    def test_one_step_after_the_newest_tag(self):
        self.git("tag", "v0.0.9")
        self.git("tag", "v0.1.0")
        for version, is_step in [
            ("0.1.1", True),
            ("0.2.0", True),
            ("1.0.0", True),
            ("0.1.2", False),
            ("0.2.1", False),
            ("0.0.10", False),
        ]:
            with self.subTest(version):
                self.set_version(version)
                if is_step:
                    self.assertEqual(self.release("--dry-run")[0], 0)
                else:
                    self.refused(f"{version} is no step after v0.1.0: 0.1.1, 0.2.0 or 1.0.0")

    def test_other_counts_or_records_are_more_than_a_patch(self):
        self.git("tag", "v0.1.0")
        self.set_version("0.1.1")
        self.replace("src/measurement/settings.h", "= 6", "= 7")
        self.refused("kCountingVersion has changed since v0.1.0: that is 0.2.0 at least")
        self.replace("src/record/record.h", "= 2", "= 3")
        self.refused("kCountingVersion has", "kRecordSchema has changed since v0.1.0")
        self.set_version("0.2.0")
        self.replace("src/measurement/settings.h", "= 6", "= 7")
        self.assertEqual(self.release("--dry-run")[0], 0)

    def test_nightly(self):
        self.write("build/nightly/fuzz.result", f"{self.git('rev-parse', 'HEAD')} failed in 1 s")
        (self.room / "build/nightly/deb.result").unlink()
        self.refused("make nightly has not passed at this commit: fuzz deb (")
        self.assertEqual(self.release("--dry-run", "--without-nightly")[0], 0)

    def test_an_unknown_option(self):
        self.assertEqual(self.release("--dry")[0], 2)


if __name__ == "__main__":
    unittest.main()
