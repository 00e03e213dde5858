"""Parameters and their names in a case."""


class Opaque:
    def __repr__(self):
        return "of\n two\tlines\x1b "


def time_one(number):
    sum(range(number))


time_one.params = [10, 10_000]


class Several:
    params = ([1, 1.0], ["x", 'it\'s "y"', " "], (None,))
    param_names = ("number",)

    def time_it(self, number, text, nothing):
        if not isinstance(text, str) or nothing is not None:
            raise ValueError("other parameters")


def time_alike(function):
    function()


time_alike.params = [lambda: sum(range(10)), lambda: sum(range(10_000)), sum, object(), Opaque()]
time_alike.setup = lambda function: None if callable(function) else skip()
time_alike.number = 2


def skip():
    raise NotImplementedError


def time_none():
    raise RuntimeError("it has no set of parameters")


time_none.params = [[]]
