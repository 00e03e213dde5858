#!/usr/bin/python3
"""Which interval of a median to stop timing by: Student's against ranks (src/measurement/wall.h),
on simulated statements.

  bench/intervals/simulate.py        needs NumPy (python3-numpy)

One observation is one child's median. For each kind of statement and each rule: how often the
interval covers the true median when timing stops at 1 %, how many children that took, and how often
it covers for fixed numbers of children. 3,000 statements stopped, 1,500 fixed.
"""

from math import comb, sqrt

import numpy as np

# fmt: off
STUDENT = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
           2.160, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064]
# fmt: on
rng = np.random.default_rng(1)


def rank(n):
    k, below = 0, 0.5**n
    while below <= 0.025:
        k += 1
        below += comb(n, k) / 2**n
    return k


def student(x):
    reach = STUDENT[len(x) - 1] * np.std(x, ddof=1) / sqrt(len(x))
    return np.median(x) - reach, np.median(x) + reach


def ranks_from_nine(x):
    if len(x) < 9:
        return student(x)
    ordered, k = np.sort(x), rank(len(x))
    return ordered[k - 1], ordered[-k]


KINDS = {
    "0.4 % between children": lambda n: rng.normal(0, 0.004, n),
    "2 % between children": lambda n: rng.normal(0, 0.02, n),
    "0.4 %, 15 % of children 5 to 50 % slower": lambda n: (
        rng.normal(0, 0.004, n) + (rng.random(n) < 0.15) * rng.uniform(0.05, 0.5, n)
    ),
    "0.4 %, 30 % of children 2 to 50 % slower": lambda n: (
        rng.normal(0, 0.004, n) + (rng.random(n) < 0.3) * rng.uniform(0.02, 0.5, n)
    ),
    "0.4 %, two layouts 10 % apart": lambda n: (
        rng.normal(0, 0.004, n) + (rng.random(n) < 0.5) * 0.1
    ),
}


def stopped(rule, x):
    for n in range(5, len(x) + 1):
        low, high = rule(x[:n])
        if (high - low) / 2 <= 0.01:
            break
    return low, high, n


print(
    "| statement | rule | covers, stopped | children | covers, 5 / 9 / 12 / 25 children |\n|---|---|---|---|---|"
)
for kind, draw in KINDS.items():
    truth = float(np.median(draw(400_000)))
    for rule in (student, ranks_from_nine):
        runs = [stopped(rule, draw(25)) for _ in range(3000)]
        covered = np.mean([low <= truth <= high for low, high, _ in runs])
        fixed = []
        for n in (5, 9, 12, 25):
            intervals = [rule(draw(n)) for _ in range(1500)]
            fixed.append(f"{np.mean([low <= truth <= high for low, high in intervals]):.3f}")
        print(
            f"| {kind} | {rule.__name__} | {covered:.3f} | {np.mean([n for _, _, n in runs]):.1f} "
            f"| {' / '.join(fixed)} |",
            flush=True,
        )
