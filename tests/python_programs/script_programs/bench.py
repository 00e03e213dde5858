"""Benchmarks with a state and without one."""

import tallymark


@tallymark.bench
def plain():
    return sorted(range(100))


@tallymark.bench(params={"n": [10, 1000], "kind": ["list", "tuple"]})
def arguments(n, kind):
    return {"list": list, "tuple": tuple}[kind](range(n))


@tallymark.bench(params={"n": [10, 1000]}, label="sorting/reversed", tags=("quick",))
def sort(state):
    data = list(range(state["n"], 0, -1))
    assert state.n == state["n"] == state.params["n"]
    for _ in state:
        sorted(data)
    state.counter("bytes", 8 * state.n)
    state.counter("items", state.n, per="second")


@tallymark.bench
def fresh(state):
    source = list(range(1000, 0, -1))
    for data in state.each(lambda: source[:]):
        data.sort()
    assert data[0] == 1


@tallymark.bench
def empty(state):
    for _ in state:
        pass


@tallymark.bench
def skipped(state):
    state.skip("no such file")


@tallymark.bench(label="plain")
def another():
    raise ValueError("no such number")


@tallymark.bench
def loopless(state):
    pass


@tallymark.bench
def twice(state):
    for _ in state:
        pass
    for _ in state:
        pass


@tallymark.bench
def left(state):
    for _ in state:
        break


if __name__ == "__main__":
    tallymark.main()
