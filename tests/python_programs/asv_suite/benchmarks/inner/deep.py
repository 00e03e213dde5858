# Its benchmarks are this module's too.
from ..names import First  # noqa: F401


def time_deep():
    sum(range(100))
