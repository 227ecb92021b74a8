"""A training step as one CUDA graph: recorded once for a batch, then replayed by one launch.

A graph replays kernels on the addresses they were recorded with, so the step has to stay alive,
with its batch, model and optimiser, and nothing in it may depend on a value the host has to read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

WARM_UP_STEPS = 3


class Captured:
    """Calling it replays the step; gives what the step gave, with the values of this replay."""

    def __init__(self, step: Callable[[], Any]) -> None:
        self.step = step
        self.graph = torch.cuda.CUDAGraph()
        # One stream for both: a gradient is added up on the stream its parameter was last used on.
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UP_STEPS):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        with torch.cuda.graph(self.graph, stream=stream):
            self.result = step()

    def __call__(self) -> Any:
        self.graph.replay()
        return self.result
