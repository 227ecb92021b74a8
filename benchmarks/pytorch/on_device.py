"""Moves a batch to a device."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

import torch
from torch import Tensor

Value = TypeVar("Value")


def on_device(value: Value, device: torch.device) -> Value:
    """The value with every tensor in it on the device: a case, a plain batch, or a part of one."""
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {name: on_device(part, device) for name, part in value.items()}
    if is_dataclass(value):
        parts = {
            field.name: on_device(getattr(value, field.name), device) for field in fields(value)
        }
        return replace(value, **parts)
    return value
