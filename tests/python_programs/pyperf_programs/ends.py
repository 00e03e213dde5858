"""Ends as it begins, where a module is missing."""

import sys

try:
    import no_such_module_of_anybody
except ImportError:
    sys.exit("ends.py needs no_such_module_of_anybody")
import pyperf

pyperf.Runner().bench_func("never", no_such_module_of_anybody.work)
