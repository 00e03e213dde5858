"""setup_cache: of a class, of one that inherits it, of a function, and of one that fails."""

import os


class Value:
    def setup_cache(self):
        self.left = True
        with open("cached", "w") as file:
            file.write("text")
        return {"numbers": list(range(100)), "process": os.getpid()}

    def setup(self, cache):
        if hasattr(self, "left"):
            raise RuntimeError("setup_cache() ran with the object that is measured")
        if cache["process"] == os.getpid():
            raise RuntimeError("setup_cache() ran in the process that is measured")
        with open("cached") as file:
            if file.read() != "text":
                raise RuntimeError("another file")

    def time_first(self, cache):
        cache["numbers"].append(0)

    def time_second(self, cache):
        if cache["numbers"][100:]:
            raise RuntimeError("another benchmark has changed it")

    def track_process(self, cache):
        return cache["process"]


class Inherits(Value):
    def setup(self, cache, *numbers):
        super().setup(cache)

    def time_with_parameter(self, cache, number):
        sum(cache["numbers"][:number])

    time_with_parameter.params = (10,)


class Reads:
    """Its setup needs no argument, and what setup_cache() makes."""

    def setup_cache(self):
        with open("made", "w") as file:
            file.write("1 2 3")

    def setup(self):
        with open("made") as file:
            self.numbers = file.read().split()

    def time_it(self):
        sum(map(int, self.numbers))


class OneParameter:
    params = (1, 2)

    def setup_cache(self):
        return []

    def time_it(self, cache, number):
        cache.append(number)


def time_of_nothing():
    if os.listdir("."):
        raise RuntimeError("files of another benchmark's")


def only_files():
    os.makedirs("folder/below")
    with open("folder/below/file", "wb") as file:
        file.write(b"content")


time_of_nothing.setup_cache = lambda: None


def time_of_files():
    with open("folder/below/file", "rb") as file:
        if file.read() != b"content":
            raise RuntimeError("another content")


time_of_files.setup_cache = only_files


class Fails:
    def setup_cache(self):
        raise KeyError("no cache")

    def time_it(self, cache):
        pass


class Ends:
    def setup_cache(self):
        os._exit(3)

    def time_it(self, cache):
        pass


class NoPickle:
    def setup_cache(self):
        return lambda: None

    def time_it(self, cache):
        pass
