"""What lies between pause and resume is not measured."""

import tallymark

VALUES = list(range(100))


@tallymark.bench(params={"paused": [0, 100_000]})
def pauses(state):
    for _ in state:
        with state.pause():
            list(range(state.paused))
        sorted(VALUES)


@tallymark.bench(params={"paused": [0, 100_000]})
def resumes(state):
    for _ in state:
        sorted(VALUES)
        state.pause()
        list(range(state.paused))
        state.resume()


@tallymark.bench
def without(state):
    for _ in state:
        sorted(VALUES)


@tallymark.bench
def nothing(state):
    for _ in state:
        with state.pause():
            pass


@tallymark.bench
def often(state):
    for _ in state:
        for _ in range(30):
            with state.pause():
                pass
            state.pause()
            state.resume()


@tallymark.bench
def loops(state):
    for _ in state:
        for _ in range(30):
            pass


@tallymark.bench
def now_and_then(state):
    done = 0
    for _ in state:
        done = done + 1
        if done % 3 == 0:
            with state.pause():
                list(range(10_000))
        sorted(VALUES)


@tallymark.bench
def never(state):
    done = 0
    for _ in state:
        done = done + 1
        if done % 3 == 0:
            pass
        sorted(VALUES)


@tallymark.bench
def each(state):
    for values in state.each(lambda: list(VALUES)):
        with state.pause():
            values.reverse()
        sorted(values)


@tallymark.bench
def each_without(state):
    for values in state.each(lambda: list(reversed(VALUES))):
        sorted(values)


@tallymark.bench
def sleeps(state):
    import time

    for _ in state:
        with state.pause():
            time.sleep(0.001)
        sorted(VALUES)


@tallymark.bench
def fails(state):
    for _ in state:
        with state.pause():
            raise ValueError("in a pause")
