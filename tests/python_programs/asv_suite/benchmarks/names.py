"""What is a benchmark, and what it is called."""

from abc import ABC, abstractmethod

# One of this module's too.
from .marks import time_imported  # noqa: F401


def time_function():
    sum(range(100))


time_alias = time_function  # the same benchmark


def TimeCamelCase():
    sum(range(100))


def Timeout():
    raise RuntimeError("no benchmark")


def _time_private():
    raise RuntimeError("no benchmark")


def time_renamed():
    sum(range(100))


time_renamed.benchmark_name = "A group.time_of_another_name"
time_renamed.pretty_name = "shown by asv"
time_renamed.version = "1"


def time_no_more():
    raise RuntimeError("no benchmark")


time_no_more.benchmark_name = "names.no_more"


class _Base:
    def time_inherited(self):
        sum(range(self.size))


class First(_Base):
    size = 100

    def TimeMethod(self):
        sum(range(self.size))

    @classmethod
    def time_of_the_class(cls):
        sum(range(cls.size))

    @staticmethod
    def time_static():
        sum(range(100))

    def helper(self):
        raise RuntimeError("no benchmark")


class Second(_Base):
    def __init__(self):
        self.size = 10_000


class Abstract(ABC):
    @abstractmethod
    def time_abstract(self):
        raise RuntimeError("no benchmark")


def named_alike(number):
    class Alike:
        def time_it(self):
            sum(range(number))

    return Alike


Small, Large = named_alike(10), named_alike(10_000)


class Impossible:
    def __init__(self):
        raise OSError("no such thing")

    def time_it(self):
        pass
