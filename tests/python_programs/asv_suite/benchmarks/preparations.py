"""setup and teardown: of the module, the class and the function, in asv's order, and how often."""

import os
import random
import time

done = []


def setup():
    done[:] = ["module"]


def teardown():
    if done != ["torn down"]:
        raise RuntimeError(f"the class's teardown comes first: {done}")


class Order:
    def setUp(self):
        done.append("class")

    def time_order(self):
        if done != ["module", "class", "function"]:
            raise RuntimeError(f"another order: {done}")

    def teardown(self):
        done[:] = ["torn down"]

    time_order.setup = lambda: done.append("function")


class Once:
    """Each execution needs a setup of its own, and each setup a teardown of its own."""

    number = 1
    repeat = (1, 10, 20.0)
    rounds = 1
    warmup_time = 0
    min_run_count = 1
    timeout = 10

    def setup(self):
        os.mkdir("made by the setup")
        self.values = list(range(1000))

    def time_once(self):
        if len(self.values) != 1000 or not os.path.isdir("made by the setup"):
            raise RuntimeError("a setup has made it for another execution")
        while self.values:
            self.values.pop()

    def teardown(self):
        os.rmdir("made by the setup")
        done[:] = ["torn down"]


class OnceByItsSetup(Once):
    number = 0

    def setup(self):
        super().setup()
        self.number = 1


class Often:
    """Each execution has a setup of its own, whatever the number."""

    number = 5

    def setup(self):
        self.executions = 0

    def time_often(self):
        self.executions += 1

    def teardown(self):
        done[:] = ["torn down"]
        if self.executions > 1:
            raise RuntimeError(f"{self.executions} executions of one setup")


class Slow:
    """A setup that takes long, for an execution that does not."""

    def setup(self):
        time.sleep(0.05)
        self.numbers = list(range(100, 0, -1))

    def time_sort(self):
        self.numbers.sort()

    def teardown(self):
        done[:] = ["torn down"]


class Seeded:
    def time_seeded(self):
        sum(range(random.randrange(10**6)))

    def setup(self):
        if random.random() != 0.8444218515250481 and not hasattr(self, "is_seeded"):
            raise RuntimeError("the generator is not as it is after random.seed(0)")
        self.is_seeded = True

    def teardown(self):
        done[:] = ["torn down"]
