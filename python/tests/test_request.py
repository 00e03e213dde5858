"""What the package asks the server for, against the table that is written from the server's own list."""

from __future__ import annotations

from tallymark._client.request import Settings
from tallymark._options import Options, settings_of


def test_every_option_is_a_setting_of_the_server() -> None:
    every: Options = dict.fromkeys(Options.__annotations__, 1)  # type: ignore[assignment]
    assert set(settings_of(every)) <= set(Settings.__annotations__)


def test_what_is_derived_is_left_to_who_measures() -> None:
    asked = settings_of({"replicates": 9, "min_run_time": 3.0})
    assert set(asked) == {"counts", "wall", "replicates", "min_run_time_s"}
