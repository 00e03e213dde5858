"""Functions of two profiles beside each other."""

from __future__ import annotations

from tallymark._functions import Function, Moved, moved, without_digests

ONE = "8697960a34cf785d6dc0eea442c0fa7a"
OTHER = "00112233445566778899aabbccddeeff"


def functions(digest: str, *, own: float) -> tuple[Function, ...]:
    """Of a C++ statement that is compiled as `digest`."""
    return (
        Function(f"void tally_{digest}::run(tally_regions*)", f"{digest}.so", own, None),
        Function("std::map<int, int>::operator[](int&&)", f"{digest}.so", 50.5, None),
        Function("malloc", "libc.so.6", 20.0, None),
    )


def test_functions_of_two_cpp_statements_are_the_same_where_only_their_digests_differ() -> None:
    assert moved(functions(ONE, own=4), functions(OTHER, own=4)) == ()
    (change,) = moved(functions(ONE, own=4), functions(OTHER, own=6))
    assert change == Moved("void statement::run(tally_regions*)", "statement.so", 4, 6)


def test_only_a_digest_is_one() -> None:
    kept = (
        f"tally_{ONE[1:]}",
        f"tally_{ONE}0",
        f"f{ONE}.so",
        f"memcpy_{ONE}",
        ONE,
        "libc.so.6",
    )
    assert [without_digests(name) for name in kept] == list(kept)
    assert without_digests(f"/cache/{ONE}.so") == "/cache/statement.so"
