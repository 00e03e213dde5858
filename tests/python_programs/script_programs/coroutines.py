"""Coroutine functions, with a state and without one."""

import asyncio

import tallymark


async def steps(number):
    for _ in range(number):
        await asyncio.sleep(0)


@tallymark.bench(params={"n": [10, 1000]})
async def whole(n):
    await steps(n)


@tallymark.bench(params={"n": [10, 1000]})
async def body(state):
    await steps(3)
    for _ in state:
        await steps(state.n)
    assert asyncio.get_running_loop().is_running()


@tallymark.bench
async def each(state):
    for data in state.each(lambda: [3, 2, 1]):
        await steps(len(data))
        data.sort()


@tallymark.bench
async def empty(state):
    for _ in state:
        pass


class Called:
    async def __call__(self):
        await steps(1000)


tallymark.bench(label="called")(Called())
