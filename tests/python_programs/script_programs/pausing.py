"""What lies between pause and resume is not measured."""

import tallymark


@tallymark.bench(params={"paused": [0, 100_000]})
def pauses(state):
    for _ in state:
        with state.pause():
            list(range(state.paused))
        sorted(range(100))
