"""What asv_runner's decorators set, without them."""


class SkipNotImplemented(NotImplementedError):
    """As asv_runner's, of which only the name is known."""


def time_imported():
    sum(range(100))


class Marked:
    def __init__(self):
        raise RuntimeError("asv does not instantiate it")

    def time_marked(self):
        pass

    time_marked.skip_benchmark = True


def time_some_sets(number, word):
    if (number, word) == (1, "a"):
        raise RuntimeError("it is to be skipped")


time_some_sets.params = ([1, 2], ["a", "b"])
time_some_sets.param_names = ["number", "word"]
time_some_sets.skip_params = [(1, "a"), (2, "b")]


def time_skips_itself():
    raise SkipNotImplemented("not on this day")


def time_not_implemented():
    raise NotImplementedError("only a setup may say so")


class SomeSets:
    params = (0, 1)

    def setup(self, number):
        if number:
            raise NotImplementedError("not of 1")

    def time_it(self, number):
        pass


def time_fails():
    raise ValueError("it went wrong")


def setup_that_fails():
    raise ValueError("no setup")


def time_fails_before():
    pass


time_fails_before.setup = setup_that_fails


def teardown_that_fails():
    raise ValueError("no teardown")


def time_fails_after():
    pass


time_fails_after.teardown = teardown_that_fails
