"""A notebook as people use it, run by nbclient: measure, interrupt, continue, edit a module, lose the server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import tallymark

pytestmark = pytest.mark.end_to_end

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

CELLS = {
    "imports": "import importlib.util, os, signal, threading, time\nimport tallymark",
    "first": "tallymark.count('sorted(v)', setup='v = list(range(100))')",
    "second": (
        "begin = time.monotonic()\n"
        "result = tallymark.count('sorted(v)', setup='v = list(range(100))')\n"
        "print(f'second count: {time.monotonic() - begin:.2f} s')\n"
        "result"
    ),
    "torch": (
        "statement = dict(setup='x = torch.ones(8, 8); y = torch.ones(8, 8)')\n"
        "if importlib.util.find_spec('torch'):\n"
        "    first = tallymark.count('torch.add(x, y)', **statement)\n"
        "    begin = time.monotonic()\n"
        "    second = tallymark.count('torch.add(x, y)', **statement)\n"
        "    print(f'second count with torch: {time.monotonic() - begin:.2f} s')\n"
        "    print('equal:', first.counts.replicates == second.counts.replicates)"
    ),
    "by value": (
        "data = {'words': ['a', 'b'] * 20}\n"
        "def joined(separator):\n    return separator.join(data['words'])\n"
        "tallymark.count(joined, ', ')"
    ),
    # As a notebook's stop button does: SIGINT to the kernel's process group.
    "interrupted": (
        "threading.Timer(1.5, os.killpg, [os.getpgid(0), signal.SIGINT]).start()\n"
        "tallymark.count('time.sleep(30)', setup='import time', iterations=1)"
    ),
    "continues": "tallymark.count('1 + 1')",
    "module": (
        "open('ours_notebook.py', 'w').write('def f(n):\\n    return sum(range(n))\\n')\n"
        "import importlib, ours_notebook\n"
        "before = tallymark.count(ours_notebook.f, 10).instructions"
    ),
    "stale": (
        "time.sleep(1.1)\n"
        "open('ours_notebook.py', 'w').write('def f(n):\\n    return sum(range(100 * n))\\n')\n"
        "tallymark.count(ours_notebook.f, 10)"
    ),
    "reloaded": (
        "importlib.reload(ours_notebook)\n"
        "after = tallymark.count(ours_notebook.f, 10).instructions\n"
        "print('after / before > 5:', after / before > 5)"
    ),
    "killed": (
        "pid = tallymark.default_engine()._connection.hello['pid']\n"
        "threading.Timer(1.5, os.kill, [pid, signal.SIGKILL]).start()\n"
        "tallymark.count('time.sleep(30)', setup='import time', iterations=1)"
    ),
    "another server": (
        "tallymark.count('1 + 1')\n"
        "print('same pid:', tallymark.default_engine()._connection.hello['pid'] == pid)"
    ),
}


@pytest.fixture(scope="module")
def outputs(
    engine: tallymark.Engine, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Any]]:
    folder = tmp_path_factory.mktemp("notebook")
    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", str(Path(tallymark.__file__).parent.parent))
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in CELLS.values()]
    )
    client = nbclient.NotebookClient(
        notebook, timeout=400, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    patch.undo()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells)}


def shown(outputs: list[Any]) -> str:
    """All text of a cell: prints, results, errors without colours."""
    parts = []
    for one in outputs:
        parts.append(one.get("text", ""))
        parts.append(one.get("data", {}).get("text/plain", ""))
        parts += one.get("traceback", [])
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(parts))


def instructions(outputs: list[Any]) -> str:
    found = re.search(r"instructions +([\d,]+)", shown(outputs))
    assert found, shown(outputs)
    return found.group(1)


def test_a_result_is_shown_as_html_and_text(outputs: dict[str, list[Any]]) -> None:
    (first,) = outputs["first"]
    assert "sorted(v)" in first["data"]["text/html"]
    assert "instructions" in first["data"]["text/plain"]


def test_the_second_count_is_the_first(outputs: dict[str, list[Any]]) -> None:
    assert instructions(outputs["second"]) == instructions(outputs["first"])
    print(shown(outputs["second"]).splitlines()[0])


def test_the_second_count_with_torch_is_the_first(outputs: dict[str, list[Any]]) -> None:
    pytest.importorskip("torch")
    text = shown(outputs["torch"])
    assert "equal: True" in text, text
    print(text.splitlines()[0])


def test_a_function_of_the_notebook_is_reported_to_leave(outputs: dict[str, list[Any]]) -> None:
    text = shown(outputs["by value"])
    assert "joined: data: dict" in text
    assert "source     joined" in text


def test_an_interrupt_ends_the_cell_and_nothing_else(outputs: dict[str, list[Any]]) -> None:
    assert "Interrupted" in shown(outputs["interrupted"])
    assert instructions(outputs["continues"])


def test_an_edited_module_is_found_stale_and_counted_anew(outputs: dict[str, list[Any]]) -> None:
    assert "importlib.reload(ours_notebook)" in shown(outputs["stale"])
    assert "after / before > 5: True" in shown(outputs["reloaded"])


def test_a_killed_server_is_reported_and_replaced(outputs: dict[str, list[Any]]) -> None:
    assert "ServerLost: the server has ended the connection" in shown(outputs["killed"])
    assert "same pid: False" in shown(outputs["another server"])
