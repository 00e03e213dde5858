"""Fails after its first benchmark."""

import tallymark


@tallymark.bench
def fine():
    return abs(-1)


raise RuntimeError("half-way")
