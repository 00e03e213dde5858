"""What the package asks the server for, against the server's own lists."""

from __future__ import annotations

import re

import pytest
from real_traces import ROOT
from tallymark import _suite_keys
from tallymark._client.request import Settings
from tallymark._options import Options, settings_of


def test_every_option_is_a_setting_of_the_server() -> None:
    every: Options = dict.fromkeys(Options.__annotations__, 1)  # type: ignore[assignment]
    assert set(settings_of(every)) <= set(Settings.__annotations__)


def test_what_is_derived_is_left_to_who_measures() -> None:
    asked = settings_of({"replicates": 9, "min_run_time": 3.0})
    assert set(asked) == {"counts", "wall", "replicates", "min_run_time_s"}


def keys_read(form: str) -> set[str]:
    """Those that the reader of suites knows for a form."""
    source = "".join(
        (ROOT / f"src/definition/read_{name}.cc").read_text(encoding="utf-8")
        for name in ("definitions", "program", "toolchain")
    )
    (shared,) = re.findall(r"#define TALLY_OPTION_KEYS((?:.*\\\n)*.*)", source)
    (own,) = re.findall(
        rf"k{form}Keys =\s*std::to_array<std::string_view>\(\s*\{{([^}}]*)\}}", source
    )
    return set(re.findall(r'"(\w+)"', own.replace("TALLY_OPTION_KEYS", shared)))


@pytest.mark.parametrize(
    ("form", "given_by_position"),
    [
        ("Default", {"toolchain"}),
        ("Setup", set()),
        ("Toolchain", set()),
        ("Variants", {"label"}),
        ("Timer", {"label", "language", "stmt"}),
        ("Command", {"label", "run"}),
        ("Program", {"path"}),
    ],
)
def test_a_suites_keywords_are_the_keys_of_its_forms(
    form: str, given_by_position: set[str]
) -> None:
    typed = getattr(_suite_keys, f"{form}Keys").__annotations__
    assert set(typed) | given_by_position == keys_read(form)
