"""tools/check_words.py on files with one fault each, and on the repository itself."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools/check_words.py"


def check(path, text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        done = subprocess.run(
            [sys.executable, TOOL, "--root", folder], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr


class Words(unittest.TestCase):
    def test_the_repository_is_in_order(self):
        done = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_avoided_words(self):
        for path, line, word in [
            ("src/run/a.h", "/// Who is told what happens.", "told"),
            ("src/run/a.cc", "Status told_by(const Record& record);", "told"),
            ("src/run/a_test.cc", "TEST(Run, AMistakeIsToldFirst) {}", "told"),
            ("src/serve/a.cc", '  fail("the server goes on without it");', "goes on"),
            ("host/counter/a.h", "/// What a case has asked for.", "asked for"),
            ("include/tallymark/a.h", "// Tells the loop.", "tells"),
            ("python/tallymark/a.py", '"""A setup of one\'s own."""', "one's own"),
            ("docs/guides/a.md", "No pass is to be had.", "to be had"),
            ("README.md", "What was agreed to.", "agreed to"),
        ]:
            with self.subTest(path=path):
                code, text = check(path, f"\n{line}\n")
                self.assertEqual(code, 1)
                self.assertIn(f"{path}:2: '{word}'; write ", text)

    def test_a_word_may_be_a_part_of_another(self):
        text = "/// A storytelling foretold, shear, recommend, forgoes onto.\n"
        self.assertEqual(check("src/run/a.h", text), (0, "words: in order\n"))

    def test_a_position_in_a_file_may_be_told(self):
        path = "python/tallymark/_client/server.py"
        self.assertEqual(check(path, "begin = log.tell()\n")[0], 0)

    def test_constants(self):
        for line, name in [
            ("constexpr double most_of = 0.5;", "kMostOf"),
            ("inline constexpr std::array<std::string_view, 2> keys = {", "kKeys"),
            ("const std::vector<double> numbers = {1, 2};", "kNumbers"),
            ('constexpr char usage[] = "a = b";', "kUsage"),
            ("struct A {\n  static constexpr int none = -1;\n};", "kNone"),
        ]:
            with self.subTest(line=line):
                code, text = check("src/run/a.cc", line + "\n")
                self.assertEqual(code, 1)
                self.assertIn(f"; write {name}\n", text)

    def test_what_is_no_constant_of_its_own(self):
        for line in [
            "constexpr double kMostOf = 0.5;",
            "constexpr double half(double x) { return x / 2; }",
            "const Case* current = nullptr;",
            "const char* Context::name = nullptr;",
            "int f() {\n  constexpr int local = 1;\n  static constexpr int table = 2;\n}",
            "const Table& table();",
        ]:
            with self.subTest(line=line):
                self.assertEqual(check("src/run/a.cc", line + "\n")[0], 0)

    def test_public_names_stay(self):
        self.assertEqual(check("include/tallymark/a.h", "constexpr double relaxed = 1;\n")[0], 0)


if __name__ == "__main__":
    unittest.main()
