"""The table of projects, and each of them built twice: with Tallymark's drop-in and with Google Benchmark.

The table is a TOML file of the user's::

    [[project]]
    name = "words"
    source = "words"                # below --sources
    commit = "1234abcd"             # for the report
    options = ["-DWORDS_BENCH=ON"]  # of CMake; {sources} is replaced
    way = "package"                 # how it asks for the library: package, fetch:NAME, cpm:NAME, folder:PATH
    targets = ["words_bench"]       # what is built
    programs = ["bench/words_bench"]  # below the build folder
    args = ["all"]                  # of the programs
    folder = "words/data"           # that they run in, below --sources; beside them without
    filters = ["*split*"]           # as of `tally run --filter`; all cases without
    iterations = 100                # executions that are counted
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import tomllib

SIDES = ("header", "google")


@dataclass(frozen=True)
class Project:
    """One entry of the table."""

    name: str
    source: str
    targets: list[str]
    programs: list[str]
    commit: str = ""
    options: list[str] = field(default_factory=list)
    way: str = "package"
    args: list[str] = field(default_factory=list)
    folder: str = ""
    filters: list[str] = field(default_factory=list)
    iterations: int = 100


@dataclass(frozen=True)
class Places:
    """Where sources, libraries and builds lie."""

    sources: Path
    drop_in: Path  # of Tallymark's installation
    google: Path  # prefix of Google Benchmark
    google_sources: Path
    work: Path


class BuildFailed(Exception):
    """A project cannot be configured or built; says the last line that names an error."""


def read_table(path: Path) -> list[Project]:
    """The projects of a table, in its order."""
    with path.open("rb") as file:
        return [Project(**entry) for entry in tomllib.load(file)["project"]]


def options_of_way(way: str, places: Places, side: str) -> list[str]:
    """What makes CMake take the library of this side."""
    kind, _, name = way.partition(":")
    sources = places.drop_in if side == "header" else places.google_sources
    if kind == "package":
        prefix = places.drop_in if side == "header" else places.google
        return [f"-Dbenchmark_DIR={prefix}/lib/cmake/benchmark"]
    if kind == "fetch":
        return [
            f"-DFETCHCONTENT_SOURCE_DIR_{name}={sources}",
            "-DBENCHMARK_ENABLE_TESTING=OFF",
            "-DBENCHMARK_ENABLE_INSTALL=OFF",
        ]
    if kind == "cpm":
        return [f"-DCPM_{name}_SOURCE={sources}"]
    return []


def prepare_source(project: Project, places: Places, side: str) -> Path:
    """The source folder; a copy of its own where the library is a folder of it."""
    source = places.sources / project.source
    kind, _, folder = project.way.partition(":")
    if kind != "folder":
        return source
    copy = places.work / "sources" / f"{project.name}-{side}"
    if not copy.exists():
        shutil.copytree(source, copy, symlinks=True)
        link = copy / folder
        shutil.rmtree(link, ignore_errors=True)
        link.symlink_to(places.drop_in if side == "header" else places.google_sources)
    return copy


def run_logged(argv: list[str], log: Path) -> None:
    """Runs a step of a build, its output at the end of the log."""
    with log.open("a") as out:
        done = subprocess.run(argv, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        errors = [line for line in log.read_text(errors="replace").splitlines() if "rror" in line]
        raise BuildFailed((errors or [f"exit code {done.returncode}"])[0].strip())


def build(project: Project, places: Places, side: str) -> Path:
    """Builds the targets; returns the build folder."""
    folder = places.work / "build" / f"{project.name}-{side}"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    log.write_text("")
    configure = ["cmake", "-G", "Ninja", "-S", str(prepare_source(project, places, side))]
    configure += ["-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"]
    configure += [option.format(sources=places.sources) for option in project.options]
    run_logged(configure + options_of_way(project.way, places, side), log)
    jobs = os.environ.get("JOBS", "1")
    run_logged(["ninja", "-C", str(folder), f"-j{jobs}", *project.targets], log)
    return folder
