"""The networks of the benchmark in plain PyTorch: twins of those that are trained in Rust.

    >>> import salsa_clrs
    >>> from salsa_clrs import models
    >>> model = models.EncodeProcessDecode("bfs", "pgn", hidden=16)
    >>> batch = salsa_clrs.dataset("bfs", "train", hints=False).batch(range(4))
    >>> outcome = model(batch)
    >>> outcome.outputs["pi"].shape == batch.outputs["pi"].shape
    True
    >>> model.losses(batch, outcome).total.backward()

Parameters have the names and shapes of checkpoints, and the same parameters give the same outputs,
losses and gradients. `load` makes a twin of a trained network, `save` a checkpoint of a twin.
"""

from .checkpoints import load, save, state_dict
from .gin import GIN
from .graphs import Graphs
from .losses import Losses
from .network import PROCESSORS, EncodeProcessDecode, Outcome
from .pgn import PGN
from .recgnn import RecGNN

__all__ = [
    "GIN",
    "PGN",
    "PROCESSORS",
    "EncodeProcessDecode",
    "Graphs",
    "Losses",
    "Outcome",
    "RecGNN",
    "load",
    "save",
    "state_dict",
]
