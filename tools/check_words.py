#!/usr/bin/env python3
"""Checks words and names: no line uses a word that we avoid, and constants of the C++ are kCamel.

check_words.py [--root FOLDER]
Exit code: 0, or 1 with each fault on a line of its own: its place, and what to write instead.

A word is looked for in comments, texts and names alike: `told_by`, `ToldBy` and "told by" are the same to this tool. A
phrase that is broken between two lines is not found.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PLACES = ("src", "host", "include", "python", "docs", "bench", "README.md", "HACKING.md")
READ = {".h", ".cc", ".c", ".py", ".pyi", ".md", ".js", ".toml", ".txt", ".cmake"}

# What to write instead of a word or phrase: lower case, with a blank for "_" and between the parts of a CamelCase name.
AVOIDED = {
    "told": "reported, shown, asked",
    "tells": "reports, says, shows",
    "tell": "report, say, show",
    "tell apart": "distinguish",
    "hear": "receive, learn",
    "hears": "receives, learns",
    "heard": "received",
    "spoken": "stated",
    "climb": "escalate",
    "mend": "hint, repair",
    "mends": "hints, repairs",
    "nonsense": "what is wrong with it: malformed, contradictory",
    "lately": "recently, recent",
    "asked all": "has requested all",
    "let go": "release",
    "keep whole": "keep complete",
    "goes on": "continues",
    "go on": "continue",
    "went on": "continued",
    "come to": "reach, cost, give",
    "comes to": "reaches, costs, gives",
    "asked for": "requested",
    "agreed to": "acknowledged",
    "agreed upon": "acknowledged",
    "nobody agreed": "unacknowledged",
    "is said": "is reported, is stated",
    "not said": "not given, not reported",
    "knows nothing of": "does not depend on, has no",
    "to be had": "available",
    "may be had": "is available",
    "one's own": "custom, separate",
    "at hand": "available, given",
    "for who": "for a reader that, for code that",
    "as one sees": "as it is for",
}

# Where the word is right: a file's beginning, and what the line contains besides.
RIGHT = (
    ("python/tallymark/_client/server.py", "log.tell()"),  # a position in a file
    # "mend" is the earlier name of "hint", and stays in JSON and in Python.
    ("python/tallymark/_doctor.py", "mend"),
    ("python/tallymark/_errors.py", "mend"),
    ("python/tests/", ".mend"),
    ("src/cli/doctor_command.cc", '"mend"'),
    ("src/serve/events", '"mend"'),
    ("docs/guides/python.md", "`mend`"),
    ("docs/reference/", '"mend"'),
)

# A constant that is declared at namespace scope, or as a static member of a class.
CONSTANT = re.compile(r"^(\s*)((?:(?:inline|static|constexpr|const|constinit|extern)\s+)+)(.*)$")
NAME = re.compile(r"^[^=({;\[]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*[={;]")
NAMED_WELL = re.compile(r"k[A-Z]|g_")  # g_: an object that is const for others, and does something


def words_of(line: str) -> str:
    """Lower case; the parts of names are words of their own."""
    return re.sub(r"_+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", line)).lower()


# Any of them: one search of each line, and one for each word only where it finds something.
ANY_AVOIDED = re.compile(rf"(?<![a-z])(?:{'|'.join(AVOIDED)})(?![a-z])")


def avoided_in(line: str) -> Iterator[str]:
    words = words_of(line)
    if not ANY_AVOIDED.search(words):
        return
    for avoided, instead in AVOIDED.items():
        if re.search(rf"(?<![a-z]){avoided}(?![a-z])", words):
            yield f"'{avoided}'; write {instead}"


def without_arguments(text: str) -> str:
    """A declaration without its texts, comments and template arguments."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text).split("//", maxsplit=1)[0]
    shorter = re.sub(r"<[^<>]*>", "", text)
    while shorter != text:
        text, shorter = shorter, re.sub(r"<[^<>]*>", "", shorter)
    return text


def is_member(lines: list[str], at: int) -> bool:
    """Whether the line is in a class, and not in a function."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    for line in reversed(lines[:at]):
        if not line.strip() or re.match(r"\s*(public|private|protected):", line):
            continue
        if len(line) - len(line.lstrip()) < indent:
            return re.search(r"\b(class|struct|union)\b", line) is not None
    return False


def wrong_constants(lines: list[str], at: int) -> Iterator[str]:
    declared = CONSTANT.match(lines[at])
    if declared is None:
        return
    indent, how, rest = declared.groups()
    if "const" not in how or (indent and not ("static" in how and is_member(lines, at))):
        return
    rest = without_arguments(rest)
    found = NAME.match(rest)
    # Not: a variable that points at what is const, and a member that is defined outside of its class.
    points = "constexpr" not in how and re.search(r"[*&]\s*\w+\s*(\[.*\])?\s*[={;]", rest)
    if found is None or points or f"::{found[1]}" in rest or NAMED_WELL.match(found[1]):
        return
    camel = "".join(part[:1].upper() + part[1:] for part in found[1].split("_"))
    yield f"the constant {found[1]}; write k{camel}"


def faults_of(path: str, text: str) -> Iterator[str]:
    lines = text.splitlines()
    is_ours = path.startswith(("src/", "host/")) and path.endswith((".h", ".cc"))
    for at, line in enumerate(lines):
        if any(path.startswith(start) and part in line for start, part in RIGHT):
            continue
        found = [*avoided_in(line), *(wrong_constants(lines, at) if is_ours else [])]
        yield from (f"{path}:{at + 1}: {fault}" for fault in found)


def files_of(root: Path) -> list[str]:
    """Those of git, or all where the folder is no repository."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", *PLACES],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.splitlines() if (root / name).is_file()]
    else:
        names = [
            str(path.relative_to(root))
            for place in PLACES
            for path in [root / place, *(root / place).rglob("*")]
            if path.is_file()
        ]
    return sorted(name for name in names if Path(name).suffix in READ)


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks words and names.")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    faults = [
        fault
        for name in files_of(root)
        for fault in faults_of(name, (root / name).read_text(encoding="utf-8", errors="replace"))
    ]
    print("\n".join(faults) if faults else "words: in order", file=sys.stderr if faults else None)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
