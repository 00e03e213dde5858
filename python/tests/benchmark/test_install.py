"""install() and `python -m tallymark.benchmark`, each in a process of its own: with a small package in PyTorch's place,
which has its modules and imports, and with PyTorch itself.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tallymark.benchmark import Compare, Measurement

PYTHON_FOLDER = Path(__file__).parents[2]

# As PyTorch's refer to each other: by `import *`, by names, and by the module.
MODULES = {
    "torch/__init__.py": "",
    "torch/utils/__init__.py": "",
    "torch/utils/benchmark/__init__.py": """\
from torch.utils.benchmark.utils.common import *
from torch.utils.benchmark.utils.timer import *
""",
    "torch/utils/benchmark/utils/__init__.py": "",
    "torch/utils/benchmark/utils/common.py": """\
__all__ = ["Measurement"]
class Measurement:
    pass
def _kind():
    return Measurement
""",
    "torch/utils/benchmark/utils/timer.py": """\
from torch.utils.benchmark.utils import common
__all__ = ["Language", "Timer"]
class Language:
    PYTHON = object()
class Timer:
    def __init__(self):
        self.language = Language.PYTHON
    def timeit(self):
        assert self.language is Language.PYTHON
        return common.Measurement()
class CPPTimer:
    pass
""",
    "torch/utils/benchmark/utils/cpp_jit.py": """\
from torch.utils.benchmark import Timer
from torch.utils.benchmark.utils.common import Measurement, _kind
""",
    "torch/utils/benchmark/utils/template.cpp": "// theirs",
}

ONE_OF_EACH = """
import torch.utils.benchmark
from torch.utils import benchmark
from torch.utils.benchmark.utils import common, cpp_jit, timer
from torch.utils.benchmark.utils.timer import Language
import tallymark.benchmark as ours
assert torch.utils.benchmark is benchmark
assert benchmark.Timer is benchmark.utils.timer.Timer is timer.Timer is cpp_jit.Timer is ours.Timer
assert benchmark.Language is timer.Language is Language is ours.Language
assert benchmark.Measurement is common.Measurement is cpp_jit.Measurement is ours.Measurement
assert timer.common is common
assert "tallymark" not in timer.CPPTimer.__module__ + benchmark.__name__
assert common._kind() is cpp_jit._kind() is ours.Measurement  # what theirs say of it means ours
assert not hasattr(benchmark, "install") and not hasattr(benchmark, "Compare")
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("theirs")
    for name, text in MODULES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def python(
    *arguments: str, path: Path | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """With `path` before all other folders of modules."""
    folders = [str(path)] * (path is not None) + [str(PYTHON_FOLDER)]
    folders += filter(None, [os.environ.get("PYTHONPATH")])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
    )


def printed(code: str, path: Path | None = None) -> str:
    done = python("-c", code, path=path)
    assert done.returncode == 0, done.stderr
    return done.stdout


INSTALL = "from tallymark.benchmark import install; install()"


@pytest.mark.parametrize("before", ["", "import torch", "import torch.utils.benchmark as old"])
@pytest.mark.parametrize(
    "first",
    [
        "import torch.utils.benchmark as b",
        "from torch.utils import benchmark as b",
        "from torch.utils.benchmark.utils.common import Measurement",
        "import torch.utils.benchmark.utils.cpp_jit",
    ],
)
def test_there_is_one_class_of_each_name(theirs: Path, before: str, first: str) -> None:
    printed("\n".join([before, INSTALL, first, ONE_OF_EACH]), theirs)


def test_nothing_is_imported_before_somebody_asks(theirs: Path) -> None:
    code = f"""
import sys, torch
{INSTALL}
print([name for name in sys.modules if name.startswith("torch.")])
"""
    assert printed(code, theirs) == "[]\n"


def test_twice_is_once(theirs: Path) -> None:
    code = f"""
import sys
{INSTALL}
finders = list(sys.meta_path)
import torch.utils.benchmark as b
install()
assert sys.meta_path == finders and sys.modules["torch.utils.benchmark"] is b
{ONE_OF_EACH}"""
    printed(code, theirs)


def test_modules_that_somebody_holds_answer_as_the_new_ones(theirs: Path) -> None:
    code = f"""
import torch.utils.benchmark as held
from torch.utils.benchmark.utils import cpp_jit as deep
{INSTALL}
import tallymark.benchmark as ours, torch.utils.benchmark as new
assert held.Timer is held.utils.timer.Timer is deep.Timer is ours.Timer
assert vars(held) is vars(new) and dir(held) == dir(new) and repr(held) == repr(new)
held.added = 1
assert new.added == 1
del held.added
assert not hasattr(new, "added")
{ONE_OF_EACH}"""
    printed(code, theirs)


def test_objects_that_exist_continue_among_themselves(theirs: Path) -> None:
    code = f"""
from torch.utils.benchmark import Measurement, Timer
timer = Timer()
{INSTALL}
import tallymark.benchmark as ours
assert type(timer.timeit()) is Measurement is not ours.Measurement
assert type(Timer().timeit()) is Measurement
"""
    printed(code, theirs)


def test_what_stood_in_pytorchs_place_is_left_as_it_is(theirs: Path) -> None:
    code = f"""
import sys, torch.utils, tallymark.benchmark
sys.modules["torch.utils.benchmark"] = torch.utils.benchmark = tallymark.benchmark
{INSTALL}
assert type(tallymark.benchmark) is type(sys)
{ONE_OF_EACH}"""
    printed(code, theirs)


def test_a_failure_changes_nothing(theirs: Path) -> None:
    code = """
import sys, torch.utils
import torch.utils.benchmark as b
from torch.utils.benchmark.utils import cpp_jit
from tallymark.benchmark import install
finders, modules = list(sys.meta_path), dict(sys.modules)
sys.modules["torch.utils.benchmark.gone"] = type(sys)("torch.utils.benchmark.gone")
try:
    install()
except ModuleNotFoundError as error:
    print(error.name)
assert sys.meta_path == finders and modules.items() <= sys.modules.items()
assert torch.utils.benchmark is b and type(b) is type(sys)
assert "tallymark" not in b.Timer.__module__
"""
    assert printed(code, theirs) == "torch.utils.benchmark.gone\n"


def test_their_files_and_sources_are_found(theirs: Path) -> None:
    code = f"""
import inspect, pkgutil
{INSTALL}
from torch.utils.benchmark.utils import common
print(pkgutil.get_data("torch.utils.benchmark.utils", "template.cpp").decode())
assert "def _kind" in inspect.getsource(common) and common.__loader__.get_source(common.__name__)
"""
    assert printed(code, theirs) == "// theirs\n"


def test_without_pytorch_its_import_fails_as_ever() -> None:
    code = f"""
{INSTALL}
try:
    from torch.utils.benchmark import Timer
except ModuleNotFoundError as error:
    print(error)
from tallymark.benchmark import Timer
print(Timer("1 + 1").timeit(2).number_per_run)
"""
    done = python("-S", "-c", code)  # without the folders in which it may be installed
    assert done.stdout == "No module named 'torch'\n2\n", done.stderr


PROGRAM = """\
import sys
from torch.utils import benchmark
print(__name__, sys.argv, sys.path[0], benchmark.Timer.__module__.partition(".")[0])
sys.exit(int(sys.argv[1]))
"""


def test_a_script_is_run_with_its_arguments_and_its_folder(theirs: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "program.py").write_text(PROGRAM)
    script = os.path.join("folder", "program.py")
    done = python("-m", "tallymark.benchmark", script, "3", "-m", path=theirs, cwd=tmp_path)
    expected = f"__main__ {[script, '3', '-m']} {tmp_path / 'folder'} tallymark\n"
    assert (done.stdout, done.returncode) == (expected, 3), done.stderr


def test_a_module_is_run_as_python_runs_it(theirs: Path, tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text(PROGRAM)
    done = python("-m", "tallymark.benchmark", "-m", "package", "4", path=theirs, cwd=tmp_path)
    path = str(tmp_path / "package" / "__main__.py")
    assert done.stdout == f"__main__ {[path, '4']} {tmp_path} tallymark\n", done.stderr
    assert done.returncode == 4


def test_code_is_run_as_python_runs_it(theirs: Path) -> None:
    done = python("-m", "tallymark.benchmark", "-c", PROGRAM, "5", path=theirs)
    assert done.stdout == "__main__ ['-c', '5']  tallymark\n", done.stderr
    assert done.returncode == 5


@pytest.mark.parametrize("arguments", [(), ("-m",), ("-c",), ("--unknown", "script.py")])
def test_without_a_program_it_says_how_it_is_used(arguments: tuple[str, ...]) -> None:
    done = python("-m", "tallymark.benchmark", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: python -m tallymark.benchmark SCRIPT")
    assert python("-m", "tallymark.benchmark", "--help").stdout == done.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("nothing.py",), "there is no file nothing.py"),
        (("-m", "nothing.at.all"), "there is no module nothing.at.all to run"),
        (("-m", "xml"), "there is no module xml to run"),  # a package without __main__
    ],
)
def test_what_is_not_there_is_reported_in_one_line(
    arguments: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    done = python("-m", "tallymark.benchmark", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"tallymark.benchmark: {why}\n")


def test_a_program_that_lacks_a_module_fails_with_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("import nothing_here")
    (tmp_path / "package" / "__main__.py").write_text("")
    done = python("-m", "tallymark.benchmark", "-m", "package", cwd=tmp_path)
    assert done.returncode == 1
    assert "package/__init__.py" in done.stderr
    assert "No module named 'nothing_here'" in done.stderr


with_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="this interpreter has no PyTorch"
)

# What a version does not have, or cannot import here (tabulate, conda), is left out.
EVERY_MODULE = """
import importlib, pkgutil, tallymark.benchmark as ours
import torch.utils.benchmark as theirs
found = [theirs]
for one in pkgutil.walk_packages(theirs.__path__, theirs.__name__ + "."):
    try:
        found.append(importlib.import_module(one.name))
    except ImportError:
        continue
public = {}
for path in ("", *(f".utils.{name}" for name in (
    "common", "timer", "compare", "fuzzer", "sparse_fuzzer", "valgrind_wrapper.timer_interface"
)), *(f".op_fuzzers.{name}" for name in (
    "unary", "binary", "sparse_unary", "sparse_binary", "spectral"
))):
    module = importlib.import_module("tallymark.benchmark" + path)
    public.update((name, getattr(module, name)) for name in module.__all__)
for module in found:
    for name, value in vars(module).items():
        assert name not in public or name == "timer" or value is public[name], (module, name)
assert theirs.timer is theirs.utils.timer.timer is ours.timer
assert theirs.utils.cpp_jit.SOURCE_ROOT == theirs.utils.__path__[0]
print(len(found))
"""


@pytest.mark.end_to_end
@with_torch
@pytest.mark.parametrize("before", ["", "import torch", "import torch.utils.benchmark"])
def test_pytorchs_modules_all_have_our_classes(before: str) -> None:
    assert int(printed(f"{before}\n{INSTALL}\n{EVERY_MODULE}")) > 15


@pytest.mark.end_to_end
@with_torch
def test_pytorchs_pickles_are_read_as_ours_where_it_is_installed(tmp_path: Path) -> None:
    kept = tmp_path / "kept.pkl"
    stored = f"""
import pickle
from torch.utils.benchmark import Language, Timer
timer = Timer("1 + 1", description="old")
with open({str(kept)!r}, "wb") as file:
    pickle.dump((timer.timeit(3), Language.CPP), file)
"""
    printed(stored)
    code = f"""
import pickle
{INSTALL}
from torch.utils.benchmark import Compare, Language, Measurement, Timer
with open({str(kept)!r}, "rb") as file:
    one, language = pickle.load(file)
assert type(one) is Measurement and language is Language.CPP
with open({str(kept)!r}, "wb") as file:
    pickle.dump(one, file)
print(Compare([one, Timer("1 + 1", description="new").timeit(3)]))
"""
    assert re.search(r"\|\s+old\s+\|\s+new\s", printed(code))
    ours = pickle.loads(kept.read_bytes())  # in a process without it
    assert type(ours) is Measurement
    assert "old" in str(Compare([ours]))


@pytest.mark.end_to_end
@with_torch
@pytest.mark.skipif(
    not (os.environ.get("TALLY") or shutil.which("tally")) or not shutil.which("valgrind"),
    reason="tally or valgrind is not here",
)
def test_a_script_of_pytorchs_counts_with_the_engine(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""\
from torch.utils.benchmark import Timer
print(Timer("sorted(x)", setup="x = list(range(100))").collect_callgrind().counts())
""")
    through = python("-m", "tallymark.benchmark", str(script))
    assert through.returncode == 0, through.stderr
    script.write_text(script.read_text().replace("torch.utils", "tallymark"))
    assert through.stdout == python(str(script)).stdout
