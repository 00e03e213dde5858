"""Converts PyTorch's own measurements, such as those of a pickle that was written before the switch, to ours."""

from __future__ import annotations

import dataclasses
from typing import Any

from .common import Measurement, TaskSpec

_MODULE = "torch.utils.benchmark.utils.common"


def adopted(value: Any) -> Any:
    """`value`, or our Measurement of the same content where it is PyTorch's."""
    cls = type(value)
    if isinstance(value, Measurement) or (cls.__module__, cls.__name__) != (_MODULE, "Measurement"):
        return value
    fields = {
        field.name: getattr(value.task_spec, field.name) for field in dataclasses.fields(TaskSpec)
    }
    return Measurement(
        value.number_per_run, list(value.raw_times), TaskSpec(**fields), value.metadata
    )
