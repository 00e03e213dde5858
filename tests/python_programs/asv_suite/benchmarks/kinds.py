"""All but time_*."""


def timeraw_import():
    return """
    import this_is_imported_once_only
    """


def setup_module():
    import sys

    sys.modules["this_is_imported_once_only"] = sys


timeraw_import.setup = setup_module


def timeraw_with_setup(size):
    text = """
    text = '''
    of two lines'''
    sum(values) + len(text) + int(os.environ["OF_TIMERAW"])
    first.append(0)
    if len(first) > 1:
        raise RuntimeError("it has been executed before")
    """
    return text, f"import os\nfirst, values = [], range({size})"


timeraw_with_setup.params = [100, 10_000]
timeraw_with_setup.env = {"OF_TIMERAW": 1}


def timeraw_fails():
    return "raise ValueError('in the code')"


def timeraw_no_code():
    return "what is this?"


def mem_list(size):
    return [0] * size


mem_list.params = [0, 100]


class MemCamelCase:
    def PeakMemList(self):
        return [0]


class Peak:
    params = (1, 64)

    def setup(self, mib):
        self.mib = mib

    def peakmem_mib(self, mib):
        return bytearray(mib << 20)

    def peakmem_setup(self, mib):
        return None

    def setup_peak(mib):
        bytearray(mib << 20)

    peakmem_setup.setup = setup_peak


def track_value():
    return 42


track_value.unit = "answers"


def track_nan():
    return float("nan")


def track_no_number():
    return "two"


class SkipNotImplemented(NotImplementedError):
    pass


def track_not_today():
    raise SkipNotImplemented("not on this day")


class Track:
    params = ([2, 3], ["x", "y"])
    param_names = ("number", "threads")

    def setup(self, number, unit):
        self.number = number
        self.unit = unit

    def track_product(self, number, unit):
        return self.number


class TrackCamelCase:
    def TrackNothing(self):
        return None

    def track_fails(self):
        raise ValueError("no value")
