"""What the tests of this folder benchmark."""


def spin(n):
    total = 0
    for i in range(n):
        total += i
    return total


async def wait_for_nothing(n):
    return spin(n)


class Counter:
    """Changes with each call, and cannot be pickled."""

    def __init__(self):
        self.calls = 0
        self.lock = __import__("threading").Lock()

    def step(self):
        self.calls += 1
        return self.calls
