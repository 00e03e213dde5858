"""What `tally trace record` needs of a torch with a GPU, for tests on machines without one: each call that matters is
written to $FAKE_TORCH_LOG, a line each, and the trace that is exported is the file $FAKE_TORCH_TRACE."""

import contextlib
import os

__version__ = "9.9+fake"


def log(line):
    with open(os.environ["FAKE_TORCH_LOG"], "a", encoding="utf-8") as file:
        file.write(line + "\n")


def manual_seed(number):
    log(f"seed {number}")


def set_num_threads(number):
    global threads
    threads = number


def get_num_threads():
    return threads


@contextlib.contextmanager
def no_grad():
    """Like many a context, good for one use."""
    log("enter")
    yield
    log("leave")


class cuda:
    is_available = staticmethod(lambda: True)
    get_device_name = staticmethod(lambda: "Fake GPU")
    synchronize = staticmethod(lambda: log("wait"))


class default_generator:
    manual_seed = staticmethod(lambda number: None)


class autograd:
    class Variable:
        class _execution_engine:
            is_checkpoint_valid = staticmethod(lambda: True)


threads = 7
