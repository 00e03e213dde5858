"""Images of users' programs: whatever their start has read, in whichever way, another one of it is another start."""

import importlib.util
import json
import os
import subprocess
import sys
import unittest

from images_fixture import NEEDS_COUNTER, TALLY, ImagesCase, counted

PROGRAM = """
#include <tallymark/bench.h>
#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
namespace {
int number_in(const std::string& path) {
  int number = 0;
  std::fstream(path) >> number;  // which may write to it, too
  return number;
}
int number_below(const char* folder, const char* name) {
  const int at = ::open(folder, O_RDONLY | O_DIRECTORY);
  const int file = ::openat(at, name, O_RDONLY);
  char bytes[16] = {};
  (void)!::read(file, bytes, sizeof bytes - 1);
  ::close(file);
  ::close(at);
  return std::stoi(bytes);
}
int files_in(const char* folder) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files += entry.is_regular_file() ? 1 : 0;
  return files;
}
const int numbers = [] {
  std::ofstream("made_anew") << "by each start";
  volatile unsigned long spent = 0;
  for (unsigned long i = 0; i < 1500000000; ++i) spent = spent + i;
  // Records are written there, and are no input.
  (void)files_in(".");
  return READS;
}();
}  // namespace
TALLY_BENCH("loop") (tally::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < numbers; ++i) asm volatile("nop");
  }
}
int main(int argc, char** argv) { return tally::bench_main(argc, argv); }
"""


@NEEDS_COUNTER
class ImagesOfPrograms(ImagesCase):
    def loops(self, start):
        return self.run_tally("--program", "./bench", start=start)["bench/loop [cpp]"][0]

    def test_each_way_of_reading(self):
        shared = f"/dev/shm/tally_{os.getpid()}"
        self.addCleanup(os.unlink, shared)
        self.addCleanup((self.folder / "made_anew").unlink, missing_ok=True)
        data = self.folder / "data"
        data.mkdir()
        self.write("data/number", "10")
        self.write("number", "10")
        numbers = f'number_in("number") + number_in("{shared}") + number_below("data", "number")'
        self.build(PROGRAM.replace("READS", numbers + ' + 100 * files_in("data")'))

        def write(path, text):
            with open(path, "w") as file:
                file.write(text)

        write(shared, "10")
        before = self.loops("ordinary")
        self.assertEqual(self.loops("image"), before)
        for path, text in (
            (self.folder / "number", "1010"),
            (shared, "1010"),
            (data / "number", "1010"),
            (data / "another", ""),
        ):
            with self.subTest(path):
                write(path, text)
                now = self.loops("ordinary")
                self.assertGreater(now, before + 100)
                self.assertEqual(self.loops("image"), now)
                before = now

    def test_what_another_process_reads(self):
        reads = """[] {
    FILE* const pipe = ::popen("cat number", "r");
    int read = 0;
    (void)!std::fscanf(pipe, "%d", &read);
    ::pclose(pipe);
    return read;
  }()"""
        self.write("number", "10")
        self.build(PROGRAM.replace("READS", reads))
        before = self.loops("ordinary")
        self.write("number", "1010")
        self.assertGreater(self.loops("ordinary"), before + 100)

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "no pytest")
    def test_a_project_that_records_are_written_to(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "conftest.py").write_text("for i in range(1_000_000): hash(str(i))\n")
        (project / "test_it.py").write_text(
            "import os, pytest\n"
            "@pytest.mark.parametrize('name', sorted(os.listdir('data')))\n"
            "def test_it(benchmark, name): benchmark(len, name)\n"
        )
        (project / "data").mkdir()
        (project / "data" / "a.txt").write_text("")

        def cases(record, start):
            argv = [TALLY, "run", "--python", sys.executable, "--pytest", ".", "--counts-only"]
            argv += ["--profiles", "--server", "off", "-v", "--json", record]
            done = subprocess.run(
                argv, env=self.environment, cwd=project, text=True, capture_output=True
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            read = json.loads((project / record).read_text())
            self.assertEqual(set(read["settings"]["host_start"].values()), {start}, done.stderr)
            return counted(read)

        first = cases("r1.json", "ordinary")
        self.assertEqual(cases("r2.json", "image"), first)
        self.assertEqual(cases("r3.json", "image"), first)
        (project / "data" / "b.json").write_text("{}")
        self.assertEqual(len(cases("r4.json", "ordinary")), 2)
        self.assertEqual(len(cases("r5.json", "image")), 2)


if __name__ == "__main__":
    unittest.main()
