"""Each way in which a test is not measured; the others continue."""

import os

import pytest
import work


def test_fails_before(benchmark):
    raise ValueError("before it is measured")


def test_fails_in(benchmark):
    benchmark(work.spin, "seven")


def test_fails_after(benchmark):
    assert benchmark(work.spin, 10) == 7


def test_skips(benchmark):
    pytest.skip("not on this machine")


def test_never_calls(benchmark):
    pass


def test_twice(benchmark):
    benchmark(work.spin, 1)
    benchmark(work.spin, 2)


def test_exits(benchmark):
    benchmark(os._exit, 7)


@pytest.fixture
def broken():
    raise OSError("no such server")


def test_fixture(broken, benchmark):
    benchmark(work.spin, 1)
