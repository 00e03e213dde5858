"""A suite of each thing that asv's documentation describes."""

import os

if os.environ.get("ASV") != "true" or os.environ["ASV_PROJECT"] != 'a "project" // of ours':
    raise RuntimeError("asv says that it is there")


def time_of_the_package():
    sum(range(100))
