"""A drop-in for torch.utils.benchmark.

>>> import tallymark.benchmark as benchmark
>>> benchmark.Timer("sorted(x)", setup="x = list(range(100))").timeit(1000).number_per_run
1000

Names, arguments, texts and numbers are PyTorch's; instructions are counted by tally's engine, exactly and in a
fraction of the time. See docs/guides/torch_benchmark.md. `install()` gives it to code that imports
torch.utils.benchmark itself. PyTorch is imported where it is the subject, and nowhere else.
"""

from ._install import install
from .utils.common import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from .utils.compare import Colorize, Compare
from .utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from .utils.sparse_fuzzer import FuzzedSparseTensor
from .utils.timer import Language, Timer, timer
from .utils.valgrind_wrapper.timer_interface import (
    CallgrindStats,
    CopyIfCallgrind,
    FunctionCount,
    FunctionCounts,
)

__all__ = [
    "CallgrindStats",
    "Colorize",
    "Compare",
    "CopyIfCallgrind",
    "FunctionCount",
    "FunctionCounts",
    "FuzzedParameter",
    "FuzzedSparseTensor",
    "FuzzedTensor",
    "Fuzzer",
    "Language",
    "Measurement",
    "ParameterAlias",
    "TaskSpec",
    "Timer",
    "install",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]
