"""What a record has of a case on a device, as Python shows it."""

from __future__ import annotations

import tallymark
from made_records import made_result


def of_case(**more: object) -> tallymark.Result:
    return made_result(
        id="a [python cuda]", label=["a"], status="ok", counts=None, wall=None, **more
    )


def test_a_case_on_no_device_has_nothing_of_one() -> None:
    assert of_case().on_device is None


def test_all_that_was_measured_is_there_and_nothing_else() -> None:
    kernel = {"name": "add", "count": 2.0, "time_s": 3e-6}
    work = {"executions": 100, "kernels": 2.0, "kernel_time_s": 3e-6, "by_name": [kernel]}
    launch = {"median_s": 5e-6, "interval_s": [4e-6, 6e-6], "samples": 10}
    whole = of_case(
        on_device={
            "name": "cuda",
            "wait_s": 1e-5,
            "launch": launch,
            "work": work,
            "flush": "l2",
            "settings": {"cudnn.benchmark": "False"},
        }
    ).on_device
    assert whole == tallymark.OnDevice(
        name="cuda",
        launch_s=5e-6,
        time_s=None,
        kernels=2.0,
        kernel_time_s=3e-6,
        by_name=(tallymark.Kernel("add", 2.0, 3e-6),),
        flush="l2",
        settings={"cudnn.benchmark": "False"},
        cache="warm",
    )
    assert of_case(on_device={"name": "cuda"}).on_device == tallymark.OnDevice(
        name="cuda", launch_s=None, time_s=None, kernels=None, kernel_time_s=None, by_name=()
    )
