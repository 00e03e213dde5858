"""Generator functions, each of which a call only makes, and does nothing."""

import sys

import tallymark


def plain():
    yield sum(range(10000))


def looping(state):
    for _ in state:
        yield sum(range(1000))


async def asynchronous():
    yield sum(range(10000))


tallymark.bench(globals()[sys.argv[1]])
