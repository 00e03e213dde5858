import pytest


def pytest_benchmark_update_json(config, benchmarks, output_json):
    """Declared by pytest-benchmark: a project may have it."""


@pytest.fixture(scope="class")
def shared():
    return {"made": 1}


@pytest.fixture(scope="module")
def size():
    return 100
