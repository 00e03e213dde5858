"""Function counts: arithmetic and text."""

from __future__ import annotations

import pickle
import re

import pytest
from tallymark.benchmark import CallgrindStats, FunctionCount, FunctionCounts, TaskSpec

ROWS = ((700, "a.c:f [lib.so]"), (20, "Objects/dictobject.c:lookdict_unicode"), (3, "???:free"))


def counts(*rows: tuple[int, str], inclusive: bool = False) -> FunctionCounts:
    return FunctionCounts(tuple(FunctionCount(*row) for row in rows), inclusive)


def pairs(found: FunctionCounts) -> list[tuple[int, str]]:
    return [(count, name) for count, name in found]


def shown(value: object) -> list[str]:
    return re.sub("0x[0-9a-f]+>", "0x…>", repr(value)).split("\n")


def test_an_index_gives_a_count_and_a_slice_a_container() -> None:
    found = counts(*ROWS)
    assert found[0] == FunctionCount(700, "a.c:f [lib.so]")  # PyTorch gives a broken container
    assert type(found[-1]) is FunctionCount
    part = found[1:]
    assert isinstance(part, FunctionCounts)
    assert (pairs(part), part.truncate_rows, len(found)) == (list(ROWS[1:]), False, 3)
    with pytest.raises(IndexError):
        found[3]


def test_differences_are_by_function_largest_first_without_zeros() -> None:
    difference = counts((5, "a"), (5, "b"), (1, "c")) - counts((5, "a"), (9, "d"))
    assert pairs(difference) == [(5, "b"), (1, "c"), (-9, "d")]
    assert pairs(counts((5, "a")) + counts((2, "b"), (1, "a"))) == [(6, "a"), (2, "b")]
    assert pairs(counts((5, "a"), (1, "b")) * 0.5) == [(2, "a")]


def test_inclusive_and_exclusive_counts_do_not_mix() -> None:
    with pytest.raises(AssertionError, match=r"Cannot merge inclusive and exclusive counts\."):
        counts((1, "a")) - counts((1, "a"), inclusive=True)


def test_functions_are_renamed_filtered_and_denoised() -> None:
    found = counts(*ROWS)
    assert pairs(found.transform(lambda name: name[-1])) == [(700, "]"), (23, "e")]
    assert pairs(found.filter(lambda name: name.startswith("???"))) == [(3, "???:free")]
    assert found.denoise().sum() == 703


def test_a_repr_lists_rows_and_a_total() -> None:
    assert shown(counts(*ROWS)) == [
        "<torch.utils.benchmark.utils.valgrind_wrapper.timer_interface.FunctionCounts object at 0x…>",
        "  700  a.c:f [lib.so]",
        "   20  Objects/dictobject.c:lookdict_unicode",
        "    3  ???:free",
        "",
        "Total: 723",
    ]
    assert shown(counts((1, "a"), inclusive=True))[1:] == ["  1  a"]
    assert shown(counts((-10, "a")))[1] == "   -10  a"  # a negative number has one column more


def test_long_names_are_cut_in_the_middle() -> None:
    found = FunctionCounts((FunctionCount(1, "abcdefghij" * 10),), True, True, 60)
    row = shown(found)[1]
    assert len(row) == 60 - 1 + len("1")
    assert row == "  1  " + ("abcdefghij" * 10)[:25] + " ... " + ("abcdefghij" * 10)[-25:]


def test_many_rows_are_shown_by_their_ends_and_a_slice_whole() -> None:
    found = counts(*((100 - i, f"f{i}") for i in range(30)))
    lines = shown(found)
    assert lines[9:12] == ["   92  f8", "  ...", "   79  f21"]
    assert len(lines) == 1 + 9 + 1 + 9 + 2
    assert len(shown(found[:25])) == 1 + 25 + 2


def stats(**other: object) -> CallgrindStats:
    fields = {
        "task_spec": TaskSpec("f", "pass"),
        "number_per_run": 100,
        "built_with_debug_symbols": True,
        "baseline_inclusive_stats": counts(inclusive=True),
        "baseline_exclusive_stats": counts((40, "a.c:f"), (2, "dictobject.c:lookdict_unicode")),
        "stmt_inclusive_stats": counts(
            (800, "/x/Python/ceval.c:eval [/bin/python]"), inclusive=True
        ),
        "stmt_exclusive_stats": counts(*ROWS),
        "stmt_callgrind_out": "events: Ir",
    }
    return CallgrindStats(**{**fields, **other})  # type: ignore[arg-type]


def test_counts_are_raw_totals() -> None:
    assert (stats().counts(), stats().counts(denoise=True)) == (723, 703)


def test_stats_have_a_table_of_totals() -> None:
    assert shown(stats(built_with_debug_symbols=False)) == [
        "<torch.utils.benchmark.utils.valgrind_wrapper.timer_interface.CallgrindStats object at 0x…>",
        "f",
        "                           All          Noisy symbols removed",
        "    Instructions:          723                        703",
        "    Baseline:               42                         40",
        "100 runs per measurement, 1 thread",
        "Warning: PyTorch was not built with debug symbols.",
        "         Source information may be limited. Rebuild with",
        "         REL_WITH_DEB_INFO=1 for more detailed results.",
    ]


def test_delta_is_by_function() -> None:
    other = stats(stmt_exclusive_stats=counts((600, "a.c:f [lib.so]")))
    assert pairs(stats().delta(other))[0] == (100, "a.c:f [lib.so]")
    assert pairs(stats().delta(stats(), inclusive=True)) == []


@pytest.mark.parametrize(
    ("name", "standard"),
    [
        (
            "/home/me/pytorch/build/../aten/x.cpp:f(int) [/usr/lib/libtorch.so]",
            "build/../aten/x.cpp:f(int)",
        ),
        ("/home/me/pytorch/build/aten/src/x.cpp:f", "build/aten/src/x.cpp:f"),
        ("/build/python3.11/Python/ceval.c:eval [/usr/bin/python3.11]", "Python/ceval.c:eval"),
        ("/build/../Objects/list.c:f", "build/../Objects/list.c:f"),
        ("/usr/src/Objects/list.c:f", "Objects/list.c:f"),
        ("???:malloc [/lib/libc.so.6]", "???:malloc"),
        (
            f"x.cc:tally_{'0a' * 16}::run(int) [/cache/{'0a' * 16}.so]",
            "x.cc:statement::run(int)",
        ),
    ],
)
def test_standard_names_have_neither_folders_nor_libraries(name: str, standard: str) -> None:
    found = stats(stmt_exclusive_stats=counts((1, name))).as_standardized()
    assert found.stats()[0].function == ("Objects/list.c:f" if "/../Objects" in name else standard)
    assert found.stmt_callgrind_out is None


def test_pickles_say_where_pytorch_has_them_and_need_no_torch() -> None:
    data = pickle.dumps(stats())
    assert b"tallymark.benchmark.utils.valgrind_wrapper.timer_interface" in data
    assert b"_function_counts" not in data
    again = pickle.loads(data)
    assert pairs(again.stats()) == list(ROWS)
    assert type(again.stats()[0]) is FunctionCount
