"""Runs the tests of a script beside this one."""

import sys


def run(names):
    """Each function whose name begins with test_, in order. The first that fails ends the script."""
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
        except AssertionError as error:
            print(f"{name}: {error or 'does not hold'}", file=sys.stderr)
            raise
    print("ok")
