"""Where records are written: into links, pipes and devices, never over them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tallymark._output import write_text


def test_a_link_stays_and_what_it_names_is_replaced(tmp_path: Path) -> None:
    record = tmp_path / "elsewhere" / "record.json"
    record.parent.mkdir()
    record.write_text("old")
    link = tmp_path / "link"
    link.symlink_to("elsewhere/record.json")
    write_text(link, "new")
    assert link.is_symlink()
    assert record.read_text() == "new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to("later.json")
    write_text(dangling, "text")
    assert dangling.is_symlink()
    assert (tmp_path / "later.json").read_text() == "text"
    circle = tmp_path / "circle"
    circle.symlink_to("circle")
    with pytest.raises(OSError, match="symbolic links"):
        write_text(circle, "text")


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    record.write_text("old")
    record.chmod(0o640)
    before = record.stat()
    write_text(record, "new")
    assert record.read_text() == "new"
    assert stat.S_IMODE(record.stat().st_mode) == 0o640
    assert record.stat().st_ino != before.st_ino
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


def test_a_new_file_has_the_permissions_of_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "record.json", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "record.json").stat().st_mode) == 0o640


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "text")
    reader.join()
    assert read == ["text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_descriptor_is_written_into_where_it_stands(tmp_path: Path) -> None:
    program = "from tallymark._output import write_text; write_text('/dev/fd/3', 'after')"
    with open(tmp_path / "out", "w") as out:
        out.write("before ")
        out.flush()
        command = ["bash", "-c", f'exec "$0" -c "{program}" 3>&1', sys.executable]
        subprocess.run(command, stdout=out, check=True, timeout=600)
    assert (tmp_path / "out").read_text() == "before after"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, "text")
