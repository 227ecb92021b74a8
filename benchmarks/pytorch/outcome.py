"""What one forward pass gives, the same for both implementations.

Losses are tensors with a gradient; `total` is what a training step differentiates.
Predictions are only made on request, so a timed step never pays for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor


@dataclass
class Losses:
    """Loss terms, each a scalar; `hint` and `hidden` are before weighting."""

    total: Tensor
    output: Tensor
    hint: Tensor
    hidden: Tensor
    hints: dict[str, Tensor]


@dataclass
class Outcome:
    """Losses, the hidden state after the batch's last step [n_nodes, hidden], predictions.

    Predictions: logits for masks, log-probabilities for pointers (per edge), categories
    and mask_one, raw scalars; hints have the step last.
    """

    losses: Losses
    hidden: Tensor
    output_prediction: Callable[[], Tensor]
    hint_predictions: Callable[[], dict[str, Tensor]]
