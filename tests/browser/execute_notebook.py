"""execute_notebook.py OUT: executes a notebook with the cells below and writes it as HTML, for notebook.sh."""

from __future__ import annotations

import sys

import nbclient
import nbconvert
import nbformat

MEASURE = """\
import tallymark

words = [f"word {n % 37}" for n in range(200)]


def common(texts):
    counts = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    return max(counts, key=counts.get)


tallymark.measure(common, words)"""

COMPARE = """\
from collections import Counter


def counted(texts):
    return Counter(texts).most_common(1)[0][0]


tallymark.compare(common, counted, words)"""


def main() -> None:
    cells = [nbformat.v4.new_code_cell(text) for text in (MEASURE, COMPARE)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    html, _ = nbconvert.HTMLExporter(template_name="lab").from_notebook_node(notebook)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(html)


main()
