"""One benchmark by each method of Runner."""

import asyncio
import os
import sys

import pyperf

if __name__ == "__main__":
    assert sys.modules["__main__"].__file__ == __file__
    runner = pyperf.Runner()
    runner.metadata["description"] = "of ours"
    runner.argparser.add_argument("--size", type=int, default=100)
    args = runner.parse_args()

    def timed(loops, size):
        start = pyperf.perf_counter()
        for _ in range(loops):
            sorted(range(size))
        return pyperf.perf_counter() - start

    async def awaited(size):
        await asyncio.sleep(0)
        return sorted(range(size))

    offset = 1
    result = runner.bench_func("func", sum, range(args.size), offset)
    assert result is None
    runner.bench_func("inner", lambda: offset, inner_loops=20)
    offset = None  # after it
    runner.bench_async_func("async", awaited, args.size)
    runner.bench_time_func("time", timed, args.size)
    runner.timeit(
        "timeit",
        stmt=["total += step", "seen.append(total)"],
        setup=["total = 0", "seen = []", "step = STEP"],
        teardown="assert len(seen) == total // 2",
        globals={"STEP": 2},
    )
    runner.timeit("[n for n in range(9)]", duplicate=10)
    os.environ["OF_A_COMMAND"] = "5"
    text = "import os; assert os.environ['OF_A_COMMAND'] == '5'"
    runner.bench_command("command", [sys.executable, "-c", text])
    runner.bench_command("fails", [sys.executable, "-c", "raise SystemExit(3)"])
