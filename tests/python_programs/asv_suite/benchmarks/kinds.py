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


def mem_list():
    return [0]


class MemCamelCase:
    def PeakMemList(self):
        return [0]


class Peak:
    params = (1, 2)

    def peakmem_list(self, number):
        return [0] * number


def track_value():
    return 42


track_value.unit = "answers"


class TrackCamelCase:
    def TrackNothing(self):
        return None

    def track_fails(self):
        raise ValueError("no value")
