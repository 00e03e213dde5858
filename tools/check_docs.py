#!/usr/bin/env python3
"""Checks the documentation: relative links lead to files, and anchors to headings. check_words.py checks its words.

check_docs.py           also counts the sentences of more than 35 words
check_docs.py --long    prints these
Exit code: 0, or 1 with each fault on a line of its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 35  # words of a sentence
LINK = re.compile(r"\]\(([^)\s]+)\)")


def pages() -> list[Path]:
    return [
        ROOT / "README.md",
        ROOT / "HACKING.md",
        ROOT / "bench/RESULTS.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]


def prose(page: Path) -> Iterator[str]:
    """Paragraphs, list items, headings and table cells, each as one line; code blocks are left out."""
    paragraph: list[str] = []
    fenced = in_code = False
    after_blank = True
    for line in [*page.read_text(encoding="utf-8").splitlines(), ""]:
        text = line.strip()
        if text.startswith("```"):
            fenced = not fenced
        elif not fenced:
            in_code = line.startswith("    ") and (after_blank or in_code)
            if text and not in_code:
                starts = text.startswith(("|", "#")) or re.match(r"([*+-]|\d+\.) ", text)
                if starts and paragraph:
                    yield " ".join(paragraph)
                    paragraph = []
                if text.startswith("|"):
                    yield from (cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1])
                else:
                    paragraph.append(re.sub(r"^([*+-]|\d+\.) ", "", text))
        if (not text or text.startswith(("#", "```"))) and paragraph:
            yield " ".join(paragraph)
            paragraph = []
        after_blank = not text


def sentences(text: str) -> Iterator[str]:
    plain = re.sub(r"`[^`]*`", "CODE", LINK.sub("]", text))
    yield from re.split(r"(?<=[.!?:])[\"')*]*\s+(?=[A-Z\"(\[*])", plain)


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def broken_links(page: Path) -> Iterator[str]:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        if not other.exists():
            yield f"{page.relative_to(ROOT)}: {target}: no such file"
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            yield f"{page.relative_to(ROOT)}: {target}: no such heading"


def main() -> int:
    faults = [fault for page in pages() for fault in broken_links(page)]
    everything = [
        (page, one) for page in pages() for text in prose(page) for one in sentences(text)
    ]
    long = [(page, one) for page, one in everything if len(one.split()) > LONGEST]
    if "--long" in sys.argv[1:]:
        for page, one in long:
            print(f"{page.relative_to(ROOT)}: {len(one.split())} words: {one}")
    print(
        "\n".join(
            [*faults, f"{len(long)} of {len(everything)} sentences have more than {LONGEST} words"]
        )
    )
    return 1 if faults else 0


sys.exit(main())
