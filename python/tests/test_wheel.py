"""The wheel: its tag is true, it installs into fresh environments with nothing else, and its tally counts what the
build's does, to the instruction, wherever it lies."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from real_traces import ROOT, TALLY, needs_tally

pytestmark = [needs_tally, pytest.mark.end_to_end]

LONG = "an_environment_in_a_folder_with_a_name_that_is_long_enough_to_move_whatever_it_lies_in_front_of"

# What lies on the stack, on the heap and in the loader's tables: an exception, a stream, containers, Python's dicts.
SUITE = """
schema = 1
[[benchmark]]
label = ["push_back"]
cpp = 'v.push_back(1);'
setup = { cpp = 'std::vector<int> v;' }
[[benchmark]]
label = ["throw"]
cpp = 'try { throw std::runtime_error(s); } catch (const std::exception& e) { n += e.what()[0]; }'
setup = { cpp = 'std::string s(40, 97); long n = 0;' }
[[benchmark]]
label = ["stream"]
cpp = 'std::ostringstream o; o << 1.5 << s; n += o.str().size();'
setup = { cpp = 'std::string s(40, 97); long n = 0;' }
[[benchmark]]
label = ["dict"]
py = 'y = sorted(x); d = {str(i): i for i in x}'
setup = { py = 'x = list(range(100))' }
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make wheel` makes it, of the build that is tested."""
    folder = tmp_path_factory.mktemp("wheel")
    maker = ROOT / "tools" / "wheel" / "make_wheel.sh"
    command = [str(maker), str(TALLY.resolve().parent), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    assert done.stdout.strip() == str(made)
    return made


def without_tally() -> dict[str, str]:
    """The environment of someone who has only the wheel: no tally is on PATH."""
    kept = {
        name: value for name, value in os.environ.items() if name not in ("TALLY", "PYTHONPATH")
    }
    folders = kept.get("PATH", os.defpath).split(":")
    return {**kept, "PATH": ":".join(f for f in folders if not os.access(f"{f}/tally", os.X_OK))}


def run(
    command: Sequence[str | Path], folder: Path, environment: dict[str, str] | None = None
) -> str:
    """What a command prints that is started in `folder`, where no checkout is in the way of what is installed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=without_tally() if environment is None else environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"
    return done.stdout.strip()


def environment_of(python: str, folder: Path, wheel: Path) -> Path:
    """A fresh one, which gets nothing but the wheel."""
    run([python, "-m", "venv", folder], wheel.parent)
    install: list[str | Path] = [
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--disable-pip-version-check",
        wheel,
    ]
    run([folder / "bin" / "pip", *install], wheel.parent)
    return folder


@pytest.fixture(scope="module")
def short(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment_of(sys.executable, tmp_path_factory.mktemp("e") / "e", wheel)


@pytest.fixture(scope="module")
def long(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment_of(sys.executable, tmp_path_factory.mktemp(LONG) / LONG, wheel)


def counts(command: Sequence[str | Path], folder: Path) -> dict[str, Any]:
    """Of the suite, measured with a cache of its own and the same Python whoever asks."""
    folder.mkdir()
    (folder / "suite.toml").write_text(SUITE)
    arguments = [
        "run",
        "suite.toml",
        "--counts-only",
        "--python",
        "/usr/bin/python3",
        "--json",
        "record.json",
    ]
    run(
        [*command, *arguments], folder, {**without_tally(), "XDG_CACHE_HOME": str(folder / "cache")}
    )
    cases = json.loads((folder / "record.json").read_text())["cases"]
    return {
        case["id"]: (case["counts"]["per_iteration"], case["counts"]["replicates"])
        for case in cases
    }


def test_tag_is_what_auditwheel_finds(wheel: Path, tmp_path: Path) -> None:
    name, _version, *tags = wheel.stem.split("-")
    assert (name, tags[:2]) == ("tallymark", ["py3", "none"])
    said = " ".join(run([sys.executable, "-m", "auditwheel", "show", wheel], tmp_path).split())
    assert f'is consistent with the following platform tag: "{tags[2]}"' in said, said


def test_holds_the_build_without_its_symbols(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path)
        names = packed.namelist()
    build, inside = TALLY.resolve().parent, tmp_path / "tallymark" / "_tally"

    def as_packed(built: Path) -> Path:
        kept = built.name.startswith(("tally-counter-", "vgpreload"))
        if kept or not os.access(built, os.X_OK) or built.read_bytes()[:4] != b"\x7fELF":
            return built
        stripped = tmp_path / "stripped"
        shutil.copy(built, stripped)
        how = "--strip-debug" if built.name.startswith("_tally_functions") else "--strip-unneeded"
        subprocess.run(["strip", how, stripped], check=True)
        return stripped

    assert filecmp.cmp(as_packed(build / "tally"), inside / "bin" / "tally", shallow=False)
    assert wheel.stat().st_size < 8_000_000
    parts = [
        path.relative_to(build) for path in build.glob("libexec/tallymark/**/*") if path.is_file()
    ]
    assert len(parts) >= 9
    for part in parts:
        assert filecmp.cmp(as_packed(build / part), inside / part, shallow=False), part
    assert "tallymark/py.typed" in names
    sources = (
        path.relative_to(ROOT / "python") for path in (ROOT / "python" / "tallymark").rglob("*.py")
    )
    assert {str(path) for path in sources} <= set(names)
    assert not [name for name in names if "tests/" in name or "__pycache__" in name]


def test_is_a_command_and_a_module(short: Path, long: Path, tmp_path: Path) -> None:
    version = run([TALLY, "--version"], tmp_path)
    assert run([short / "bin" / "tally", "--version"], tmp_path) == version
    assert run([long / "bin" / "tally", "--version"], tmp_path) == version
    assert run([short / "bin" / "python", "-m", "tallymark", "--version"], tmp_path) == version


def test_installs_on_every_python_that_is_here(wheel: Path, tmp_path: Path) -> None:
    program = "import tallymark, tallymark.functorch, tallymark._client.server as s; print(s.find_tally())"
    pythons = {
        "/usr/bin/python3",
        shutil.which("python3") or sys.executable,
        *os.environ.get("TALLY_PYTHONS", "").split(),
    }
    for number, python in enumerate(sorted(pythons)):
        made = environment_of(python, tmp_path / str(number), wheel)
        found = run([made / "bin" / "python", "-c", program], tmp_path)
        assert Path(found).is_relative_to(made.resolve()), python


def test_counts_are_the_builds(short: Path, long: Path, tmp_path: Path) -> None:
    built = counts([TALLY], tmp_path / "built")
    assert len(built) == 4
    assert counts([short / "bin" / "tally"], tmp_path / "short") == built
    assert counts([long / "bin" / "tally"], tmp_path / LONG) == built


def test_a_checkout_says_what_is_missing(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "python" / "tallymark", tmp_path / "tallymark")
    command = [sys.executable, "-m", "tallymark", "--version"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=without_tally(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "no program in it" in done.stderr
    assert "make wheel" in done.stderr
    assert run(command, tmp_path, {"TALLY": str(TALLY)}).startswith("tally ")


PROGRAM = """
#include <benchmark/benchmark.h>
#include <string>
static void append(benchmark::State& state) {
  for (auto _ : state) {
    std::string text(40, 'a');
    benchmark::DoNotOptimize(text += "b");
  }
}
BENCHMARK(append);
BENCHMARK_MAIN();
"""
CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(appending LANGUAGES CXX)
find_package(benchmark REQUIRED)
add_executable(appending appending.cc)
target_link_libraries(appending benchmark::benchmark)
"""


def program_counts(tally: str | Path, program: Path, folder: Path) -> Any:
    """Of its one case."""
    record = folder / f"{program.name}.json"
    run([tally, "run", "--program", program, "--counts-only", "--json", record], folder)
    (case,) = json.loads(record.read_text())["cases"]
    return case["counts"]["per_iteration"], case["counts"]["replicates"]


def test_serves_compilers(short: Path, tmp_path: Path) -> None:
    def config(option: str) -> str:
        return run([short / "bin" / "tallymark-config", option], tmp_path)

    source = tmp_path / "appending.cc"
    source.write_text(PROGRAM)
    prefix = tmp_path / "prefix"
    run(["cmake", "--install", TALLY.resolve().parent, "--prefix", prefix], tmp_path)
    pc = {**os.environ, "PKG_CONFIG_PATH": config("--pkgconfigdir")}
    assert run(["pkg-config", "--cflags", "tallymark-bench"], tmp_path, pc).endswith("/include")
    assert config("--cflags") == f"-I{config('--prefix')}/include"

    def built(name: str, prefix: str | Path) -> Path:
        include, libraries = f"{prefix}/include", f"{prefix}/lib"
        flags = ["-O2", "-pthread", "-Wl,-z,now", f"-I{include}/tallymark/google", f"-I{include}"]
        program = tmp_path / name
        linked: list[str | Path] = [f"-L{libraries}", "-ltallymark_benchmark", "-o", program]
        run(["c++", source, *flags, *linked], tmp_path)
        return program

    of_wheel, of_build = built("of_wheel", config("--prefix")), built("of_build", prefix)
    counted = program_counts(short / "bin" / "tally", of_wheel, tmp_path)
    assert counted == program_counts(TALLY, of_build, tmp_path)


def test_takes_the_place_of_google_benchmark(short: Path, tmp_path: Path) -> None:
    cache = {**without_tally(), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    config = [str(short / "bin" / "tallymark-config"), "--drop-in"]
    started = [subprocess.Popen(config, env=cache, stdout=subprocess.PIPE) for _ in range(4)]
    (folder,) = {one.communicate()[0].decode().strip() for one in started}
    assert len(list((tmp_path / "cache" / "tallymark" / "drop-in").iterdir())) == 1
    (tmp_path / "appending.cc").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    package = f"-Dbenchmark_DIR={folder}/lib/cmake/benchmark"
    said = run(["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", package], tmp_path)
    assert "benchmark: Tallymark's" in said
    run(["cmake", "--build", "build"], tmp_path)
    assert program_counts(short / "bin" / "tally", tmp_path / "build" / "appending", tmp_path)


def test_config_says_what_is_missing(short: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [short / "bin" / "tallymark-config", "--prefix"],
        env={**without_tally(), "TALLY": str(TALLY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "has no libraries and headers for C++" in done.stderr
