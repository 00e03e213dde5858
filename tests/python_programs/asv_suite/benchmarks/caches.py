"""setup_cache: of a class, of one that inherits it, of a function, and of one that fails."""

import os
import stat


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


class Left:
    """All that a folder can have."""

    def setup_cache(self):
        with open("data", "w") as file:
            file.write("x" * 1000)
        os.chmod("data", 0o640)
        os.link("data", "same")
        os.symlink("data", "link")
        os.symlink("missing", "dangling")
        os.mkfifo("pipe")
        os.mkdir("empty", 0o750)
        with open("tool", "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod("tool", 0o755)
        os.utime("data", ns=(10**18, 10**18 + 7))
        return os.path.abspath("data")

    def setup(self, path):
        assert sorted(os.listdir()) == [
            "dangling",
            "data",
            "empty",
            "link",
            "pipe",
            "same",
            "tool",
        ]
        about = os.stat("data")
        assert (stat.S_IMODE(about.st_mode), about.st_mtime_ns) == (0o640, 10**18 + 7)
        assert os.path.samefile("data", "same") and os.readlink("link") == "data"
        assert os.readlink("dangling") == "missing" and stat.S_ISFIFO(os.stat("pipe").st_mode)
        assert os.access("tool", os.X_OK) and stat.S_IMODE(os.stat("empty").st_mode) == 0o750
        assert not os.path.samefile("data", path)

    def time_by_its_path(self, path):
        with open(path) as file:
            assert len(file.read()) == 1000

    def time_by_its_name(self, path):
        with open("data") as file:
            assert len(file.read()) == 1000

    def time_write(self, path):
        with open("empty/file", "w") as file:
            file.write("x")


class Writes:
    def setup_cache(self):
        return os.getcwd()

    def time_it(self, folder):
        with open(os.path.join(folder, "file"), "w") as file:
            file.write("x")


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
